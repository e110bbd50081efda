"""Worlds: complete games that agree with everything a View shows.

A View leaves open who holds the unseen cards. Two things are known about them: how many
each hidden seat holds, and which suits it has shown void in. Every deal of the unseen
cards that respects both could be the true one. There are `count_worlds(view)` of them,
at most 39! / 13!**3 = 8.4e16, and each has a number: a uniform number is a uniform
world, exactly, with no deal tried and thrown away.

The numbering counts suit by suit. For a suit of n unseen cards, of which the seats to
the left, opposite and to the right take a, b and c, there are n! / (a! b! c!) ways to
choose the cards; `prepare` multiplies and sums them over all splits, from the last suit
to the first. `deal_world` walks the same sums the other way.

In a world the viewer sits in seat 0, so its seats are the View's.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from spades_env.cards import (
    NUM_CARDS,
    ONE,
    count_cards,
    highest_card,
    suit_cards,
)
from spades_env.chance import GOLDEN, MASK64, MAX_SEED, derive, mix
from spades_env.game import DECISIONS, GAME, NUM_SEATS, shown_void
from spades_env.jit import jit
from spades_env.view import VIEW

# What `prepare` finds out about a View. `ways[s, x, y]` counts the deals of the cards
# of suits s to 3 once seat 1 has room for x more cards, seat 2 for y, seat 3 for the
# rest. `split[s, m, x, y]` counts them when seat 1 has had its share of suit s too,
# and m cards of that suit are left.
PLAN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("total", np.int64),  # number of worlds
                ("cards", np.int64, 4),  # unseen cards of each suit
                ("room", np.int64, 4),  # number of cards that each seat holds
                ("voids", np.int64),
                ("ways", np.int64, (5, 14, 14)),
                ("split", np.int64, (4, 14, 14, 14)),
            ],
            align=True,
        ),
    )
)

# CHOOSE[n, k]: subsets of k of n cards.
CHOOSE = np.array([[comb(n, k) for k in range(14)] for n in range(14)], np.int64)


def _subsets() -> np.ndarray:
    """All sets of k of 13 places, ascending; the first C(n, k) use n places only."""
    table = np.zeros((14, comb(13, 6)), np.int16)
    for k in range(14):
        sets = sorted(
            sum(1 << place for place in s) for s in combinations(range(13), k)
        )
        table[k, : len(sets)] = sets
    return table


SUBSETS = _subsets()


@jit
def pick(cards: int, places: int) -> int:
    """The cards of a set at the given places (a set too), counted from the lowest."""
    picked = cards & 0
    while places:
        low = cards & -cards
        if places & 1:
            picked |= low
        cards ^= low
        places >>= 1
    return picked


@jit
def prepare(view: Any, plan: Any) -> None:
    """Count the worlds of a View, for `deal_world`; `plan.total` is their number.

    Args:
        view: `VIEW` record.
        plan: `PLAN` record, overwritten.
    """
    voids = int(view.voids)
    plan.voids = voids
    after = 0  # cards of the suits after this one
    for seat in range(NUM_SEATS):
        plan.room[seat] = 13 - count_cards(view.played[seat])
    room_1, room_2, room_3 = int(plan.room[1]), int(plan.room[2]), int(plan.room[3])
    unseen = count_cards(view.unseen)
    plan.total = 0
    if room_1 + room_2 + room_3 != unseen:
        return
    for x in range(room_1 + 1):
        for y in range(room_2 + 1):
            plan.ways[4, x, y] = 0
    plan.ways[4, 0, 0] = 1
    for suit in range(3, -1, -1):
        plan.cards[suit] = view.unseen & suit_cards(suit)
        n = count_cards(plan.cards[suit])
        most_1 = 0 if shown_void(voids, 1, suit) else n
        most_2 = 0 if shown_void(voids, 2, suit) else n
        most_3 = 0 if shown_void(voids, 3, suit) else n
        # Earlier suits cannot have filled more room than they have cards.
        before = unseen - after - n
        least_1 = max(room_1 - before, 0)
        least_2 = max(room_2 - before, 0)
        for m in range(n - most_1, n + 1):
            for x in range(max(least_1 - (n - m), 0), room_1 + 1):
                for y in range(least_2, room_2 + 1):
                    count = 0
                    for b in range(max(m - most_3, 0), min(m, most_2, y) + 1):
                        count += CHOOSE[m, b] * plan.ways[suit + 1, x, y - b]
                    plan.split[suit, m, x, y] = count
        after += n
        for x in range(room_1 + 1):
            for y in range(room_2 + 1):
                count = 0
                if x >= least_1 and y >= least_2 and 0 <= after - x - y <= room_3:
                    for a in range(min(most_1, x) + 1):
                        count += CHOOSE[n, a] * plan.split[suit, n - a, x - a, y]
                plan.ways[suit, x, y] = count
    plan.total = plan.ways[0, room_1, room_2]


@jit
def deal_world(plan: Any, number: int, game: Any) -> None:
    """Give the hidden seats of `game` the hands of world `number`.

    Args:
        plan: `PLAN` record that `prepare` has filled.
        number: 0 to `plan.total - 1`.
        game: `GAME` record that `open_world` has filled; only `hand` changes.
    """
    x, y = int(plan.room[1]), int(plan.room[2])
    hand_1 = hand_2 = hand_3 = plan.cards[0] & 0
    for suit in range(4):
        cards = plan.cards[suit]
        n = count_cards(cards)
        a = 0
        count = plan.split[suit, n, x, y]
        while number >= count:
            number -= count
            a += 1
            count = CHOOSE[n, a] * plan.split[suit, n - a, x - a, y]
        x -= a
        rest = plan.split[suit, n - a, x, y]
        taken = pick(cards, SUBSETS[a, number // rest])
        number %= rest
        hand_1 |= taken
        cards ^= taken
        n -= a
        b = n if shown_void(plan.voids, 3, suit) else 0
        count = CHOOSE[n, b] * plan.ways[suit + 1, x, y - b]
        while number >= count:
            number -= count
            b += 1
            count = CHOOSE[n, b] * plan.ways[suit + 1, x, y - b]
        y -= b
        rest = plan.ways[suit + 1, x, y]
        taken = pick(cards, SUBSETS[b, number // rest])
        number %= rest
        hand_2 |= taken
        hand_3 |= cards ^ taken
    game.hand[1] = hand_1
    game.hand[2] = hand_2
    game.hand[3] = hand_3


@jit
def draw_number(plan: Any, key: int) -> int:
    """A uniform world's number from a key (64 random bits); `plan.total` is not 0."""
    bits = (ONE << highest_card(2 * plan.total - 1)) - 1
    key = int(np.uint64(key))
    while True:  # less than twice on average
        key = (key + GOLDEN) & MASK64
        number = np.int64(mix(key) >> 1) & bits
        if number < plan.total:
            return int(number)


