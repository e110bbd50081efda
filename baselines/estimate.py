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
        [0, 92, 98, 97, 86, 82, 72],
        [0, 34, 75, 75, 59, 50, 37],
        [0, 20, 36, 51, 34, 25, 18],
        [0, 0, 20, 29, 20, 13, 7],
    ]
)
# The four honours in spades by the number of spades (0 to 5 and more).
SPADE_HONOURS = np.array(
    [
        [0, 89, 116, 132, 143, 138],
        [0, 66, 86, 105, 118, 117],
        [0, 48, 66, 81, 96, 96],
        [0, 41, 48, 59, 70, 71],
    ]
)
# Every spade beyond the fourth takes tricks by its length; up to three others, the
# small ones, by ruffing (0 to 3): more so beside a void, a singleton or a doubleton.
LONG_SPADE = 57
SMALL_SPADES = np.array([3, 15, 35, 67])
SHORT_SUIT = np.array([[36, 86, 112, 123], [28, 63, 76, 79], [17, 30, 33, 34]])

# Points that a nil gains over the natural bid, by the rank of the lowest, second, third
# and fourth lowest card of each suit: low ones duck, and guard the high ones above.
NIL_SIDE = np.array(
    [
        [23, 23, 22, 19, 16, 10, 2, -5, -8, -16, -35, -67, -126],
        [0, 11, 11, 11, 10, 8, 5, 0, -7, -17, -32, -56, -98],
        [0, 0, 5, 5, 5, 5, 4, 1, -2, -6, -15, -29, -47],
        [0, 0, 0, 10, 7, 5, 3, 0, -2, -4, -8, -14, -21],
    ]
)
NIL_SPADES = np.array(
    [
        [14, 13, 12, 11, 6, -1, -7, -12, -23, -30, -56, -90, -200],
        [0, 4, 4, 4, 2, -5, -8, -11, -20, -32, -48, -77, -200],
        [0, 0, -8, -10, -12, -13, -14, -18, -22, -29, -45, -70, -200],
        [0, 0, 0, -33, -34, -35, -36, -41, -47, -60, -86, -99, -200],
    ]
)
NIL_BASE = -49


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
    points = NIL_BASE
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
