"""Random: any legal action with equal chance."""

from __future__ import annotations

from typing import Any

from spades_env.cards import count_cards, lowest_card
from spades_env.chance import below, mix
from spades_env.game import NUM_BIDS
from spades_env.jit import jit


@jit
def bid(view: Any, key: int) -> int:
    """A bid 0..13 from the key (64 random bits)."""
    return below(mix(key), NUM_BIDS)


@jit
def play(view: Any, key: int) -> int:
    """A legal card from the key (64 random bits)."""
    cards = view.legal
    for _ in range(below(mix(key), count_cards(cards))):
        cards &= cards - 1
    return lowest_card(cards)
