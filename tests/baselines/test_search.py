"""Search and oracle: legal, honest, the same everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from bot_positions import random_views

import baselines
from baselines import arena
from baselines.oracle import Oracle
from baselines.playout import win_chance
from baselines.rule_bots import HARD
from baselines.search import SearchBot, equal_lower
from spades_env import BID, GAME, NUM_ACTIONS, PLAY, STANDARD, VIEW, Rules, parse_deal
from spades_env.cards import card_set, parse_card
from spades_env.view import look

SEARCH = SearchBot(8)


def act(bot: baselines.Bot, views: np.ndarray) -> np.ndarray:
    actions = np.zeros(len(views), np.int64)
    bot.act_batch(views, np.arange(len(views), dtype=np.uint64), actions)
    return actions


def is_legal(view: np.record, action: int) -> bool:
    if view.phase == PLAY:
        return 0 <= action < BID and int(view.legal) >> action & 1 == 1
    return BID <= action < NUM_ACTIONS


def view_of(text: str) -> np.record:
    """What the seat to act of a deal in notation sees."""
    games, rules = parse_deal(text)
    views = np.zeros(1, VIEW)
    look(games[0], rules.array[0], int(games[0].turn), views[0])
    return views[0]


# Legal, and the same everywhere


@pytest.mark.parametrize("rules", [STANDARD, Rules(target=60, floor=None)])
def test_always_legal(rules: Rules) -> None:
    views = random_views(20, seed=1, rules=rules)
    for view, action in zip(views, act(SEARCH, views), strict=True):
        assert is_legal(view, int(action))


def test_batches_and_single_views_agree() -> None:
    views = random_views(3, seed=2)
    actions = act(SEARCH, views)
    keys = np.arange(len(views), dtype=np.uint64)
    part = np.zeros(50, np.int64)
    SEARCH.act_batch(views[70:120], keys[70:120], part)
    assert (part == actions[70:120]).all()
    for i in range(0, len(views), 7):
        assert SEARCH.act(views[i], int(keys[i])) == actions[i]
        assert SEARCH.analyse(views[i], int(keys[i])).action == actions[i]


def test_arena_result_depends_on_neither_workers_nor_chunk() -> None:
    hard = baselines.make("hard")
    one = arena.play(SEARCH, hard, pairs=12, seed=3, workers=1, chunk=12)
    two = arena.play(SEARCH, hard, pairs=12, seed=3, workers=2, chunk=5)
    assert one == two


PLAIN = """
import hashlib
from bot_positions import random_views
from test_search import SearchBot, act
views = random_views(1, seed=4)[::14]
print(hashlib.sha256(act(SearchBot(2), views).tobytes()).hexdigest())
"""


def test_plain_python_decides_the_same() -> None:
    answers = [
        subprocess.run(
            [sys.executable, "-c", PLAIN],
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": disabled,
                "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path]),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert answers[0] == answers[1]
    assert len(answers[0].strip()) == len(hashlib.sha256().hexdigest())


# Values


def test_every_legal_action_has_a_value() -> None:
    views = random_views(4, seed=5)
    for view in views:
        result = SEARCH.analyse(view, key=6)
        expected = [a for a in range(NUM_ACTIONS) if is_legal(view, a)]
        assert result.actions.tolist() == expected
        assert np.isfinite(result.values).all()
        assert (result.errors >= 0).all()
        assert result.action in expected
        if result.unit == "win":
            assert (result.values >= -1e-9).all()
            assert (result.values <= 1 + 1e-9).all()


def test_values_to_learn_from_are_those_of_the_analysis() -> None:
    views = random_views(1, seed=7)
    values, errors = SEARCH.value_batch(views, np.zeros(len(views), np.uint64))
    for view, row, error in zip(views, values, errors, strict=True):
        result = SEARCH.analyse(view)
        assert np.flatnonzero(~np.isnan(row)).tolist() == result.actions.tolist()
        assert (row[result.actions] == result.values).all()
        assert (error[result.actions] == result.errors).all()


def test_error_says_how_far_values_stray() -> None:
    """Of the same decision with many keys: the values' spread is their mean error."""
    view = random_views(1, seed=8, bot=HARD)[8]
    results = [SearchBot(32).analyse(view, key) for key in range(200)]
    best = max(range(len(results[0].values)), key=lambda a: results[0].values[a])
    spread = np.std([result.values[best] for result in results])
    error = np.mean([result.errors[best] for result in results])
    assert 0.75 < spread / error < 1.33


