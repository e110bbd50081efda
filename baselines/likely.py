"""The worlds that a search plays out: those that explain the bids made.

A bid tells about the hand. Worlds are drawn uniformly, many more than will be played
out, and each is weighed by how near the inner bot, with the hands of that world, comes
to the bids that were made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from baselines.rule_bots import choose
from spades_env.chance import below, derive
from spades_env.game import (
    BID,
    GAME,
    NUM_ACTIONS,
    NUM_BIDS,
    NUM_SEATS,
    apply,
    start_deal,
)
from spades_env.jit import jit
from spades_env.rules import RULES
from spades_env.view import VIEW, look
from spades_env.worlds import PLAN, deal_world, draw_number

# Worlds looked at for each one that is played out; bids tell the likely ones.
CANDIDATES = 8
# Streams of a decision's key. The lower ones draw worlds.
ORDER_STREAM, WHIM_STREAM = 1 << 39, 1 << 40

# How well a hand explains a bid: EXPLAINS[what the inner bot bids with it, the bid].
# Players differ by a trick as often as not, rarely by two; nils are a matter of taste,
# the less so the more tricks the hand has.
EXPLAINS = np.array(
    [
        [
            np.exp(-0.7 * (ours - bid) ** 2)
            if (ours == 0) == (bid == 0)
            else 0.15 * np.exp(-0.4 * (ours + bid - 1))
            for bid in range(NUM_BIDS)
        ]
        for ours in range(NUM_BIDS)
    ]
)


class Room(NamedTuple):
    """Arrays that one search works in."""

    plans: np.ndarray  # PLAN (1,)
    games: np.ndarray  # GAME (2,): a world, and the game that is tried out from it
    views: np.ndarray  # VIEW (1,)
    rules: np.ndarray  # RULES (1,)
    candidates: np.ndarray  # int64 (CANDIDATES * worlds,): numbers of worlds
    fits: np.ndarray  # float64, how well each explains the bids
    numbers: np.ndarray  # int64 (worlds,): those played out
    weights: np.ndarray  # float64 (worlds,)
    outcomes: np.ndarray  # float64 (66, worlds): what each action came to in each
    tried: np.ndarray  # int64 (66,): worlds that each action has been tried in


@jit
def explains(world: Any, game: Any, rules: Any, bot: int, view: Any) -> float:
    """How well a world explains the bids of the seats that the viewer cannot see.

    Args:
        world: `GAME` record with the viewer in seat 0.
        game: `GAME` record in which the bidding is repeated, at the score of the world;
            overwritten.
        rules: `RULES` record.
        bot: number of the inner bot.
        view: `VIEW` record, overwritten.
    """
    start_deal(game)
    for seat in range(NUM_SEATS):
        game.hand[seat] = world.hand[seat] | world.played[seat]
    fit = 1.0
    for _ in range(min(int(world.step), NUM_SEATS)):
        seat = int(game.turn)
        bid = int(world.bid[seat])
        if seat != 0:
            look(game, rules, seat, view, False)
            fit *= EXPLAINS[choose(bot, view, 0) - BID, bid]
        apply(game, rules, BID + bid)
    return fit


@jit
def make_room(worlds: int) -> Room:
    """Room for searches with at most so many worlds."""
    return Room(
        np.zeros(1, PLAN),
        np.zeros(2, GAME),
        np.zeros(1, VIEW),
        np.zeros(1, RULES),
        np.zeros(CANDIDATES * worlds, np.int64),
        np.zeros(CANDIDATES * worlds, np.float64),
        np.zeros(worlds, np.int64),
        np.zeros(worlds, np.float64),
        np.zeros((NUM_ACTIONS, worlds), np.float64),
        np.zeros(NUM_ACTIONS, np.int64),
    )


@jit
def shuffle_worlds(room: Room, worlds: int, key: int) -> None:
    """Put the chosen worlds in random order, so that the first of them are a sample."""
    for k in range(worlds - 1, 0, -1):
        other = below(derive(key, k), k + 1)
        number, weight = room.numbers[k], room.weights[k]
        room.numbers[k], room.weights[k] = room.numbers[other], room.weights[other]
        room.numbers[other], room.weights[other] = number, weight


@jit
def choose_worlds(room: Room, bot: int, key: int) -> int:
    """Fill `room.numbers` and `room.weights` with the worlds to play out.

    If there are few enough, all of them by how well they explain the bids; otherwise
    worlds of equal weight, drawn in proportion to that. `room.plans` and
    `room.games[0]` are those of the View.

    Returns:
        How many worlds they are.
    """
    plan = room.plans[0]
    world, game = room.games[0], room.games[1]
    room.games[1] = room.games[0]
    worlds = len(room.numbers)
    count = min(int(plan.total), len(room.candidates))
    total = 0.0
    for i in range(count):
        number = draw_number(plan, derive(key, i)) if plan.total > count else i
        deal_world(plan, number, world)
        room.candidates[i] = number
        room.fits[i] = explains(world, game, room.rules[0], bot, room.views[0])
        total += room.fits[i]
    if count <= worlds:
        for i in range(count):
            room.numbers[i] = room.candidates[i]
            room.weights[i] = room.fits[i]
        shuffle_worlds(room, count, derive(key, ORDER_STREAM))
        return count
    # Points at equal distances along the candidates, each as long as its fit.
    distance = total / worlds
    point = distance * (derive(key, count) >> 11) * 2.0**-53
    i = 0
    end = room.fits[0]
    for k in range(worlds):
        while end <= point and i + 1 < count:
            i += 1
            end += room.fits[i]
        room.numbers[k] = room.candidates[i]
        room.weights[k] = 1.0
        point += distance
    shuffle_worlds(room, worlds, derive(key, ORDER_STREAM))
    return worlds
