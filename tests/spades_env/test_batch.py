"""GameBatch: many games in step."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from replay import observation_of, view_of

from spades_env import (
    GAME,
    GAME_OVER,
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    STANDARD,
    VIEW,
    GameBatch,
    Rules,
)
from spades_env.chance import derive
from spades_env.game import phase_of, start_game

TESTS = Path(__file__).resolve().parents[1]


def buffers(n):
    """Observations and masks, filled with what must be overwritten."""
    observations = np.full((n, OBSERVATION_SIZE), 99, np.int8)
    return observations, np.full((n, NUM_ACTIONS), 99, np.int8)


def play_deal(batch, rng):
    """Play one deal at random; the masks choose."""
    observations, masks = buffers(len(batch))
    for _ in range(56):
        batch.observe(observations, masks)
        batch.step(np.argmax(masks * rng.random(masks.shape), axis=1))


def test_start():
    """Game i is the game of seed derive(seed, i)."""
    batch = GameBatch(5, seed=3)
    assert len(batch) == 5
    assert batch.step_in_deal == 0
    assert batch.rules is STANDARD
    expected = np.zeros(5, GAME)
    for i in range(5):
        start_game(expected[i], np.uint64(derive(np.uint64(3), i)))
    assert batch.games.tobytes() == expected.tobytes()
    play_deal(batch, np.random.default_rng(0))
    assert batch.step_in_deal == 56
    batch.start(3)
    assert batch.games.tobytes() == expected.tobytes()
    batch.start(2**64 - 1)
    assert batch.games.tobytes() != expected.tobytes()


def test_observe_is_what_one_game_shows():
    """Each row is the observation and the mask of the seat to act."""
    rng = np.random.default_rng(1)
    batch = GameBatch(7, seed=1, rules=Rules(floor=None))
    observations, masks = buffers(7)
    for _ in range(56):
        batch.observe(observations, masks)
        for i in range(7):
            game = batch.games[i : i + 1]
            expected = observation_of(game, batch.rules, int(game[0].turn))
            assert observations[i].tolist() == expected[0].tolist()
            assert masks[i].tolist() == expected[1].tolist()
            view = view_of(game, batch.rules, int(game[0].turn))
            assert batch.views()[i] == view[0]
        batch.step(np.argmax(masks * rng.random(masks.shape), axis=1))


def test_games_go_on_and_begin_anew():
    """R3, R19: scores carry; a finished game begins at 0 to 0 with the next deal."""
    batch = GameBatch(60, seed=2)
    rng = np.random.default_rng(2)
    ended = 0
    for number in range(8):
        before = batch.games.copy()
        over = np.array([phase_of(game) == GAME_OVER for game in before])
        if number:
            ended += over.sum()
            batch.next_deal()
            assert (batch.games["dealer"] == (before["dealer"] + 1) % 4).all()
            assert (batch.games["deal"] == before["deal"] + 1).all()
            for name in ("score", "bags"):
                assert (batch.games[name][~over] == before[name][~over]).all()
                assert (batch.games[name][over] == 0).all()
            assert (batch.games["winner"] == -1).all()
            assert (batch.games["step"] == 0).all()
        play_deal(batch, rng)
    assert ended > 10


def test_next_deal_errors():
    """The error tells how many games stand in the way."""
    batch = GameBatch(4, seed=5)
    with pytest.raises(ValueError, match="4 of 4 deals are not over"):
        batch.next_deal()
    play_deal(batch, np.random.default_rng(0))
    batch.games["winner"][:2] = 1
    with pytest.raises(ValueError, match="2 of 4 games are over"):
        batch.next_deal(restart=False)
    batch.next_deal()


def test_illegal_action_changes_nothing():
    """The error names the action, and the game where the action exists."""
    batch = GameBatch(3)
    before = batch.games.tobytes()
    for wrong, message in {
        0: r"game 2: .*2C",
        51: r"game 2: .*AS",
        -1: r"0 to 65.*-1",
        66: r"0 to 65.*66",
        1000: r"0 to 65.*1000",
    }.items():
        with pytest.raises(ValueError, match=message):
            batch.step(np.array([55, 55, wrong]))
        assert batch.games.tobytes() == before
    for _ in range(4):
        batch.step(np.full(3, 55))
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match=r"game 0: .*55"):
        batch.step(np.full(3, 55))
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_action_dtypes(dtype):
    """Actions may be integers of any width."""
    batch = GameBatch(2, seed=1)
    rng = np.random.default_rng(0)
    _, masks = buffers(2)
    observations, _ = buffers(2)
    for _ in range(56):
        batch.observe(observations, masks)
        actions = np.argmax(masks * rng.random(masks.shape), axis=1)
        batch.step(actions.astype(dtype))
    assert batch.step_in_deal == 56


@pytest.mark.parametrize(
    "actions", [[55.0, 55.0], [55], [[55, 55]], np.full(2, True), 55]
)
def test_actions_of_another_form(actions):
    """The error says what was given and what is expected."""
    with pytest.raises(ValueError, match=r"integers of shape \(2,\)"):
        GameBatch(2).step(actions)


def test_buffers_of_another_form():
    """The error names the buffer, its form and the right one."""
    batch = GameBatch(2)
    observations, masks = buffers(2)
    read_only = masks.copy()
    read_only.flags.writeable = False
    for wrong in (
        observations[:1],
        observations.astype(np.float32),
        np.asfortranarray(observations),
    ):
        with pytest.raises(ValueError, match="observations must be"):
            batch.observe(wrong, masks)
    for wrong in (masks[:, :65], masks.astype(bool), read_only):
        with pytest.raises(ValueError, match="masks must be"):
            batch.observe(observations, wrong)


def test_observe_after_the_deal():
    """When the deals are over nobody is to act, so there is nothing to observe."""
    batch = GameBatch(2)
    play_deal(batch, np.random.default_rng(0))
    with pytest.raises(ValueError, match="2 of 2 deals are over"):
        batch.observe(*buffers(2))
    with pytest.raises(ValueError, match="2 of 2 deals are over"):
        batch.views()
    with pytest.raises(ValueError, match=r"game 0: .*over"):
        batch.step(np.array([0, 0]))


@pytest.mark.parametrize("num_games", [0, -1])
def test_no_games(num_games):
    """At least one game."""
    with pytest.raises(ValueError, match=f"num_games must be at least 1.*{num_games}"):
        GameBatch(num_games)


@pytest.mark.parametrize("threads", [0, 1000])
def test_bad_threads(threads):
    """Between one thread and the cores of the machine."""
    with pytest.raises(ValueError, match=f"threads must be in 1 to .*{threads}"):
        GameBatch(2, threads=threads)


THREADED = """
import hashlib, sys
import numpy as np
from spades_env import NUM_ACTIONS, OBSERVATION_SIZE, GameBatch
digests = set()
for threads in (1, 2, 3):
    batch = GameBatch(101, seed=4, threads=threads)
    total = hashlib.sha256()
    rng = np.random.default_rng(0)
    observations = np.zeros((101, OBSERVATION_SIZE), np.int8)
    masks = np.zeros((101, NUM_ACTIONS), np.int8)
    for _ in range(2):
        for _ in range(56):
            batch.observe(observations, masks)
            total.update(observations.tobytes() + masks.tobytes())
            actions = np.argmax(masks * rng.random(masks.shape), axis=1)
            for place in (0, 100):
                before = batch.games.tobytes()
                try:
                    batch.step(np.where(np.arange(101) == place, 66, actions))
                except ValueError as error:
                    total.update(str(error).encode())
                assert batch.games.tobytes() == before
            batch.step(actions)
            total.update(batch.games.tobytes())
        try:
            batch.observe(observations, masks)
        except ValueError as error:
            total.update(str(error).encode())
        else:
            raise AssertionError("observed a finished deal")
        batch.next_deal()
    digests.add(total.hexdigest())
