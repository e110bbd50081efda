"""How fast the parts of the project are: the loops that `spades bench` times."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numba import prange

import baselines
from baselines.checkpoint import CHECKPOINT, write_checkpoint
from baselines.rule_bots import choose
from spades_env import GAME, NUM_ACTIONS, OBSERVATION_SIZE, VIEW, GameBatch
from spades_env.cards import count_cards, lowest_card
from spades_env.chance import GOLDEN, MASK64, below, derive, mix
from spades_env.game import (
    BID,
    DECISIONS,
    NUM_BIDS,
    NUM_SEATS,
    apply,
    clear_scores,
    legal_cards,
    next_deal,
    start_game,
)
from spades_env.jit import jit
from spades_env.observation import encode, encode_mask
from spades_env.rules import STANDARD
from spades_env.view import look
from training.config import TrainConfig
from training.peers import compile_limit
from training.timing import best_rate

Report = dict[str, Any]


# The engine, and the same loop in C.


@jit(forceinline=True)
def _random_action(game: Any, number: int) -> int:
    if game.step < NUM_SEATS:
        return BID + below(number, NUM_BIDS)
    cards = legal_cards(game)
    for _ in range(below(number, count_cards(cards))):
        cards &= cards - 1
    return lowest_card(cards)


@jit
def _begin_next(game: Any) -> None:
    if game.winner >= 0:
        clear_scores(game)
    next_deal(game)


@jit
def _play_deals(games: np.ndarray, rules: np.ndarray, deals: int) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], _random_action(game, mix(key)))
        _begin_next(game)
    return int(game.score[0])


@jit
def _play_deals_observed(
    games: np.ndarray,
    rules: np.ndarray,
    deals: int,
    views: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            look(game, rules[0], int(game.turn), views[0], False)
            encode(views[0], observation)
            encode_mask(views[0], mask)
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], _random_action(game, mix(key)))
        _begin_next(game)
    return int(game.score[0])


def engine_rates(rounds: int, add: Callable[[str, float], float]) -> Report:
    """Engine alone, engine observed, and the C limit, in turns; returns the ratios."""
    deals = 50_000
    games, rules, views = np.zeros(1, GAME), STANDARD.array, np.zeros(1, VIEW)
    observation = np.zeros(OBSERVATION_SIZE, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    _play_deals(games, rules, 1)
    _play_deals_observed(games, rules, 1, views, observation, mask)
    rates: dict[str, list[float]] = {"alone": [], "observed": [], "c": []}
    with tempfile.TemporaryDirectory() as folder:
        limit = compile_limit(Path(folder))
        for _ in range(rounds):
            for name, function in (
                ("alone", lambda: _play_deals(games, rules, deals)),
                (
                    "observed",
                    lambda: _play_deals_observed(
                        games, rules, deals, views, observation, mask
                    ),
                ),
            ):
                start = time.perf_counter()
                function()
                seconds = time.perf_counter() - start
                rates[name].append(deals * DECISIONS / seconds)
            if limit is not None:
                done = subprocess.run([limit, str(deals)], capture_output=True)
                rates["c"].append(float(done.stdout))
    add("engine alone", statistics.median(rates["alone"]))
    add("engine, observation and mask", statistics.median(rates["observed"]))
    if limit is None:
        return {"engine_vs_c": None, "observed_vs_c": None}
    add("the same loop in C", statistics.median(rates["c"]))
    return {
        f"{key}_vs_c": statistics.median(
            ours / its for ours, its in zip(rates[name], rates["c"], strict=True)
        )
        for key, name in (("engine", "alone"), ("observed", "observed"))
    }


# Many games, driven from Python.


@jit
def _random_actions(games: np.ndarray, number: Any, actions: np.ndarray) -> None:
    for i in range(len(games)):
        actions[i] = _random_action(games[i], derive(number, i))


@jit(parallel=True)
def _random_actions_threaded(
    games: np.ndarray, number: np.uint64, actions: np.ndarray, threads: int
) -> None:
    n = len(games)
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        _random_actions(games[part], derive(number, k), actions[part])


def _play_batch(batch: GameBatch, deals: int) -> None:
    observations = np.zeros((len(batch), OBSERVATION_SIZE), np.int8)
    masks = np.zeros((len(batch), NUM_ACTIONS), np.int8)
    actions = np.zeros(len(batch), np.int64)
    for _ in range(deals):
        for step in range(DECISIONS):
            batch.observe(observations, masks)
            if batch.threads == 1:
                _random_actions(batch.games, np.uint64(step), actions)
            else:
                _random_actions_threaded(
                    batch.games, np.uint64(step), actions, batch.threads
                )
            batch.step(actions)
        batch.next_deal()


def batch_rate(games: int, threads: int) -> float:
    """Decisions per second of a `GameBatch`, each observed and drawn at random."""
    batch = GameBatch(games, threads=threads)
    deals = max(1, 16384 // games)
    return best_rate(
        lambda: _play_batch(batch, min(deals, 50)),
        games * DECISIONS * min(deals, 50),
    )


def batch_scaling(rounds: int) -> float:
    """Speed of 4,096 games on two threads over that on one, measured in turns."""
    ratios = []
    batches = [GameBatch(4096, threads=threads) for threads in (1, 2)]
    for batch in batches:
        _play_batch(batch, 1)
    for _ in range(rounds):
        seconds = []
        for batch in batches:
            start = time.perf_counter()
            _play_batch(batch, 4)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    return statistics.median(ratios)


# One game, driven from Python.


def seat_env_rate(steps: int = 3000) -> float:
    """Steps per second of the one-seat environment against Hard."""
    env = gymnasium.make("Spades-v0", partner="hard", opponents="hard").unwrapped
    draws = np.random.default_rng(0).random(steps)

    def play() -> None:
        info = env.reset(seed=0)[1]
        for draw in draws:
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(legal[int(draw * len(legal))])
            if over:
                info = env.reset()[1]

    return best_rate(play, steps)


@jit
def _masked_actions(masks: np.ndarray, number: np.uint64, actions: np.ndarray) -> None:
    for i in range(len(masks)):
        count = 0
        for action in range(NUM_ACTIONS):
            count += masks[i, action]
        left = below(derive(number, i), max(count, 1))
        for action in range(NUM_ACTIONS):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


def vector_env_rate(threads: int, num_envs: int = 4096, steps: int = 30) -> float:
    """Learner steps per second of the vector environment against Hard."""
    env = gymnasium.make_vec(
        "Spades-v0",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        partner="hard",
        opponents="hard",
        threads=threads,
    )
    actions = np.zeros(num_envs, np.int64)

    def play() -> None:
        info = env.reset(seed=0)[1]
        for step in range(steps):
            _masked_actions(info["action_mask"], np.uint64(step), actions)
            info = env.step(actions)[-1]

    return best_rate(play, num_envs * steps)


# Players.


@jit
def _play_bots(
    games: np.ndarray, rules: np.ndarray, views: np.ndarray, bot: int, deals: int
) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            look(game, rules[0], int(game.turn), views[0])
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], choose(bot, views[0], mix(key)))
        _begin_next(game)
    return int(game.score[0])


def bot_deals(bot: int, deals: int) -> int:
    """Let four of a scripted bot play deals; returns the score of team 0."""
    return _play_bots(np.zeros(1, GAME), STANDARD.array, np.zeros(1, VIEW), bot, deals)


def policy_rate(player: str) -> float:
    """Single decisions per second, encoding included, over those of some deals."""
    bot = baselines.make(player)
    batch = GameBatch(20, seed=1)
    views = []
    hard = baselines.make("hard")
    actions = np.zeros(len(batch), np.int64)
    for _ in range(DECISIONS):
        views.append(batch.views())
        hard.act_batch(views[-1], np.zeros(len(batch), np.uint64), actions)
        batch.step(actions)
    singles = np.concatenate(views)
    out, key = np.zeros(1, np.int64), np.zeros(1, np.uint64)

    def play() -> None:
        for k in range(len(singles)):
            bot.act_batch(singles[k : k + 1], key, out)

    return best_rate(play, len(singles))


def untrained(folder: Path) -> list[str]:
    """A checkpoint of untrained 2 x 256 networks and its export, where torch is."""
    try:
        import torch

        from training.export import export
        from training.learner import Learner

        config = TrainConfig()
        learner = Learner(config.network, 0, torch.device("cpu"))
        checkpoint = folder / CHECKPOINT
        write_checkpoint(checkpoint, learner.arrays(), {"config": config.to_json()})
        return [str(checkpoint), str(export(checkpoint, folder / "policy.onnx"))]
    except ImportError:
        return []
