"""Easy against rule A2, written again in plain Python."""

from __future__ import annotations

import random

import numpy as np
from bot_positions import random_views

from baselines import easy
from spades_env import BIDDING, VIEW

RANKS = "23456789TJQKA"


def cards(text: str) -> set[int]:
    return {"CDHS".index(c[1]) * 13 + RANKS.index(c[0]) for c in text.split()}


def as_set(bits: int) -> set[int]:
    return {card for card in range(52) if int(bits) >> card & 1}


def view_with(hand: set[int], legal: set[int]) -> np.record:
    views = np.zeros(1, VIEW)
    views[0]["hand"] = sum(1 << card for card in hand)
    views[0]["legal"] = sum(1 << card for card in legal)
    return views[0]


def a2_bid(hand: set[int]) -> int:
    return sum(RANKS[card % 13] in "AK" for card in hand)


def a2_play(legal: set[int]) -> int:
    """Lowest by rank; a side suit before spades, and then in the fixed suit order."""
    lowest = min(card % 13 for card in legal)
    tied = [card for card in legal if card % 13 == lowest]
    return min(tied, key=lambda card: (card // 13 == 3, card // 13))


def test_bids_its_aces_and_kings() -> None:
    hand = cards("AS KS QS 2S AH KD QD JD TD 9C 8C 7C KC")
    assert easy.bid(view_with(hand, set())) == 5


def test_a_hand_without_aces_and_kings_is_a_nil() -> None:
    hand = cards("QS JS TS 9S QH JH TH QD JD TD QC JC TC")
    assert easy.bid(view_with(hand, set())) == 0


def test_plays_the_lowest_rank_and_side_suits_before_spades() -> None:
    for legal, expected in (
        ("AS 3H 2D", "2D"),
        ("2S 3H 2D", "2D"),
        ("2S 2H 2D 2C", "2C"),
        ("5S 6H", "5S"),
        ("KH AH", "KH"),
    ):
        hand = cards(legal)
        assert {int(easy.play(view_with(hand, hand)))} == cards(expected)


def test_random_decisions() -> None:
    rng = random.Random(2)
    views = random_views(200, seed=2)
    for i in rng.sample(range(len(views)), 3000):
        view = views[i]
        if view["phase"] == BIDDING:
            assert easy.bid(view) == a2_bid(as_set(view["hand"]))
        else:
            assert easy.play(view) == a2_play(as_set(view["legal"]))
