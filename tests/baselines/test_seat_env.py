"""The one-seat environment: Gymnasium's tests, and the same games as the AEC face."""

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import baselines
from baselines import Bot
from baselines.bot import decision_key
from baselines.seat_env import SpadesEnv
from spades_env import OBSERVATION_SIZE, VIEW, Rules, spades_v0
from spades_env.chance import derive
from spades_env.game import BID
from spades_env.view import look

OTHER_RULES = Rules(
    target=300, floor=-300, nil_points=50, failed_nil="partner", bags_carried=False
)
SETTINGS = {
    "deal": {},
    "deal, other rules": {"rules": OTHER_RULES},
    "game": {"episode": "game"},
    "game, other rules": {"episode": "game", "rules": OTHER_RULES},
    "win": {"episode": "game", "reward": "win"},
    "cut": {"episode": "game", "max_deals": 2},
    "cut win": {"episode": "game", "reward": "win", "max_deals": 1},
}
all_settings = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)


class Guest(Bot):
    """A player that the compiled loop does not know: its key chooses all it does."""

    name = "guest"

    def __init__(self):
        self.views = []

    def act_batch(self, views, keys, actions):
        self.views.append(views.copy())
        for i, (view, key) in enumerate(zip(views, keys, strict=True)):
            cards = [card for card in range(52) if int(view["legal"]) >> card & 1]
            bids = [BID + bid for bid in (2, 3, 4)]
            choices = bids if view["phase"] == 0 else cards
            actions[i] = choices[int(key) % len(choices)]


class Cheat(Bot):
    """Plays the ace of spades, held or not."""

    name = "cheat"

    def act_batch(self, views, keys, actions):
        for i, view in enumerate(views):
            actions[i] = BID + 1 if view["phase"] == 0 else 51


def chooser(seed, illegal=0.0):
    """A player with legal actions, bids of 2 to 4 so that games take longer.

    With chance `illegal` it takes an illegal action.
    """
    rng = np.random.default_rng(seed)

    def choose(mask):
        if rng.random() < illegal:
            return int(rng.choice(np.flatnonzero(mask == 0)))
        if mask[BID]:
            return BID + int(rng.integers(2, 5))
        return int(rng.choice(np.flatnonzero(mask)))

    return choose


def play(env, choose, **reset):
    """One episode; returns all that `reset` and `step` returned, and the actions."""
    steps, actions = [env.reset(**reset)], []
    while len(steps) == 1 or not (steps[-1][2] or steps[-1][3]):
        actions.append(choose(steps[-1][-1]["action_mask"]))
        steps.append(env.step(actions[-1]))
    return steps, actions


def play_aec(env, seat, bots, actions, **reset):
    """The same episode at the AEC face; yields what the learner's agent gets."""
    env.reset(**reset)
    learner = f"player_{seat}"
    actions = iter(actions)
    views = np.zeros(1, VIEW)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if agent == learner:
            yield observation, reward, terminated, truncated, info
        if terminated or truncated:
            env.step(None)
        elif agent == learner:
            env.step(next(actions))
        else:
            game = env.unwrapped.game
            look(game, env.unwrapped.rules.array[0], int(game.turn), views[0])
            bot = bots[(int(agent[-1]) - seat) % 4]
            env.step(bot.act(views[0], decision_key(game, 0)))


# What Gymnasium tests.


@pytest.mark.filterwarnings("error")
@all_settings
def test_gymnasium_checks(settings):
    check_env(gymnasium.make("Spades-v0", partner=Guest(), **settings).unwrapped)


@pytest.mark.filterwarnings("error")
def test_wrapped_as_gymnasium_wraps_it():
    env = gymnasium.make("Spades-v0", opponents=("easy", Guest()), seat=3)
    assert env.spec.id == "Spades-v0"
    play(env, chooser(0), seed=1)


def test_spaces():
    env = SpadesEnv(episode="game")
    assert env.action_space == spaces.Discrete(66)
    assert env.observation_space == spaces.Box(-128, 127, (OBSERVATION_SIZE,), np.int8)
    steps, _ = play(env, chooser(1), seed=1)
    for observation, *_, info in steps:
        assert env.observation_space.contains(observation)
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].shape == (66,)


