"""Playing deals and keeping every decision, in arrays that torch and NumPy share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spades_env import VIEW, GameBatch
from spades_env.chance import below, derive
from spades_env.game import DECISIONS, NUM_ACTIONS, NUM_SEATS, deal_value
from spades_env.jit import jit
from spades_env.observation import STATE_SIZE, encode_mask, encode_state
from spades_env.rules import STANDARD, Rules

REWARD_UNIT = 100.0  # points that make a reward of 1
LOWEST_SCORE, HIGHEST_SCORE = -150, 480  # of the random starts

# Chooses for decision `step` of all deals: reads the row of the rollout that has just
# been filled and writes its actions (and what else it wants to keep there).
Actor = Callable[["Rollout", int], None]


class Rollout:
    """Every decision of `deals` deals, in the order in which they were taken.

    Attributes:
        states: int8 (56, deals, STATE_SIZE), as the acting seat counts seats; the first
            OBSERVATION_SIZE places are that seat's observation.
        masks: int8 (56, deals, 66).
        views: scratch `VIEW` records (deals,).
        seats: int8 (56, deals): who acted.
        actions: int64 (56, deals).
        log_probs: float32 (56, deals), of the actions when they were drawn.
        values: float32 (56, deals), the critic's.
        rewards: float32 (2, deals): each team's points less the other's / 100, where a
            bag counts -9 (`deal_value`).
    """

    def __init__(self, deals: int, rules: Rules = STANDARD) -> None:
        self.batch = GameBatch(deals, rules=rules)
        self.states = np.zeros((DECISIONS, deals, STATE_SIZE), np.int8)
        self.masks = np.zeros((DECISIONS, deals, NUM_ACTIONS), np.int8)
        self.views = np.zeros(deals, VIEW)
        self.seats = np.zeros((DECISIONS, deals), np.int8)
        self.actions = np.zeros((DECISIONS, deals), np.int64)
        self.log_probs = np.zeros((DECISIONS, deals), np.float32)
        self.values = np.zeros((DECISIONS, deals), np.float32)
        self.rewards = np.zeros((2, deals), np.float32)

    def collect(self, seed: int, actor: Actor, random_scores: bool) -> None:
        """Play the deals of `seed` to their end; `actor` chooses for all seats."""
        self.batch.start(seed)
        games, rules = self.batch.games, self.batch.rules.array
        if random_scores:
            _random_scores(games, rules, np.uint64(seed))
        for step in range(DECISIONS):
            self.seats[step] = games["turn"]
            _record(games, rules, self.views, self.states[step], self.masks[step])
            actor(self, step)
            self.batch.step(self.actions[step])
        _reward(games, rules, self.rewards)

    def advantages(self, gae_lambda: float) -> np.ndarray:
        """Generalised advantage estimates with gamma 1, float32 (56, deals).

        Each seat's 14 decisions are a sequence of their own that ends with the reward
        of its team.
        """
        out = np.empty_like(self.values)
        _advantages(self.seats, self.values, self.rewards, gae_lambda, out)
        return out


@jit
def _random_scores(games: np.ndarray, rules: np.ndarray, seed: np.uint64) -> None:
    """Scores that can occur: the bags are the score modulo `bags_limit`."""
    lowest = max(LOWEST_SCORE, rules[0].floor + 1)
    highest = min(HIGHEST_SCORE, rules[0].target - 1)
    for i in range(len(games)):
        for team in range(2):
            number = derive(derive(seed, 2 * i + team), 1 << 40)
            score = lowest + below(number, highest - lowest + 1)
            games[i].score[team] = score
            games[i].bags[team] = score % rules[0].bags_limit


@jit
def _record(
    games: np.ndarray,
    rules: np.ndarray,
    views: np.ndarray,
    states: np.ndarray,
    masks: np.ndarray,
) -> None:
    for i in range(len(games)):
        encode_state(games[i], rules[0], int(games[i].turn), views[i], states[i])
        encode_mask(views[i], masks[i])


@jit
def _reward(games: np.ndarray, rules: np.ndarray, rewards: np.ndarray) -> None:
    for i in range(len(games)):
        ours = deal_value(games[i], rules[0], 0)
        theirs = deal_value(games[i], rules[0], 1)
        rewards[0, i] = (ours - theirs) / REWARD_UNIT
        rewards[1, i] = (theirs - ours) / REWARD_UNIT


@jit
def _advantages(
    seats: np.ndarray,
    values: np.ndarray,
    rewards: np.ndarray,
    gae_lambda: float,
    out: np.ndarray,
) -> None:
    next_value = np.empty(NUM_SEATS, np.float32)
    advantage = np.empty(NUM_SEATS, np.float32)
    for i in range(values.shape[1]):
        for seat in range(NUM_SEATS):
            next_value[seat] = rewards[seat & 1, i]
            advantage[seat] = 0
        for step in range(DECISIONS - 1, -1, -1):
            seat = seats[step, i]
            error = next_value[seat] - values[step, i]
            advantage[seat] = error + gae_lambda * advantage[seat]
            next_value[seat] = values[step, i]
            out[step, i] = advantage[seat]
