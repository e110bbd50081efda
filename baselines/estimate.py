"""What thirteen cards are worth before the play: the numbers behind the bots' bids.

The tables are least-squares fits over deals that Hard plays against itself, made by
`python -m baselines.tuning`. Worths of tricks are in hundredths of a trick, worths of a
nil in points.
"""

from __future__ import annotations

import numpy as np

from spades_env.cards import ACE, JACK, SPADES, SUIT, count_cards
from spades_env.jit import jit

# A side suit's ace, king, queen and jack by the length of the suit (0 to 6 and more):
# the longer the suit, the sooner somebody ruffs it; a short one leaves a king bare.
SIDE_HONOURS = np.array(
    [
        [0, 92, 101, 100, 92, 86, 78],
        [0, 28, 79, 78, 66, 54, 39],
        [0, 13, 31, 48, 34, 24, 14],
        [0, 10, 17, 24, 19, 13, 7],
    ]
)
# The four honours in spades by the number of spades (0 to 5 and more).
SPADE_HONOURS = np.array(
    [
        [0, 93, 113, 132, 143, 135],
        [0, 65, 88, 105, 118, 113],
        [0, 43, 64, 81, 96, 92],
        [0, 25, 46, 61, 74, 69],
    ]
)
# Every spade beyond the fourth takes tricks by its length; up to three others, the
# small ones, by ruffing (0 to 3): more so beside a void, a singleton or a doubleton.
LONG_SPADE = 70
SMALL_SPADES = np.array([-2, 5, 23, 62])
SHORT_SUIT = np.array([[40, 89, 107, 116], [30, 63, 73, 73], [14, 25, 29, 28]])

# Points that a nil gains over the natural bid, by the rank of the lowest, second, third
# and fourth lowest card of each suit: low ones duck, and guard the high ones above.
NIL_SIDE = np.array(
    [
        [23, 23, 22, 18, 9, 1, -8, -15, -26, -37, -50, -80, -166],
        [0, 11, 12, 12, 10, 7, 3, -7, -17, -32, -46, -82, -138],
        [0, 0, 4, 2, -1, 1, -2, -4, -6, -12, -23, -44, -70],
        [0, 0, 0, 16, 4, 11, 5, 3, 0, -4, -9, -16, -25],
    ]
)
NIL_SPADES = np.array(
    [
        [4, 4, 0, -3, -5, -13, -17, -29, -40, -56, -87, -148, -200],
        [0, -9, -6, -5, -9, -13, -18, -23, -34, -46, -73, -116, -200],
        [0, 0, 2, -17, -20, -15, -15, -18, -24, -29, -48, -90, -200],
        [0, 0, 0, -52, -125, -119, -110, -119, -115, -112, -121, -125, -200],
    ]
)


@jit
def has(holding: int, rank: int) -> int:
    """Whether a suit's thirteen bits hold a rank, 1 or 0."""
    return (holding >> rank) & 1


@jit
def expected_tricks(hand: int) -> int:
    """Hundredths of a trick that thirteen cards should take."""
    spades = hand >> 13 * SPADES
    length = count_cards(spades)
    small = count_cards(spades & ((1 << JACK) - 1))
    extra = min(max(length - 4, 0), small)
    small = min(small - extra, 3)
    worth = LONG_SPADE * extra + SMALL_SPADES[small]
    for honour in range(4):
        worth += SPADE_HONOURS[honour, min(length, 5)] * has(spades, ACE - honour)
    for suit in range(SPADES):
        holding = (hand >> 13 * suit) & SUIT
        length = count_cards(holding)
        if length <= 2:
            worth += SHORT_SUIT[length, small]
        for honour in range(4):
            worth += SIDE_HONOURS[honour, min(length, 6)] * has(holding, ACE - honour)
    return worth


@jit
def nil_gain(hand: int) -> int:
    """Points that a nil should gain over the natural bid; below zero it loses."""
    points = 0
    for suit in range(4):
        holding = (hand >> 13 * suit) & SUIT
        for place in range(4):
            if not holding:
                break
            low = holding & -holding
            holding ^= low
            rank = count_cards(low - 1)
            points += (
                NIL_SPADES[place, rank] if suit == SPADES else NIL_SIDE[place, rank]
            )
        if suit == SPADES and has(hand, 13 * SPADES + ACE):
            points += NIL_SPADES[0, ACE]
    return points