@jit
def open_world(view: Any, game: Any) -> None:
    """Write all that a View shows into a game in which the viewer is seat 0.

    The hidden hands are left empty. The seed, which no View shows, is 0.

    Args:
        view: `VIEW` record of a deal that is not over.
        game: `GAME` record, overwritten.
    """
    for seat in range(NUM_SEATS):
        game.hand[seat] = 0
        game.played[seat] = view.played[seat]
        game.bid[seat] = view.bid[seat]
        game.won[seat] = view.won[seat]
    game.hand[0] = view.hand
    for team in range(2):
        game.score[team] = view.score[team]
        game.bags[team] = view.bags[team]
        game.deal_points[team] = 0
        game.deal_bags[team] = 0
        game.deal_penalties[team] = 0
    for k in range(NUM_CARDS):
        game.plays[k] = view.plays[k]
    for trick in range(13):
        game.leader[trick] = view.leader[trick]
    game.table = view.table
    game.voids = view.voids
    game.seed = 0
    game.deal = view.deal
    game.dealer = view.dealer
    game.turn = view.turn
    game.step = view.step
    game.led_suit = view.led_suit
    game.best_card = view.best_card
    game.best_seat = view.best_seat
    game.broken = view.broken
    game.winner = -1


@jit
def _sample(
    views: np.ndarray, seed: np.uint64, games: np.ndarray, plans: np.ndarray
) -> int:
    """Fill `games` with worlds of `views[0]`; returns how many worlds there are."""
    plan = plans[0]
    prepare(views[0], plan)
    if plan.total == 0 or len(games) == 0:
        return plan.total
    open_world(views[0], games[0])
    for i in range(1, len(games)):
        games[i] = games[0]
    for i in range(len(games)):
        key = derive(seed, i)
        games[i].seed = key
        deal_world(plan, draw_number(plan, key), games[i])
    return plan.total


def sample_worlds(view: np.ndarray | np.record, n: int, seed: int) -> np.ndarray:
    """Complete games that agree with everything a View shows, uniformly over them all.

    Hands differ from world to world; all else is what the View shows. Looking at a
    world from seat 0 gives the View back. A world can be played on, also into the
    following deals, which are drawn anew (`Game.seed`).

    Args:
        view: `VIEW` record, or an array of one, with its history, of a deal that is not
            over.
        n: number of worlds.
        seed: 0 to 2**64 - 1; equal views and seeds give equal worlds. The first worlds
            of a longer sample are those of a shorter one.

    Returns:
        `GAME` records (n,), with the viewer in seat 0 and its team as team 0.

    Raises:
        ValueError: no deal agrees with the View, its deal is over, or a number is out
            of range.
    """
    if n < 0:
        raise ValueError(f"n must be 0 or more, not {n}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must lie in 0 to {MAX_SEED}, not {seed}")
    games = np.zeros(n, GAME)
    _fill(view, seed, games)
    return games


def count_worlds(view: np.ndarray | np.record) -> int:
    """Number of worlds that `sample_worlds` draws from; errors are the same."""
    return _fill(view, 0, np.zeros(0, GAME))


def _fill(view: np.ndarray | np.record, seed: int, games: np.ndarray) -> int:
    """Fill `games` with worlds; returns how many there are to draw from."""
    views = np.zeros(1, VIEW)
    views[0] = view if view.ndim == 0 else view.reshape(1)[0]
    if views[0].step >= DECISIONS:
        raise ValueError("the deal of this View is over; nothing in it is hidden")
    total = int(_sample(views, np.uint64(seed), games, np.zeros(1, PLAN)))
    if total == 0:
        raise ValueError("no deal agrees with this View: check voids and cards played")
    return total