FRESH = """
import sys
import spades_env
assert not any(name.split(".")[0] in ("baselines", "torch") for name in sys.modules)
import gymnasium
env = gymnasium.make("Spades-v0")
assert type(env.unwrapped).__module__ == "baselines.seat_env"
assert env.reset(seed=1)[1]["action_mask"].sum() == 14
assert "torch" not in sys.modules
"""


@pytest.mark.parametrize(
    "code",
    [
        FRESH,
        "import gymnasium; gymnasium.make('spades_env:Spades-v0').reset()",
        "import gymnasium; gymnasium.make_vec('spades_env:Spades-v0', 2).reset()",
    ],
)
def test_registered_in_a_fresh_process(code):
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")


# The same games as the AEC face.

PLAYERS = {
    "hard": ("hard", "hard"),
    "scripted": ("random", ("easy", "normal")),
    "guest": ("hard", Guest()),
    "mixed": (Guest(), ("random", Guest())),
}


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("players", PLAYERS.values(), ids=PLAYERS)
@all_settings
def test_same_game_as_the_aec_face(settings, players, seat):
    """Observations, masks, rewards and ends, for the same seed and actions."""
    partner, opponents = players
    left, right = opponents if isinstance(opponents, tuple) else (opponents, opponents)
    bots = [
        baselines.make(player) if isinstance(player, str) else player
        for player in (None, left, partner, right)
        if player is not None
    ]
    env = SpadesEnv(partner=partner, opponents=opponents, seat=seat, **settings)
    aec = spades_v0.env(**settings)
    for episode, illegal in enumerate((0.0, 0.0, 0.05)):
        seed = {"seed": 100 + seat} if episode == 0 else {}
        steps, actions = play(env, chooser(seat, illegal), **seed)
        theirs = play_aec(aec, seat, [None, *bots], actions, **seed)
        for step, (seen, reward, terminated, truncated, info) in zip(
            steps, theirs, strict=True
        ):
            assert (step[0] == seen["observation"]).all()
            assert (step[-1]["action_mask"] == seen["action_mask"]).all()
            assert (step[-1]["action_mask"] == info["action_mask"]).all()
            if len(step) == 5:
                assert step[1:4] == (reward, terminated, truncated)
                assert [type(value) for value in step[1:4]] == [float, bool, bool]


def test_same_game_as_the_aec_face_from_a_given_start():
    options = {"dealer": 2, "scores": (120, -30), "bags": (3, 4)}
    options["hands"] = [list(range(seat, 52, 4)) for seat in range(4)]
    env = SpadesEnv(episode="game", seat=1)
    hard = baselines.make("hard")
    reset = {"seed": 8, "options": options}
    steps, actions = play(env, chooser(0), **reset)
    aec = spades_v0.env(episode="game")
    theirs = list(play_aec(aec, 1, [hard] * 4, actions, **reset))
    for step, (seen, *_) in zip(steps, theirs, strict=True):
        assert (step[0] == seen["observation"]).all()
    assert [step[1] for step in steps[1:]] == [reward for _, reward, *_ in theirs[1:]]
    scores = env.tables.games[0].score
    gain = sum(step[1] for step in steps[1:])
    assert gain == pytest.approx((int(scores[1]) - int(scores[0]) + 150) / 100)


def test_keys_are_the_same_for_ever():
    """Pinned, so that no published result changes: of the seed, deal, table, step."""
    env = SpadesEnv(episode="game")
    env.reset(seed=3)
    game = env.tables.games[0]
    game.seed, game.deal, game.step = 5, 2, 7
    for table in range(2):
        stream = np.uint64(derive(5, 1 << 40))
        place = 56 * (2 * 2 + table) + 7
        assert decision_key(game, table) == derive(stream, place)


# Episodes and rewards.


