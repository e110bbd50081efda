"""What cards are worth later: the tricks that a hand should still take.

All worths are in 256ths of a trick. They depend on what remains: how many higher cards
of a suit are out, how many lower ones guard, and whether somebody can ruff.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from baselines.odds import SURE, holders, overtaker
from spades_env.cards import (
    ONE,
    SPADE_CARDS,
    SPADES,
    SUIT,
    count_cards,
    highest_card,
    suit_cards,
    suit_of,
)
from spades_env.jit import jit


def _both_follow(rounds: int, out: int) -> float:
    """Chance that both opponents still follow after so many rounds of a suit.

    `out` cards of it lie in three hands; each opponent must hold more than `rounds`.
    """
    short = sum(comb(out, k) * 2 ** (out - k) for k in range(min(rounds, out) + 1))
    return (1 - short / 3**out) ** 2


UNRUFFED = np.array(
    [[round(SURE * _both_follow(r, out)) for out in range(14)] for r in range(5)],
    np.int64,
)

# A card's worth while 0, 1, 2 (spades: or more) higher ones are out: guarded by as many
# lower cards as higher ones are out, or bare.
GUARDED = np.array([145, 135, 75])
BARE = np.array([160, 105, 40])
SPADE_GUARDED = np.array([255, 170, 125, 45])
SPADE_BARE = np.array([240, 125, 85, 45])
# A side suit that can be ruffed, with spades in the hand and cards of it out.
VOID = 75
SINGLETON = 10
# How many of three hands should follow when so many cards of a suit lie in them.
FOLLOWERS = np.array([0, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3])


@jit
def side_worth(mine: int, out: int, trumps: bool) -> int:
    """Tricks that a side suit should take.

    Args:
        mine: the suit's cards in the hand, thirteen bits.
        out: those in the other hands.
        trumps: whether the others hold spades to ruff with.
    """
    worth = 0
    rounds = 0
    forced = 0
    total = count_cards(out)
    guards = count_cards(mine)
    while mine:
        top = highest_card(mine)
        mine ^= ONE << top
        guards -= 1
        # A higher card that is out goes on one of our own cards above this one.
        higher = max(count_cards(out >> top) - forced, 0)
        if higher > 2 or rounds > 3:
            break
        if higher:
            forced += 1
        chance = GUARDED[higher] if guards >= higher else BARE[higher]
        if trumps:
            chance = (chance * UNRUFFED[min(rounds + higher, 4), total]) >> 8
        worth += chance
        rounds += 1
    return worth


@jit
def spade_worth(mine: int, out: int) -> int:
    """Tricks that the spades should take; arguments as in `side_worth`."""
    worth = 0
    total = count_cards(out)
    guards = count_cards(mine)
    place = 0
    while mine:
        top = highest_card(mine)
        mine ^= ONE << top
        guards -= 1
        if place >= total:  # the others have no spade left by then
            worth += SURE
        else:
            higher = min(count_cards(out >> top), 3)
            worth += SPADE_GUARDED[higher] if guards >= higher else SPADE_BARE[higher]
        place += 1
    return worth


@jit
def suit_worth(hand: int, unseen: int, suit: int) -> int:
    """Tricks that one suit of a hand should take while `unseen` lie elsewhere."""
    mine = (hand >> 13 * suit) & SUIT
    out = (unseen >> 13 * suit) & SUIT
    if suit == SPADES:
        return spade_worth(mine, out)
    worth = side_worth(mine, out, unseen & SPADE_CARDS != 0)
    if hand & SPADE_CARDS and count_cards(out) > 2:
        if not mine:
            worth += VOID
        elif mine & (mine - 1) == 0:
            worth += SINGLETON
    return worth


@jit
def hand_worth(hand: int, unseen: int) -> int:
    """Tricks that a hand should take while `unseen` lie in the other hands."""
    worth = 0
    for suit in range(4):
        worth += suit_worth(hand, unseen, suit)
    return worth


@jit
def unseen_after_lead(view: Any, card: int) -> int:
    """Cards that should still be unseen once a lead of `card` has gone round."""
    unseen = view.unseen
    suit = suit_of(card)
    falls = min(FOLLOWERS[count_cards(unseen & suit_cards(suit))], holders(view, suit))
    taker = overtaker(unseen, suit, card)
    if taker != card:
        unseen &= ~(ONE << taker)
        falls -= 1
    out = unseen & suit_cards(suit)
    for _ in range(falls):
        out &= out - 1
    return unseen & ~suit_cards(suit) | out