print(len(digests))
"""


def test_threads_do_not_change_results():
    """One, two and three threads give the same bytes.

    In a process of its own: a process that has run threads must not be forked later,
    and other tests fork.
    """
    result = subprocess.run(
        [sys.executable, "-c", THREADED],
        env={**os.environ, "NUMBA_NUM_THREADS": "3"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
    )
    assert result.stdout == "1\n", result.stderr


def test_records_are_the_callers():
    """Games can be overwritten between steps, and the batch plays on from there."""
    batch, other = GameBatch(4, seed=1), GameBatch(4, seed=2)
    rng = random.Random(0)
    batch.step(np.array([52 + rng.randrange(14) for _ in range(4)]))
    batch.games[:] = other.games
    for _ in range(4):
        batch.step(np.full(4, 56))
        other.step(np.full(4, 56))
    assert batch.games.tobytes() == other.games.tobytes()


@pytest.mark.parametrize(
    "out", [np.zeros(1, VIEW), np.zeros(4, np.int8), [1, 2], np.zeros(8, VIEW)[::2]]
)
def test_views_into_a_wrong_array_are_refused(out):
    with pytest.raises(ValueError, match="out must be a writeable"):
        GameBatch(4).views(out)


@pytest.mark.parametrize("rules", [None, {}])
def test_rules_must_be_rules(rules):
    with pytest.raises(TypeError, match="rules must be"):
        GameBatch(4, rules=rules)