def test_a_deal_is_fourteen_steps():
    env = SpadesEnv()
    choose = chooser(2)
    for _ in range(5):
        steps, _ = play(env, choose)
        assert len(steps) == 15
        assert not any(step[1] for step in steps[1:-1])
        assert steps[-1][2:4] == (True, False)
        assert not steps[-1][-1]["action_mask"].any()
        assert env.tables.games[0].step == 56


@pytest.mark.parametrize("seat", [0, 3])
def test_rewards_of_a_game_add_up_to_the_score(seat):
    env = SpadesEnv(episode="game", seat=seat, partner="normal")
    steps, _ = play(env, chooser(3), seed=4)
    score = env.tables.games[0].score
    gain = (int(score[seat % 2]) - int(score[1 - seat % 2])) / 100
    assert sum(step[1] for step in steps[1:]) == pytest.approx(gain)
    assert {place % 14 for place, step in enumerate(steps[1:], 1) if step[1]} == {0}
    assert steps[-1][2:4] == (True, False)


def test_winning_pays_one():
    choose = chooser(4)
    rewards = set()
    for opponents in ("random", "hard"):
        env = SpadesEnv(opponents=opponents, episode="game", reward="win", seat=1)
        steps, _ = play(env, choose, seed=4)
        assert not any(step[1] for step in steps[1:-1])
        assert steps[-1][1] == (1.0 if env.tables.games[0].winner == 1 else -1.0)
        rewards.add(steps[-1][1])
    assert rewards == {1.0, -1.0}


def test_max_deals_truncates_and_deals_no_further():
    env = SpadesEnv(episode="game", max_deals=2)
    steps, _ = play(env, chooser(5), seed=5)
    assert len(steps) == 29
    assert steps[-1][2:4] == (False, True)
    assert env.tables.games[0].deal == 1
    assert not env.action_masks().any()


def test_a_better_partner_helps():
    """The partner and the opponents sit where they should."""
    rewards = {}
    for partner, opponents in (("hard", "easy"), ("random", "hard")):
        env = SpadesEnv(partner=partner, opponents=opponents)
        choose = chooser(6)
        rewards[partner] = np.mean(
            [play(env, choose, seed=seed)[0][-1][1] for seed in range(60)]
        )
    assert rewards["hard"] > rewards["random"] + 1


def test_opponents_are_left_and_right():
    left, right = Guest(), Guest()
    env = SpadesEnv(opponents=(left, right), seat=2)
    env.reset(seed=1, options={"dealer": 2})  # the left-hand opponent bids first
    for guest, seat, bids in ((left, 3, 0), (right, 1, 2)):
        (view,) = guest.views[0]
        assert int(view["hand"]) == int(env.tables.games[0].hand[seat])
        assert (view["bid"] >= 0).sum() == bids


def test_what_does_not_act_is_refused():
    env = SpadesEnv()
    with pytest.raises(ResetNeeded):
        env.step(55)
    assert not env.action_masks().any()
    play(env, chooser(7))
    with pytest.raises(ResetNeeded):
        env.step(55)


# Illegal actions.


def test_an_illegal_action_ends_the_episode_and_says_why():
    env = SpadesEnv()
    before, _ = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-5.48, True, False)
    assert (observation == before).all()
    assert not info["action_mask"].any()
    assert "player_0 may not play 2C (action 0)" in info["illegal_action"]
    assert "illegal_action" not in env.reset()[1]
    assert "illegal_action" not in env.step(55)[-1]


@pytest.mark.parametrize("action", [-1, 66, 1.0, "AS", None, np.array([1, 2])])
def test_what_is_no_action_changes_nothing(action):
    env = SpadesEnv()
    env.reset(seed=1)
    games = env.tables.games.tobytes()
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    assert env.tables.games.tobytes() == games
    env.step(np.int8(55))


def test_an_illegal_action_of_a_bot_is_an_error():
    env = SpadesEnv(opponents=Cheat())
    with pytest.raises(ValueError, match=r"cheat chose the illegal action 51 as seat"):
        play(env, lambda mask: int(np.flatnonzero(mask)[0]), seed=1)


# Seeds, options, arrays.


