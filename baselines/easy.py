"""Easy (A2): bids its aces and kings, plays its lowest card. Frozen."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env.cards import ACE, KING, count_cards, lowest_card
from spades_env.jit import jit

TWOS = np.int64(1 | 1 << 13 | 1 << 26 | 1 << 39)  # shift by the rank for another rank


@jit
def bid(view: Any) -> int:
    """Number of aces and kings; none is a nil (R5)."""
    return count_cards(view.hand & (TWOS << ACE | TWOS << KING))


@jit
def play(view: Any) -> int:
    """Lowest legal card by rank; of equal ranks clubs, diamonds, hearts, spades."""
    rank = 0
    while not view.legal & (TWOS << rank):
        rank += 1
    return lowest_card(view.legal & (TWOS << rank))
