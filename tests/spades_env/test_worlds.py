"""Worlds: they agree with the View, all of them can come, and equally often."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from math import factorial

import numpy as np
import pytest
from bot_positions import random_positions, random_views

from spades_env import GAME, STANDARD, VIEW, count_worlds, sample_worlds
from spades_env.cards import cards_of, count_cards
from spades_env.game import DECISIONS, NUM_SEATS
from spades_env.jit import jit
from spades_env.view import look
from spades_env.worlds import PLAN, deal_world, draw_number, open_world, prepare


@jit
def look_all(
    games: np.ndarray, rules: np.ndarray, seat: int, views: np.ndarray
) -> None:
    for i in range(len(games)):
        look(games[i], rules[0], seat, views[i])


@jit
def all_worlds(views: np.ndarray, games: np.ndarray, plans: np.ndarray) -> None:
    """World 0, 1, 2, ... of `views[0]`."""
    prepare(views[0], plans[0])
    for number in range(len(games)):
        open_world(views[0], games[number])
        deal_world(plans[0], number, games[number])


def seen_from(games: np.ndarray, seat: int) -> np.ndarray:
    views = np.zeros(len(games), VIEW)
    look_all(games, STANDARD.array, seat, views)
    return views


def brute_force(view: np.record) -> set[tuple[int, ...]]:
    """Every deal of the unseen cards that respects hand sizes and voids."""
    unseen = cards_of(view.unseen)
    sizes = [13 - count_cards(played) for played in view.played]
    allowed = [
        [s for s in (1, 2, 3) if not int(view.voids) >> (4 * s + card // 13) & 1]
        for card in unseen
    ]
    found = set()
    for owners in itertools.product(*allowed):
        if all(owners.count(seat) == sizes[seat] for seat in (1, 2, 3)):
            hands = [0, 0, 0]
            for card, owner in zip(unseen, owners, strict=True):
                hands[owner - 1] |= 1 << card
            found.add(tuple(hands))
    return found


def hands_of(games: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(int(hand) for hand in hands) for hands in games["hand"][:, 1:]]


def endings(deals: int, seed: int, cards: int) -> list[np.record]:
    """Views with at most so many unseen cards."""
    views = random_views(deals, seed)
    return [view for view in views if 0 < count_cards(view.unseen) <= cards]


def test_the_view_comes_back_from_every_world() -> None:
    views = random_views(60, seed=1)
    for k, view in enumerate(views):
        games = sample_worlds(view, 8, seed=k)
        assert seen_from(games, 0).tobytes() == view.tobytes() * 8


def test_so_does_that_of_a_seat_that_is_not_to_act() -> None:
    games, _ = random_positions(10, seed=2)
    for seat in range(NUM_SEATS):
        for view in seen_from(games, seat):
            worlds = sample_worlds(view, 2, seed=3)
            assert seen_from(worlds, 0).tobytes() == view.tobytes() * 2


def test_every_card_is_in_one_place() -> None:
    for view in random_views(10, seed=4):
        for game in sample_worlds(view, 4, seed=5):
            places = [*game.hand, *game.played]
            assert sum(count_cards(cards) for cards in places) == 52
            assert np.bitwise_or.reduce(places) == (1 << 52) - 1


def test_the_numbers_are_all_worlds_that_there_are() -> None:
    views = endings(deals=20, seed=6, cards=8)
    assert len(views) >= 200
    for view in views[::2]:
        expected = brute_force(view)
        assert count_worlds(view) == len(expected)
        games = np.zeros(len(expected), GAME)
        all_worlds(np.array([view], VIEW), games, np.zeros(1, PLAN))
        assert set(hands_of(games)) == expected


def test_no_card_played_leaves_every_deal_open() -> None:
    view = random_views(1, seed=7)[0]
    assert count_worlds(view) == factorial(39) // factorial(13) ** 3


def test_large_counts_agree_with_a_count_card_by_card() -> None:
    """The number of worlds by another way: one unseen card after the other."""
    for view in random_views(20, seed=8)[::7]:
        sizes = tuple(13 - count_cards(played) for played in view.played[1:])
        open_deals = {sizes: 1}
        for card in cards_of(view.unseen):
            later: dict[tuple[int, ...], int] = {}
            for rooms, ways in open_deals.items():
                for k in range(3):
                    void = int(view.voids) >> (4 * (k + 1) + card // 13) & 1
                    if rooms[k] and not void:
                        left = (*rooms[:k], rooms[k] - 1, *rooms[k + 1 :])
                        later[left] = later.get(left, 0) + ways
            open_deals = later
        assert count_worlds(view) == open_deals[0, 0, 0]


def test_worlds_come_equally_often() -> None:
    """Chi-square of 40 endings with 4 to 200 worlds, 100 samples a world."""
    tried = 0
    for k, view in enumerate(endings(deals=40, seed=9, cards=8)):
        total = count_worlds(view)
        if tried == 40 or not 4 <= total <= 200:
            continue
        tried += 1
        found = hands_of(sample_worlds(view, 100 * total, seed=k))
        _, counts = np.unique(np.array(found), axis=0, return_counts=True)
        assert len(counts) == total
        chi_square = ((counts - 100.0) ** 2 / 100.0).sum()
        freedom = total - 1
        assert abs(chi_square - freedom) < 4.5 * (2 * freedom) ** 0.5 + 5
    assert tried == 40


def test_hidden_cards_lie_with_each_seat_by_its_room() -> None:
    """Before the play each of 39 cards is with each seat a third of the time."""
    view = random_views(1, seed=10)[0]
    games = sample_worlds(view, 30_000, seed=11)
    for card in cards_of(view.unseen):
        shares = (games["hand"][:, 1:] >> card & 1).mean(axis=0)
        assert abs(shares - 1 / 3).max() < 5 * (2 / 9 / 30_000) ** 0.5


def test_equal_seeds_give_equal_worlds() -> None:
    view = random_views(1, seed=12)[9]
    games = sample_worlds(view, 50, seed=13)
    assert sample_worlds(view, 100, seed=13)[:50].tobytes() == games.tobytes()
    assert sample_worlds(view, 50, seed=14).tobytes() != games.tobytes()
    assert len(np.unique(games["seed"])) == 50  # later deals differ too
    text = hashlib.sha256(games.tobytes()).hexdigest()[:16]
    assert text == "e98bcfcbdffefb84"  # on any machine


def test_impossible_requests_are_refused() -> None:
    view = random_views(1, seed=15)[8]
    for n, seed in ((-1, 0), (1, -1), (1, 1 << 64)):
        with pytest.raises(ValueError, match="not"):
            sample_worlds(view, n, seed)
    assert len(sample_worlds(view, 0, 0)) == 0
    wrong = view.copy()
    wrong["voids"] = 0xFFF0
    with pytest.raises(ValueError, match="no deal agrees"):
        sample_worlds(wrong, 1, 0)
    wrong = view.copy()
    wrong["unseen"] &= wrong["unseen"] - 1
    with pytest.raises(ValueError, match="no deal agrees"):
        sample_worlds(wrong, 1, 0)
    view["step"] = DECISIONS
    with pytest.raises(ValueError, match="over"):
        sample_worlds(view, 1, 0)


PLAIN = """
import hashlib
from bot_positions import random_views
from spades_env import sample_worlds
digest = hashlib.sha256()
for view in random_views(1, seed=16)[::6]:
    digest.update(sample_worlds(view, 3, seed=17).tobytes())
print(digest.hexdigest())
"""


def test_plain_python_deals_the_same() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-c", PLAIN],
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": disabled,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert answers[0] == answers[1]


def test_numbers_are_drawn_below_the_total() -> None:
    plan = np.zeros(1, PLAN)[0]
    for total in (1, 2, 3, 4, 5, 1 << 40, factorial(39) // factorial(13) ** 3):
        plan.total = total
        numbers = [draw_number(plan, np.uint64(key)) for key in range(200)]
        assert min(numbers) >= 0
        assert max(numbers) < total
        if total <= 5:
            assert set(numbers) == set(range(total))
        else:
            assert max(numbers) > total * 0.9
