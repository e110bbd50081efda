"""The vector environment: the same as Gymnasium's over single ones, in every mode."""

import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from baselines import Bot
from baselines.vector_env import SpadesVectorEnv
from spades_env import OBSERVATION_SIZE, Rules
from spades_env.game import BID

ROOT = Path(__file__).resolve().parents[2]
NUM_ENVS = 5
all_modes = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)


class Guest(Bot):
    """A player that the compiled loop does not know: its key chooses all it does."""

    name = "guest"

    def __init__(self):
        self.asked = []

    def act_batch(self, views, keys, actions):
        self.asked.append(len(views))
        for i, (view, key) in enumerate(zip(views, keys, strict=True)):
            cards = [card for card in range(52) if int(view["legal"]) >> card & 1]
            bids = [BID + bid for bid in (2, 3, 4)]
            choices = bids if view["phase"] == 0 else cards
            actions[i] = choices[int(key) % len(choices)]


SETTINGS = {
    "deal": {},
    "seat 3": {"seat": 3, "partner": "random", "opponents": ("easy", "normal")},
    "game": {"episode": "game", "rules": Rules(target=100, floor=-100)},
    "win": {"episode": "game", "reward": "win", "rules": Rules(target=100)},
    "cut": {"episode": "game", "max_deals": 2, "seat": 1},
    "guests": {"partner": Guest(), "opponents": (Guest(), "normal")},
}
all_settings = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


def make(num_envs=NUM_ENVS, **arguments):
    return gymnasium.make_vec(
        "Spades-v0",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        **arguments,
    )


def make_sync(mode, num_envs=NUM_ENVS, **arguments):
    return SyncVectorEnv(
        [lambda: gymnasium.make("Spades-v0", **arguments)] * num_envs,
        autoreset_mode=mode,
    )


def choose(rng, masks, illegal=0.0):
    """Actions by the masks, bids of 2 to 4; some are illegal."""
    bids = np.zeros(66)
    bids[BID + 2 : BID + 5] = 1
    weights = np.where(masks[:, BID, None], bids, masks) * rng.random(masks.shape)
    actions = weights.argmax(axis=1)
    wrong = rng.random(len(masks)) < illegal
    actions[wrong] = (1 - masks[wrong]).argmax(axis=1)
    return actions


def assert_same(ours, theirs):
    """Values, types and shapes are equal, at every depth."""
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for key in ours:
            assert_same(ours[key], theirs[key])
    elif isinstance(ours, tuple):
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if ours.dtype == object:
            for one, other in zip(ours, theirs, strict=True):
                assert_same(one, other)
        else:
            assert (ours == theirs).all()
    else:
        assert ours == theirs