def test_equal_cards_are_worth_the_same() -> None:
    found = 0
    for view in random_views(4, seed=9):
        if view.phase == PLAY:
            result = SEARCH.analyse(view)
            values = dict(zip(result.actions.tolist(), result.values, strict=True))
            for card, value in values.items():
                lower = equal_lower(view, card)
                if lower >= 0:
                    found += 1
                    assert value == values[lower]
    assert found > 20


def test_equal_cards_by_thinking() -> None:
    view = np.zeros(1, VIEW)[0]
    view.hand = card_set(map(parse_card, ("5C", "7C", "9C", "JC", "2D")))
    view.unseen = card_set([parse_card("6C")])
    view.table = card_set([parse_card("TC")])
    assert equal_lower(view, parse_card("7C")) == -1  # the 6 is out
    assert equal_lower(view, parse_card("9C")) == parse_card("7C")  # the 8 is gone
    assert equal_lower(view, parse_card("JC")) == -1  # the ten may win this trick
    assert equal_lower(view, parse_card("2D")) == -1  # another suit


def test_what_is_certain_has_its_value() -> None:
    """All thirteen spades take all tricks, in every world and with every card."""
    text = (
        "seed=0 deal=0 dealer=3 score=0:0 bags=0:0"
        " hands=AKQJT98765432.-.-.- -.AKQJT98765432.-.-"
        " -.-.AKQJT98765432.- -.-.-.AKQJT98765432 bids=0:13-nil-nil-nil"
    )
    result = SEARCH.analyse(view_of(text))
    assert result.worlds == 8
    # R12, R14: a contract of 13 and a nil, against two nils.
    assert result.values == pytest.approx(130 + 100 - 200)
    assert (result.errors == 0).all()


def test_chance_to_win() -> None:
    game = np.zeros(1, GAME)[0]
    rules = STANDARD.array[0]
    game.winner = 1
    assert win_chance(game, rules, 0) == 0
    assert win_chance(game, rules, 1) == 1
    game.winner = -1
    assert win_chance(game, rules, 0) == 0.5
    game.bags[0] = 5  # half a penalty
    behind = win_chance(game, rules, 0)
    assert behind < 0.5
    game.score[0] = 50
    assert win_chance(game, rules, 0) == 0.5
    game.score[:] = 480, 400
    late = win_chance(game, rules, 0)
    game.score[:] = 180, 100
    assert late > win_chance(game, rules, 0) > 0.5
    assert win_chance(game, rules, 0) + win_chance(game, rules, 1) == pytest.approx(1)


# Names


def test_names_and_options() -> None:
    assert baselines.make("search").name == "search:worlds=128"
    assert baselines.make("search:worlds=32").name == "search:worlds=32"
    bot = baselines.make("search:inner=normal,worlds=16")
    assert baselines.make(bot.name).name == bot.name == "search:worlds=16,inner=normal"
    for wrong in ("search:", "search:worlds=x", "search:depth=3", "search:worlds=1"):
        with pytest.raises(ValueError, match="worlds"):
            baselines.make(wrong)
    with pytest.raises(ValueError, match="inner"):
        baselines.make("search:inner=random")


def test_oracle_is_refused_where_an_honest_player_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no honest player"):
        baselines.make("oracle")
    assert not isinstance(Oracle(), baselines.Bot)


def test_search_needs_its_viewer_to_act() -> None:
    view = random_views(1, seed=10)[5]
    view.turn = 1
    with pytest.raises(ValueError, match="not to act"):
        SEARCH.analyse(view)


def test_impossible_views_are_refused() -> None:
    view = random_views(1, seed=11)[8]
    view.voids = 0xFFF0
    with pytest.raises(ValueError, match="no deal agrees"):
        SEARCH.analyse(view)


def test_stronger_than_the_scripted_bots() -> None:
    result = arena.play(SEARCH, baselines.make("easy"), pairs=40, seed=13)
    assert result.ci99[0] > 0
    result = arena.play(Oracle(), baselines.make("hard"), pairs=20, seed=14)
    assert result.ci99[0] > 20