def hands(env, **reset):
    env.reset(**reset)
    game = env.tables.games[0]
    played = [int(h) | int(p) for h, p in zip(game.hand, game.played, strict=True)]
    return played, int(game.dealer)


def test_games_of_a_seed_are_the_same_for_ever():
    env = SpadesEnv()
    games = [hands(env, seed=11), *(hands(env) for _ in range(10))]
    assert len({str(game) for game in games}) == 11
    other = SpadesEnv(partner="easy", episode="game", seat=2)
    assert hands(other, seed=11, options={"dealer": 1})[1] == 1
    other.step(55)
    assert [hands(other) for _ in range(10)] == games[1:]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": (0, 0)}, "unknown option 'score'; options are hands"),
        ({"scores": (500, 0)}, "does not start finished"),
        ({"bags": (10, 0)}, "bags"),
        ({"dealer": 4}, "dealer must be in 0 to 3"),
        ({"hands": [["AS"] * 13] * 4}, "AS is dealt twice"),
    ],
)
def test_wrong_options_change_nothing(options, message):
    env = SpadesEnv()
    env.reset(seed=1)
    kept = env.tables.games.tobytes()
    state = env.np_random.bit_generator.state
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert env.tables.games.tobytes() == kept
    assert env.np_random.bit_generator.state == state


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"partner": "expert"}, ValueError, "no player 'expert'"),
        ({"opponents": ("easy",)}, ValueError, "one player or two"),
        ({"opponents": None}, TypeError, "None"),
        ({"seat": 4}, ValueError, "seat must be in 0 to 3"),
        ({"seat": True}, TypeError, "seat must be an int"),
        ({"episode": "match"}, ValueError, "episode must be one of 'deal', 'game'"),
        ({"reward": "win"}, ValueError, "needs episode='game'"),
        ({"max_deals": 3}, ValueError, "needs episode='game'"),
        ({"episode": "game", "max_deals": 0}, ValueError, "at least 1"),
        ({"rules": {}}, TypeError, "rules must be a spades_env.Rules"),
        ({"render_mode": "human"}, ValueError, "render_mode must be one of"),
        (
            {"episode": "game", "rules": Rules(floor=None)},
            ValueError,
            "without a floor and without max_deals",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        SpadesEnv(**arguments)


def test_masks():
    env = SpadesEnv()
    _, info = env.reset(seed=1)
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert (masks == info["action_mask"]).all()
    assert np.flatnonzero(masks).tolist() == list(range(52, 66))
    info["action_mask"][:] = masks[:] = 1  # these are the caller's
    assert env.step(0)[2]


def test_every_call_gives_its_own_arrays():
    env = SpadesEnv()
    choose = chooser(8)
    env.reset(seed=2)
    first = env.step(55)
    kept = copy.deepcopy(first)
    play(env, choose)
    assert (first[0] == kept[0]).all()
    assert (first[-1]["action_mask"] == kept[-1]["action_mask"]).all()


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_a_copy_plays_on_by_itself(copied):
    env = SpadesEnv(partner="random", opponents=("random", Guest()))
    env.reset(seed=9)
    env.step(54)
    twin = copied(env)
    choose = chooser(9)
    for _ in range(13):
        action = choose(env.action_masks())
        ours, theirs = env.step(action), twin.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1:4] == theirs[1:4]
    assert hands(env) == hands(twin)


def test_rendering_shows_the_learner_only_its_own_hand():
    env = gymnasium.make("Spades-v0", seat=2, render_mode="ansi")
    env.reset(seed=1)
    lines = env.render().splitlines()
    shown = [line for line in lines if line[2:10] in ("player_0", "player_2")]
    assert "13 cards" in shown[0]
    assert "13 cards" not in shown[1]


def test_rendering_needs_a_mode():
    env = SpadesEnv()
    with pytest.warns(UserWarning, match="render"):
        assert env.render() is None


def test_documentation_is_filled_in():
    assert f"({OBSERVATION_SIZE},)" in SpadesEnv.__doc__
    assert "| `hand` | 0-51 |" in SpadesEnv.__doc__
    assert "OBSERVATION_TABLE" not in SpadesEnv.__doc__