def play(envs, mode, steps, illegal=0.0, seed=None):
    """Yield all that `reset` and `step` return; resets by mask where it is needed."""
    rng = np.random.default_rng(1)
    returned = envs.reset(seed=seed)
    yield returned
    for _ in range(steps):
        returned = envs.step(choose(rng, returned[-1]["action_mask"], illegal))
        yield returned
        ended = returned[2] | returned[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            before = returned[-1]["action_mask"]
            returned = envs.reset(options={"reset_mask": ended})
            yield returned
            returned[-1]["action_mask"][~ended] = before[~ended]


# The same as Gymnasium's vector environment over single ones.


@all_modes
@all_settings
def test_same_as_single_environments(settings, mode):
    ours = make(autoreset_mode=mode, **settings)
    theirs = make_sync(mode, **settings)
    assert_same(ours.metadata, theirs.metadata)
    for space in ("", "single_"):
        for kind in ("observation", "action"):
            name = f"{space}{kind}_space"
            assert getattr(ours, name) == getattr(theirs, name)
    told = False
    # (No seed goes on with the sequences of games.)
    for seed, illegal, steps in ((7, 0.0, 150), (None, 0.03, 70)):
        pairs = zip(
            play(ours, mode, steps, illegal, seed),
            play(theirs, mode, steps, illegal, seed),
            strict=True,
        )
        ended = np.zeros(NUM_ENVS, bool)
        for one, other in pairs:
            assert_same(one, other)
            if len(one) == 5:
                ended |= one[2] | one[3]
                final = one[-1].get("final_info", one[-1])
                told |= "illegal_action" in final
        assert ended.all()
    assert told
    assert_same(ours.np_random_seed, theirs.np_random_seed)
    states = [rng.bit_generator.state for rng in ours.np_random]
    assert states == [rng.bit_generator.state for rng in theirs.np_random]


@all_modes
def test_same_with_options_masks_and_lists_of_seeds(mode):
    ours = make(autoreset_mode=mode, episode="game")
    theirs = make_sync(mode, episode="game")
    start = {"dealer": 1, "scores": (100, -50), "bags": (9, 2)}
    start["hands"] = [list(range(13 * seat, 13 * seat + 13)) for seat in range(4)]
    some = np.array([True, False, True, False, False])
    rng = np.random.default_rng(0)
    for seed, options in (
        (40, None),
        ([3, None, 5, 3, 0], start),
        (None, {"scores": (10, 20)}),
        (50, {"reset_mask": some}),
        ([None, 1, 2, 3, 4], {"reset_mask": some, "dealer": 2}),
        (None, {"reset_mask": some}),
    ):
        # (Gymnasium's takes the mask out of the options that it is given.)
        returned = ours.reset(seed=seed, options=options)
        copied = None if options is None else dict(options)
        assert_same(returned, theirs.reset(seed=seed, options=copied))
        masks = returned[-1]["action_mask"]
        for _ in range(5):
            masks[masks.sum(axis=1) == 0] = ours.tables.masks[masks.sum(axis=1) == 0]
            actions = choose(rng, masks)
            returned = ours.step(actions)
            assert_same(returned, theirs.step(actions))
            masks = returned[-1]["action_mask"]


@all_modes
def test_statistics_are_those_of_gymnasium(mode):
    version = tuple(map(int, gymnasium.__version__.split(".")[:2]))
    if mode is AutoresetMode.SAME_STEP and version < (1, 4):
        pytest.skip("before 1.4 its wrapper loses the first step of these episodes")
    settings = {"episode": "game", "max_deals": 2, "autoreset_mode": mode}
    ours = make(record_episodes=True, **settings)
    theirs = RecordEpisodeStatistics(make(**settings))
    episodes = 0
    for one, other in zip(
        play(ours, mode, 100, 0.02, seed=3),
        play(theirs, mode, 100, 0.02, seed=3),
        strict=True,
    ):
        assert one[-1].keys() == other[-1].keys()
        if "episode" in one[-1]:
            ended = one[2] | one[3]
            mine, their = one[-1]["episode"], other[-1]["episode"]
            assert_same(one[-1]["_episode"], ended)
            assert_same(mine["r"], their["r"])
            assert_same(mine["l"], their["l"])
            assert mine["t"].dtype == np.float64
            assert ((mine["t"] > 0) == ended).all()
            episodes += ended.sum()
    assert episodes > 3 * NUM_ENVS


# Players that are not compiled in.


def test_guests_are_asked_about_all_games_at_once():
    guest = Guest()
    envs = make(64, partner=guest, opponents=guest)
    rng = np.random.default_rng(1)
    _, infos = envs.reset(seed=1)
    for _ in range(14):
        _, _, _, _, infos = envs.step(choose(rng, infos["action_mask"]))
    assert sum(guest.asked) == 64 * 42
    assert len(guest.asked) <= 15 * 6  # at most six bots act between two actions


def test_no_action_is_taken_for_a_guest_that_failed():
    class Broken(Guest):
        works = True

        def act_batch(self, views, keys, actions):
            if not self.works:
                raise RuntimeError("out of memory")
            super().act_batch(views, keys, actions)

    guest = Broken()
    envs = make(partner=guest, autoreset_mode="Disabled")
    envs.reset(seed=1)
    guest.works = False
    with pytest.raises(RuntimeError, match="out of memory"):
        envs.step([55] * NUM_ENVS)
    with pytest.raises(ResetNeeded):
        envs.step([55] * NUM_ENVS)
    guest.works = True
    envs.reset(seed=1)
    envs.step([55] * NUM_ENVS)


def test_a_file_named_twice_is_read_once(monkeypatch):
    made = []

    def make_guest(player, rules):
        made.append(player)
        return Guest()

    monkeypatch.setattr("baselines.tables.make", make_guest)
    SpadesVectorEnv(2, partner="a.onnx", opponents=("b.onnx", Path("a.onnx")))
    assert made == ["b.onnx", "a.onnx"]


# Actions, seeds, arrays.


@pytest.mark.parametrize(
    "actions",
    [
        [55] * (NUM_ENVS - 1),
        [55.0] * NUM_ENVS,
        [55] * (NUM_ENVS - 1) + [66],
        [-1] + [55] * (NUM_ENVS - 1),
        55,
        None,
    ],
)
def test_what_is_no_action_changes_nothing(actions):
    envs = make()
    envs.reset(seed=1)
    games = envs.tables.games.tobytes()
    with pytest.raises(ValueError, match="action"):
        envs.step(actions)
    assert envs.tables.games.tobytes() == games
    envs.step([55] * NUM_ENVS)


def test_actions_of_games_that_are_over_may_be_anything():
    envs = make()
    envs.reset(seed=1)
    _, _, terminations, _, _ = envs.step([0] + [55] * (NUM_ENVS - 1))
    assert terminations.tolist() == [True] + [False] * (NUM_ENVS - 1)
    actions = envs.tables.masks.argmax(axis=1)
    actions[0] = -7
    _, rewards, terminations, _, infos = envs.step(actions)
    assert rewards[0] == 0
    assert not terminations.any()
    assert infos["action_mask"][0, BID:].all()


def test_stepping_needs_a_game_in_progress():
    envs = make(autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match="call reset"):
        envs.step([55] * NUM_ENVS)
    envs.reset()
    envs.step([55] + [0] * (NUM_ENVS - 1))
    with pytest.raises(ResetNeeded, match=r"4 of 5 games are over.*reset_mask"):
        envs.step([55] * NUM_ENVS)


@pytest.mark.parametrize(
    ("reset", "error", "message"),
    [
        ({"seed": [1, 2]}, ValueError, "one for each of 5 games, not 2"),
        ({"seed": -1}, gymnasium.error.Error, "Seed must be"),
        ({"options": {"dealers": 1}}, ValueError, "unknown option 'dealers'"),
        ({"options": {"scores": (500, 0)}}, ValueError, "does not start finished"),
        ({"options": {"reset_mask": [True] * 5}}, TypeError, "array of bools"),
        ({"options": {"reset_mask": np.ones(5, np.int8)}}, TypeError, "of bools"),
        ({"options": {"reset_mask": np.ones(4, bool)}}, ValueError, r"shape \(5,\)"),
        ({"options": {"reset_mask": np.zeros(5, bool)}}, ValueError, "one True"),
    ],
)
def test_wrong_resets_change_nothing(reset, error, message):
    envs = make()
    envs.reset(seed=1)
    games = envs.tables.games.tobytes()
    states = [rng.bit_generator.state for rng in envs.np_random]
    with pytest.raises(error, match=message):
        envs.reset(**reset)
    assert envs.tables.games.tobytes() == games
    assert states == [rng.bit_generator.state for rng in envs.np_random]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1"),
        ({"autoreset_mode": "Never"}, "Never"),
        ({"threads": 0}, "threads must be in 1 to"),
        ({"reward": "win"}, "needs episode='game'"),
        ({"render_mode": "human"}, "render_mode must be one of"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_games_do_not_depend_on_how_many_there_are():
    few, many = make(2), make(9)
    rng = np.random.default_rng(2)
    a, b = few.reset(seed=5), many.reset(seed=5)
    for _ in range(40):
        assert (a[0] == b[0][:2]).all()
        actions = choose(rng, b[-1]["action_mask"])
        a, b = few.step(actions[:2]), many.step(actions)


def test_arrays_are_the_callers_or_reused():
    kept = list(play(make(), None, 30, seed=6))
    copies = list(play(make(), None, 30, seed=6))
    envs = make(copy=False)
    reused = envs.reset(seed=6)
    observations, masks = reused[0], reused[1]["action_mask"]
    rng = np.random.default_rng(1)
    for one, other in zip(kept, copies, strict=True):
        assert_same(one, other)
        assert_same(one[0], observations)
        assert_same(one[-1]["action_mask"], masks)
        reused = envs.step(choose(rng, masks))
        assert reused[0] is observations
        assert reused[-1]["action_mask"] is masks


def test_rendering():
    envs = make(2, render_mode="ansi")
    envs.reset(seed=1)
    texts = envs.render()
    assert len(texts) == 2
    assert all("player_3" in text for text in texts)
    with pytest.warns(UserWarning, match="render"):
        assert make(2).render() is None


def test_documentation_is_filled_in():
    assert f"(num_envs, {OBSERVATION_SIZE})" in SpadesVectorEnv.__doc__


# Threads and processes, each in a process of its own: what has run threads must not be
# forked later, and what is forked must not have run any.

THREADED = """
import numpy as np
from baselines.vector_env import SpadesVectorEnv

def digests(threads):
    envs = SpadesVectorEnv(37, threads=threads, partner="random", episode="game")
    rng = np.random.default_rng(0)
    infos = envs.reset(seed=1)[1]
    for _ in range(60):
        mask = infos["action_mask"]
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        actions[rng.random(37) < 0.01] = 0
        *arrays, infos = envs.step(actions)
        yield b"".join(array.tobytes() for array in arrays), str(infos)

assert list(digests(1)) == list(digests(3))
"""

FORKED = """
import numpy as np
import gymnasium
import spades_env

def play(envs):
    rng = np.random.default_rng(0)
    infos = envs.reset(seed=1)[1]
    for _ in range(20):
        mask = infos["action_mask"]
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        observations, rewards, _, _, infos = envs.step(actions)
        yield observations.tobytes(), rewards.tobytes()

here = list(play(gymnasium.make_vec("Spades-v0", num_envs=2)))
forked = gymnasium.make_vec(
    "Spades-v0", 2, "async", vector_kwargs={"context": "fork"}
)
assert list(play(forked)) == here
forked.close()
"""


@pytest.mark.parametrize("code", [THREADED, FORKED], ids=["threads", "fork"])
def test_in_a_process_of_its_own(code):
    if code is FORKED and not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_NUM_THREADS": "3"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
