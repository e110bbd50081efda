"""The arena: pairs, intervals, independence from workers and batches, bad players."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import baselines
from baselines import Bot, arena
from spades_env.cards import card_set
from spades_env.game import BID, NUM_SEATS


def play(a, b, **options):
    return arena.play(
        baselines.make(a), baselines.make(b), **{"pairs": 200, "seed": 3, **options}
    )


def test_a_player_against_itself_scores_exactly_zero_in_every_pair():
    result = play("easy", "easy")
    assert result.points_per_deal == 0
    assert result.ci95 == (0, 0)
    assert result.behaviour_a == result.behaviour_b


def test_swapping_the_players_swaps_the_result():
    forth, back = play("normal", "easy"), play("easy", "normal")
    assert forth.points_per_deal == -back.points_per_deal
    assert forth.behaviour_a == back.behaviour_b
    assert forth.table_bids == back.table_bids


@pytest.mark.parametrize("options", [{"workers": 2}, {"chunk": 7}, {"chunk": 1}])
def test_result_depends_on_neither_workers_nor_chunks(options):
    for a, b in (("random", "normal"), ("hard", "easy")):
        plain = play(a, b, pairs=50, workers=1, chunk=1024)
        assert play(a, b, pairs=50, **options) == plain


def test_the_seed_decides():
    assert play("normal", "easy", seed=3) == play("normal", "easy", seed=3)
    assert play("normal", "easy", seed=3) != play("normal", "easy", seed=4)


def test_more_pairs_begin_with_the_same_pairs():
    few = arena._play_pairs(*players("hard", "easy"), 5, 0, 10, arena.STANDARD)
    more = arena._play_pairs(*players("hard", "easy"), 5, 0, 20, arena.STANDARD)
    late = arena._play_pairs(*players("hard", "easy"), 5, 10, 10, arena.STANDARD)
    assert np.array_equal(more, np.concatenate([few, late]))


def players(a, b):
    return baselines.make(a), baselines.make(b)


def test_mean_and_interval_follow_from_the_pairs():
    seed, pairs = 11, 300
    rows = arena._play_pairs(*players("normal", "easy"), seed, 0, pairs, arena.STANDARD)
    differences = []
    for first, second in rows["value"].tolist():
        differences.append((first[0] - first[1] + second[0] - second[1]) / 2)
    mean = sum(differences) / pairs
    variance = sum((d - mean) ** 2 for d in differences) / (pairs - 1)
    half = 1.959964 * math.sqrt(variance / pairs)
    result = play("normal", "easy", pairs=pairs, seed=seed)
    assert result.points_per_deal == pytest.approx(mean)
    assert result.ci95 == pytest.approx((mean - half, mean + half))
    wider = (mean - half * 2.575829 / 1.959964, mean + half * 2.575829 / 1.959964)
    assert result.ci99 == pytest.approx(wider)


class Recorder(Bot):
    """Plays the lowest legal action and keeps the Views that it was asked about."""

    name = "recorder"

    def __init__(self):
        self.views = []

    def act_batch(self, views, keys, actions):
        self.views.append(views.copy())
        for i, view in enumerate(views):
            bidding = view["phase"] == 0
            actions[i] = BID + 3 if bidding else int(view["legal"]).bit_length() - 1


def test_both_tables_of_a_pair_have_the_same_deal_with_the_teams_swapped():
    a, b = Recorder(), Recorder()
    arena.play(a, b, pairs=3, seed=1, workers=1)
    # Each player bids once in every seat of every deal: A at table 0 in seats 0 and 2,
    # at table 1 in seats 1 and 3; the hands that both saw together are the same cards.
    for player in (a, b):
        bids = np.concatenate([v for v in player.views if v[0]["phase"] == 0])
        assert len(bids) == 3 * NUM_SEATS
    hands = [
        {int(v["hand"]) for v in np.concatenate(p.views) if v["phase"] == 0}
        for p in (a, b)
    ]
    assert hands[0] == hands[1]
    assert len(hands[0]) == 12


class Cheat(Bot):
    """Plays the ace of spades, held or not."""

    name = "cheat"

    def act_batch(self, views, keys, actions):
        for i, view in enumerate(views):
            actions[i] = BID + 1 if view["phase"] == 0 else 51


def test_an_illegal_action_ends_the_match_and_shows_the_deal():
    with pytest.raises(ValueError, match=r"cheat chose the illegal action 51.* hands="):
        arena.play(Cheat(), baselines.make("easy"), pairs=10, seed=0)


@pytest.mark.parametrize("pairs", [-1, 0, 1])
def test_too_few_pairs_are_refused(pairs):
    with pytest.raises(ValueError, match="pairs must be at least 2"):
        play("easy", "easy", pairs=pairs)


def test_json_has_the_documented_keys_and_no_nan():
    data = json.loads(json.dumps(play("easy", "random").to_json(), allow_nan=False))
    assert {"a", "b", "pairs", "points_per_deal", "ci95", "ci99", "seed"} <= set(data)
    assert data["a"] == "easy"
    assert data["pairs"] == 200


def test_random_draws_differ_between_decisions_and_tables():
    recorder = Recorder()
    keys = []

    class Keyed(Recorder):
        def act_batch(self, views, some_keys, actions):
            keys.extend(some_keys.tolist())
            super().act_batch(views, some_keys, actions)

    arena.play(Keyed(), recorder, pairs=40, seed=9, workers=1)
    assert len(keys) == len(set(keys)) == 40 * 56


def test_unknown_players_are_named():
    with pytest.raises(ValueError, match=r"no player 'expert'.*easy, normal, hard"):
        baselines.make("expert")


def test_the_table_has_no_card_twice():
    recorder = Recorder()
    arena.play(recorder, recorder, pairs=2, seed=1, workers=1)
    for views in recorder.views:
        for view in views:
            seen = [int(view["hand"]), int(view["unseen"]), *map(int, view["played"])]
            assert sum(c.bit_count() for c in seen) == 52
            assert sum(seen) == card_set(range(52))


@pytest.mark.parametrize(("better", "worse"), [("normal", "easy"), ("hard", "normal")])
def test_the_levels_are_in_order(better, worse):
    result = play(better, worse, pairs=20_000, seed=2026)
    assert result.ci99[0] > 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", -1), ("seed", 2**64), ("workers", 0), ("chunk", 0)],
)
def test_numbers_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=rf"{name} must be .*, not {value}"):
        play("easy", "easy", **{name: value})


def test_the_largest_seed_plays():
    assert play("easy", "random", pairs=2, seed=2**64 - 1).pairs == 2


def test_plain_python_gives_the_same_result():
    code = (
        "import baselines; from baselines import arena; print(arena.play("
        "baselines.make('random'), baselines.make('easy'), pairs=2, seed=1, workers=1))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert outputs[0] == outputs[1]
