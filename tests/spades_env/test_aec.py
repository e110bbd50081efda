"""The PettingZoo face: PettingZoo's own tests, and what they do not notice."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from reference import ReferenceGame, ReferenceRules, score_team

from spades_env import (
    OBSERVATION_SIZE,
    STATE_SIZE,
    GameBatch,
    Rules,
    observation_layout,
    spades_v0,
    state_layout,
)
from spades_env.aec import TerminateIllegalTeamWrapper
from spades_env.cards import card_text, cards_of
from spades_env.forfeit import deal_swing, largest_loss
from spades_env.legality import IllegalActionError
from spades_env.observation import layout_table

AGENTS = [f"player_{seat}" for seat in range(4)]
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
both_faces = pytest.mark.parametrize("make", [spades_v0.raw_env, spades_v0.env])


def random_choice(rng):
    """A player that takes any legal action."""
    return lambda env, mask: int(rng.choice(np.flatnonzero(mask)))


def sensible_choice(rng):
    """A player with random cards and bids of 2 to 4, so that games take longer."""

    def choose(env, mask):
        if mask[52]:
            return 52 + int(rng.integers(2, 5))
        return int(rng.choice(np.flatnonzero(mask)))

    return choose


def quarter_choice(env, mask):
    """A player without chance, that bids 3."""
    legal = np.flatnonzero(mask)
    return int(legal[len(legal) // 4])


def is_over(env):
    return any(env.terminations.values()) or any(env.truncations.values())


def play(env, choose, steps=None):
    """Step through the episode, or some steps of it; yields before each step."""
    while env.agents and steps != 0:
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        yield agent, observation, reward, terminated or truncated, info
        over = terminated or truncated
        env.step(None if over else choose(env, observation["action_mask"]))
        steps = None if steps is None else steps - 1


def run(env, choose, steps=None):
    """Play and return what each agent received through `last()`."""
    received = dict.fromkeys(AGENTS, 0.0)
    for agent, _, reward, _, _ in play(env, choose, steps):
        received[agent] += reward
    return received


def after(steps, seed, make=spades_v0.raw_env, **settings):
    """An environment some random steps into an episode."""
    env = make(**settings)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    run(env, sensible_choice(rng), steps)
    return env


def hands_of(env):
    return [cards_of(hand) for hand in env.unwrapped.game.hand]


def reference_rules(rules):
    return ReferenceRules(
        target=rules.target,
        floor=rules.floor,
        trick_points=rules.trick_points,
        nil_points=rules.nil_points,
        bag_points=rules.bag_points,
        bags_limit=rules.bags_limit,
        bag_penalty=rules.bag_penalty,
        bags="carry" if rules.bags_carried else "empty",
        failed_nil=rules.failed_nil,
        set_team=rules.set_team,
    )


def single_deal_points(rules, game):
    """Points of both teams in a finished deal, a bag charged its share of the penalty.

    `game` is a ReferenceGame.
    """
    values = vars(reference_rules(rules)) | {
        "bag_points": rules.bag_points - rules.bag_penalty / rules.bags_limit,
        "bag_penalty": 0,
    }
    return [
        score_team(
            ReferenceRules(**values),
            (game.bids[team], game.bids[team + 2]),
            (game.tricks_won[team], game.tricks_won[team + 2]),
            0,
        )[0]
        for team in range(2)
    ]


# What PettingZoo tests.


@pytest.mark.filterwarnings("ignore::UserWarning")
@both_faces
@all_settings
def test_pettingzoo_api(make, settings):
    api_test(make(**settings), num_cycles=10_000)


@both_faces
@all_settings
def test_pettingzoo_seed(make, settings):
    seed_test(lambda: make(**settings), num_cycles=10_000)


@pytest.mark.filterwarnings("ignore::UserWarning")
@all_settings
def test_parallel_conversion(settings):
    env = turn_based_aec_to_parallel(spades_v0.env(**settings))
    parallel_api_test(env, num_cycles=500)
    observations, infos = env.reset(seed=1)
    received = np.zeros(4)
    rng = np.random.default_rng(1)
    while env.agents:
        masks = np.array([observations[agent]["action_mask"] for agent in AGENTS])
        assert (masks.sum(axis=1) > 0).sum() == 1
        assert all(
            (infos[a]["action_mask"] == m).all()
            for a, m in zip(AGENTS, masks, strict=True)
        )
        actions = {
            agent: int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0
            for agent, mask in zip(AGENTS, masks, strict=True)
        }
        observations, rewards, _, _, infos = env.step(actions)
        received += [rewards[agent] for agent in AGENTS]
    assert received[0] != 0
    assert received.tolist() == (received[0] * np.array([1, -1, 1, -1])).tolist()


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")
def test_registered():
    env = pettingzoo.make("aec", "card_games/spades-v0", episode="game", max_deals=3)
    assert str(env) == "spades_v0"
    assert (env.unwrapped.episode, env.unwrapped.max_deals) == ("game", 3)
    spec = pettingzoo.spec("aec", "card_games/spades")
    assert spec.id == "card_games/spades-v0"


def test_spaces():
    env = spades_v0.env(episode="game")
    env.reset(seed=0)
    assert env.possible_agents == env.agents == AGENTS
    for agent in AGENTS:
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent) == spaces.Discrete(66)
        space = env.observation_space(agent)
        assert space["observation"].shape == (OBSERVATION_SIZE,)
        assert space["action_mask"] == spaces.Box(0, 1, (66,), np.int8)
    assert env.state_space == spaces.Box(-128, 127, (STATE_SIZE,), np.int8)
    for _ in play(env, random_choice(np.random.default_rng(0)), 500):
        assert env.state_space.contains(env.state())
        for agent in AGENTS:
            assert env.observation_space(agent).contains(env.observe(agent))
    assert env.metadata["name"] == "spades_v0"
    assert not env.metadata["is_parallelizable"]


# Turns, masks and rewards, against the reference.


@both_faces
@all_settings
def test_whole_episodes_follow_the_reference(make, settings):
    """R4 to R10 in the masks and turns, R11 to R20 in rewards and ends."""
    env = make(**settings)
    rules = env.unwrapped.rules
    single = env.unwrapped.episode == "deal"
    cut = settings.get("max_deals")
    rng = np.random.default_rng(5)
    for episode in range(3):
        choose = (random_choice if episode == 0 else sensible_choice)(rng)
        env.reset(seed=None if episode else 2)
        game = ReferenceGame(
            hands_of(env), int(env.unwrapped.game.dealer), reference_rules(rules)
        )
        expected = 0.0
        received = dict.fromkeys(AGENTS, 0.0)
        deals = 1
        while env.agents:
            agent = env.agent_selection
            observation, reward, terminated, truncated, info = env.last()
            received[agent] += reward
            legal = game.legal_actions()
            over = cut == deals or single or game.winner is not None
            if game.deal_over and not over:
                game.next_deal(hands_of(env))
                deals += 1
                legal = game.legal_actions()
            if game.turn is not None:
                assert agent == AGENTS[game.turn]
            for seat, other in enumerate(AGENTS):
                mask = np.zeros(66, np.int8)
                if seat == game.turn:
                    mask[legal] = 1
                assert (env.observe(other)["action_mask"] == mask).all()
                if other in env.agents:
                    assert (env.infos[other]["action_mask"] == mask).all()
            assert info is env.infos[agent]
            assert (info["action_mask"] == observation["action_mask"]).all()
            finished = game.winner is not None or (single and game.deal_over)
            assert terminated == finished
            assert truncated == (game.deal_over and not finished)
            if terminated or truncated:
                env.step(None)
                continue
            action = choose(env, observation["action_mask"])
            env.step(np.int64(action))
            game.apply(action)
            if game.deal_over:
                points = game.deal_scores
                if settings.get("reward") == "win":
                    gain = {None: 0, 0: 1, 1: -1}[game.winner]
                else:
                    points = single_deal_points(rules, game) if single else points
                    gain = (points[0] - points[1]) / 100
                assert env.rewards == pytest.approx(
                    dict(zip(AGENTS, [gain, -gain, gain, -gain], strict=True))
                )
                expected += gain
            else:
                assert not any(env.rewards.values())
        assert list(received.values()) == pytest.approx(
            [expected, -expected, expected, -expected]
        )


def test_rewards_of_a_game_add_up_to_the_score():
    env = spades_v0.env(episode="game")
    for seed in range(5):
        env.reset(seed=seed, options={"scores": (120, -30), "bags": (3, 4)})
        received = run(env, sensible_choice(np.random.default_rng(seed)))
        scores = env.unwrapped.game.score
        gain = (int(scores[0]) - int(scores[1]) - 150) / 100
        assert list(received.values()) == pytest.approx([gain, -gain, gain, -gain])


def test_a_finished_game_is_not_truncated():
    """The last deal that `max_deals` allows may end the game."""
    env = spades_v0.raw_env(episode="game", reward="win", max_deals=1)
    env.reset(seed=0, options={"scores": (499, -199)})
    run(env, sensible_choice(np.random.default_rng(0)), 56)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert set(env.rewards.values()) == {1.0, -1.0}


def test_truncation_deals_no_further():
    env = spades_v0.raw_env(episode="game", max_deals=2)
    env.reset(seed=3)
    run(env, sensible_choice(np.random.default_rng(0)), 112)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env.game.deal == 1
    assert env.game.winner == -1
    assert env.agent_selection == "player_0"


# Observations.


def test_observation_is_that_of_the_batch():
    """Both faces show the same vector and mask for the same seed."""
    env = spades_v0.raw_env()
    env.reset(seed=4)
    batch = GameBatch(1)
    batch.games[:] = env.games
    observations = np.zeros((1, OBSERVATION_SIZE), np.int8)
    masks = np.zeros((1, 66), np.int8)
    rng = np.random.default_rng(0)
    for _ in range(56):
        batch.observe(observations, masks)
        seen, *_ = env.last()
        assert (seen["observation"] == observations[0]).all()
        assert (seen["action_mask"] == masks[0]).all()
        action = random_choice(rng)(env, masks[0])
        env.step(action)
        batch.step(np.array([action]))


def test_hidden_cards_are_hidden():
    """A1: who holds the cards that a seat cannot see changes nothing that it sees."""
    rng = np.random.default_rng(8)
    env = spades_v0.raw_env()
    env.reset(seed=8)
    for _ in play(env, random_choice(rng), 56):
        kept = env.games.copy()
        for seat, agent in enumerate(AGENTS):
            before = env.observe(agent)
            others = [other for other in range(4) if other != seat]
            sizes = [len(hands_of(env)[other]) for other in others]
            hidden = [card for other in others for card in hands_of(env)[other]]
            rng.shuffle(hidden)
            for other, size in zip(others, sizes, strict=True):
                dealt, hidden = hidden[:size], hidden[size:]
                env.games[0].hand[other] = sum(1 << card for card in dealt)
            after = env.observe(agent)
            assert (before["observation"] == after["observation"]).all()
            assert (before["action_mask"] == after["action_mask"]).all()
            env.games[:] = kept


def test_every_call_gives_its_own_arrays():
    env = after(7, seed=1)
    agent = env.agent_selection
    first, first_info = env.observe(agent), env.infos[agent]
    kept = copy.deepcopy((first, first_info, env.state()))
    state = env.state()
    for array in (*env.observe(agent).values(), *env.observe("player_1").values()):
        array[:] = 7
    run(env, random_choice(np.random.default_rng(0)), 20)
    for name, array in first.items():
        assert (array == kept[0][name]).all()
    assert (first_info["action_mask"] == kept[1]["action_mask"]).all()
    assert (state == kept[2]).all()


def test_writing_into_a_mask_allows_nothing():
    env = spades_v0.raw_env()
    env.reset(seed=0)
    env.last()[0]["action_mask"][:] = 1
    env.infos[env.agent_selection]["action_mask"][:] = 1
    with pytest.raises(IllegalActionError):
        env.step(0)


def test_state_counts_seats_from_player_0():
    env = after(17, seed=6)
    fields = {field.name: field.place for field in state_layout()}
    state = env.state()
    observed = env.observe("player_0")["observation"]
    assert (state[:OBSERVATION_SIZE] == observed).all()
    hands = state[fields["other_hands"]].reshape(3, 52)
    assert [np.flatnonzero(hand).tolist() for hand in hands] == hands_of(env)[1:]
    assert np.flatnonzero(state[fields["turn"]]).tolist() == [int(env.game.turn)]


# Seeds, options, copies.


def first_hands(env, **reset):
    env.reset(**reset)
    return hands_of(env), int(env.game.dealer)


@pytest.mark.parametrize("episode", ["deal", "game"])
def test_games_of_a_seed_are_the_same_for_ever(episode):
    env = spades_v0.raw_env(episode=episode)
    games = [first_hands(env, seed=11), *(first_hands(env) for _ in range(20))]
    assert len({str(game) for game in games}) == 21
    assert {dealer for _, dealer in games} == {0, 1, 2, 3}
    other = spades_v0.raw_env(episode=episode, render_mode="ansi")
    other.reset(seed=11, options={"dealer": 1})
    run(other, random_choice(np.random.default_rng(0)))  # as does how they are played
    assert [first_hands(other) for _ in range(20)] == games[1:]
    assert first_hands(other, seed=11) == games[0]
    assert first_hands(other, seed=12) not in games


def test_games_of_a_seed_on_every_machine():
    """Pinned, so that a change of what a seed means does not go unnoticed."""
    env = spades_v0.raw_env()
    env.reset(seed=42)
    assert env.game.dealer == 2
    hand = "2C 7C KC 2D 3D 5D AD 2H 8H 9H JH KH 3S"
    assert " ".join(card_text(card) for card in hands_of(env)[0]) == hand


def test_unseeded_environments_differ():
    assert first_hands(spades_v0.raw_env()) != first_hands(spades_v0.raw_env())


def test_options_hold_for_the_first_deal():
    rng = np.random.default_rng(2)
    hands = np.sort(rng.permutation(52).reshape(4, 13))
    texts = [[card_text(card) for card in hand] for hand in hands]
    env = spades_v0.raw_env(episode="game", max_deals=2)
    for given in (hands, hands.tolist(), texts):
        env.reset(seed=9, options={"hands": given})
        assert hands_of(env) == hands.tolist()
    env.reset(seed=9)
    drawn = int(env.game.dealer)
    env.reset(
        seed=9,
        options={"hands": texts, "scores": (-150, 480), "bags": (9, 0)},
    )
    assert env.game.dealer == drawn
    env.reset(
        seed=9,
        options={
            "hands": texts,
            "dealer": (drawn + 1) % 4,
            "scores": [-150, 480],
            "bags": [9, 0],
        },
    )
    assert env.game.dealer == (drawn + 1) % 4
    assert env.agent_selection == AGENTS[(drawn + 2) % 4]
    assert env.game.score.tolist() == [-150, 480]
    assert env.game.bags.tolist() == [9, 0]
    fields = {field.name: field.place for field in observation_layout()}
    seen = env.observe("player_1")["observation"]
    assert seen[fields["score"]].tolist() == [48, -16]  # (score - bags) / 10
    assert seen[fields["bags"]].tolist() == [0, 9]
    # The next deal comes from the seed, as it would have come without the options.
    env.reset(seed=9)
    run(env, quarter_choice, 56)
    second = hands_of(env)
    env.reset(seed=9, options={"hands": texts})
    run(env, quarter_choice, 56)
    assert env.game.deal == 1
    assert hands_of(env) == second


def test_a_tied_start_beyond_the_target_is_a_start():
    """R20."""
    env = spades_v0.raw_env(episode="game")
    env.reset(options={"scores": (505, 505)})
    assert env.game.score.tolist() == [505, 505]


def through_pickle(env):
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copier", [copy.deepcopy, through_pickle])
@both_faces
def test_copies_are_independent(make, copier):
    env = after(70, seed=3, make=make, episode="game")
    env.unwrapped.rules.array  # noqa: B018 (a cached value must not be copied)
    other = copier(env)
    assert not other.unwrapped.rules.array.flags.writeable
    before = env.unwrapped.games.copy()
    first = run(other, random_choice(np.random.default_rng(1)))
    assert (env.unwrapped.games == before).all()
    assert env.agents == AGENTS
    second = run(env, random_choice(np.random.default_rng(1)))
    assert first == second
    env.reset()
    other.reset()
    assert hands_of(env) == hands_of(other)


def test_a_step_costs_the_same_in_a_copy():
    """Nothing is compiled again for a copy."""
    from spades_env import aec

    env = copy.deepcopy(after(3, seed=0))
    run(through_pickle(env), random_choice(np.random.default_rng(0)))
    run(env, random_choice(np.random.default_rng(0)))
    if hasattr(aec._act, "signatures"):  # not with NUMBA_DISABLE_JIT=1
        assert len(aec._act.signatures) == len(aec._observe.signatures) == 1


def test_plain_python_plays_the_same_games():
    program = (
        "import numpy as np, hashlib\n"
        "from spades_env import spades_v0\n"
        "env = spades_v0.env(episode='game', max_deals=2)\n"
        "env.reset(seed=5)\n"
        "seen = hashlib.sha256()\n"
        "for agent in env.agent_iter():\n"
        "    observation, reward, end, cut, info = env.last()\n"
        "    seen.update(observation['observation'].tobytes())\n"
        "    seen.update(info['action_mask'].tobytes() + env.state().tobytes())\n"
        "    seen.update(f'{agent} {reward} {end} {cut}'.encode())\n"
        "    legal = np.flatnonzero(info['action_mask'])\n"
        "    env.step(None if end or cut else legal[len(legal) // 3])\n"
        "env.reset(seed=6)\n"
        "env.step(52)\n"
        "env.step(51)\n"
        "print(env.rewards, seen.hexdigest())\n"
    )
    results = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"NUMBA_DISABLE_JIT": flag},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert results[0] == results[1]


# Illegal actions.

HANDS = [
    hand.split()
    for hand in (
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
        "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD 2S AS",
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KD AD",
        "3S 4S 5S 6S 7S 8S 9S TS JS QS KS KH AH",
    )
]
LEGAL_DIAMONDS = "2D, 3D, 4D, 5D, 6D, 7D, 8D, 9D, TD, JD, QD"


def at_the_first_lead(dealer, **settings):
    env = spades_v0.raw_env(**settings)
    env.reset(seed=0, options={"hands": HANDS, "dealer": dealer})
    for _ in range(4):
        env.step(55)
    return env


def illegal_positions():
    bidding = spades_v0.raw_env()
    bidding.reset(seed=0, options={"hands": HANDS, "dealer": 2})
    yield (
        bidding,
        0,
        "player_3 may not play 2C (action 0): the bidding is not over; legal: bids 0 to"
        " 13 (actions 52 to 65)",
    )
    yield (
        at_the_first_lead(0),
        52,
        "player_1 may not bid nil (action 52): the bidding is over; legal: "
        + LEGAL_DIAMONDS,
    )
    yield (
        at_the_first_lead(0),
        55,
        "player_1 may not bid 3 (action 55): the bidding is over; legal: "
        + LEGAL_DIAMONDS,
    )
    yield (
        at_the_first_lead(0),
        50,
        "player_1 may not play KS (action 50): does not hold KS; legal: "
        + LEGAL_DIAMONDS,
    )
    yield (
        at_the_first_lead(0),
        51,
        "player_1 may not play AS (action 51): may not lead spades, which are not"
        " broken; legal: " + LEGAL_DIAMONDS,
    )
    following = at_the_first_lead(0)
    following.step(13)
    yield (
        following,
        26,
        "player_2 may not play 2H (action 26): must follow diamonds; legal: KD, AD",
    )


@pytest.mark.parametrize("number", range(6))
def test_raw_env_says_what_was_wrong(number):
    env, action, message = list(illegal_positions())[number]
    games = env.games.copy()
    agent = env.agent_selection
    with pytest.raises(IllegalActionError) as error:
        env.step(action)
    assert str(error.value) == message
    assert (env.games == games).all()
    assert env.agent_selection == agent
    assert not any(env.terminations.values())


@pytest.mark.parametrize("action", [-1, 66, 2**70, 1.0, "AS", [52], None])
def test_what_is_no_action(action):
    env = spades_v0.raw_env()
    env.reset(seed=0)
    games = env.games.copy()
    with pytest.raises(
        ValueError, match="None is the" if action is None else "0 to 65"
    ):
        env.step(action)
    assert (env.games == games).all()
    wrapped = spades_v0.env()
    wrapped.reset(seed=0)
    with pytest.raises(AssertionError):
        wrapped.step(action)


def test_a_finished_agent_takes_none():
    env = after(56, seed=0)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    with pytest.raises(ValueError, match="over"):
        env.forfeit()


@pytest.mark.parametrize("steps", [0, 2, 4, 5, 30, 55])
@all_settings
def test_env_ends_at_an_illegal_action(settings, steps):
    """Both of the offender's team pay the others, and what was earned is kept."""
    deals = 0 if settings.get("episode") != "game" or "max_deals" in settings else 1
    env = after(56 * deals + steps, seed=4, make=spades_v0.env, **settings)
    offender = env.agent_selection
    pending = dict(env._cumulative_rewards)
    mask = env.observe(offender)["action_mask"]
    env.step(int(np.flatnonzero(mask == 0)[-1]))
    penalty = -env.rewards[offender]
    assert penalty >= 2
    sign = 1 if AGENTS.index(offender) % 2 else -1
    gains = [sign * penalty, -sign * penalty] * 2
    assert list(env.rewards.values()) == gains
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    for agent in AGENTS:
        assert not env.observe(agent)["action_mask"].any()
        assert not env.infos[agent]["action_mask"].any()
    pending[offender] = 0.0
    received = run(env, None)
    assert received == {
        agent: pending[agent] + gain for agent, gain in zip(AGENTS, gains, strict=True)
    }
    env.reset()
    assert env.agents == AGENTS
    assert env.last()[0]["action_mask"].sum() == 14


def test_env_uses_the_usual_wrappers():
    env = spades_v0.env()
    names = []
    while env is not env.unwrapped:
        names.append(type(env).__name__)
        env = env.env
    assert names == [
        "OrderEnforcingWrapper",
        "AssertOutOfBoundsWrapper",
        "TerminateIllegalTeamWrapper",
    ]
    assert issubclass(TerminateIllegalTeamWrapper, TerminateIllegalWrapper)


@pytest.mark.parametrize("single", [True, False], ids=["deal", "game"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"bags_carried": False},
        {"failed_nil": "partner"},
        {"failed_nil": "nothing", "set_team": "zero"},
        {"bags_limit": 1, "bag_points": 40, "bag_penalty": 30},
        {"trick_points": 0, "nil_points": 7, "bags_limit": 5},
    ],
    ids=str,
)
def test_no_deal_swings_further(changes, single):
    """`deal_swing` is the largest loss over all bids and tricks, by the reference."""
    rules = Rules(**changes)
    values = vars(reference_rules(rules))
    bags = (0, rules.bags_limit - 1)
    if single:
        values["bag_points"] -= rules.bag_penalty / rules.bags_limit
        values["bag_penalty"] = 0
        bags = (0,)
    reference = ReferenceRules(**values)
    most = np.full(14, -np.inf)
    least = np.full(14, np.inf)
    for won_a in range(14):
        for won_b in range(won_a, 14 - won_a):
            for bids in np.ndindex(14, 14):
                for before in bags:
                    points, _ = score_team(reference, bids, (won_a, won_b), before)
                    tricks = won_a + won_b
                    most[tricks] = max(most[tricks], points)
                    least[tricks] = min(least[tricks], points)
    assert deal_swing(rules, single) == pytest.approx((most[::-1] - least).max())


ALL_SPADES = [
    hand.split()
    for hand in (
        "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
        "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD",
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
    )
]
ELEVEN_SPADES = [
    hand.split()
    for hand in (
        "2C 3C 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS",
        "4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D",
        "4D 5D 6D 7D 8D 9D TD JD QD KD AD KS AS",
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
    )
]


@pytest.mark.parametrize(
    ("settings", "hands", "won", "points"),
    [
        ({}, ALL_SPADES, [13, 0, 0, 0], -100 - 130 - 9 * 13),
        # 9 bags and 11 more: two penalties.
        (
            {"episode": "game", "max_deals": 1},
            ELEVEN_SPADES,
            [11, 0, 2, 0],
            -100 - 130 + 11 - 200,
        ),
    ],
    ids=["deal", "game"],
)
def test_the_worst_deal_costs_less_than_the_penalty(settings, hands, won, points):
    """The worst that can happen does happen here, and the penalty is worse still.

    player_0 fails its nil and player_2 its bid of 13; both opponents make nil.
    """
    env = spades_v0.raw_env(**settings)
    options = {"hands": hands, "dealer": 3, "bags": (9, 0)}
    env.reset(options=options)
    for bid in (0, 0, 13, 0):
        env.step(52 + bid)
    while not is_over(env):
        # Who leads, leads a side suit if it can; player_0 and player_2 trump it.
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        env.step(legal[0 if env.game.led_suit < 0 else -1])
    assert env.game.won.tolist() == won
    assert env.rewards["player_0"] == (points - 200) / 100
    env.reset(options=options)
    env.forfeit()
    assert env.rewards["player_0"] == (points - 200 - 1) / 100


def losing_choice(team, rng):
    """The worst that a team can do to itself, helped by the other team.

    It bids all tricks, or nil, and tries to take none, or all, of them.
    """
    nil, others_nil = rng.integers(2, size=2)

    def choose(env, mask):
        game = env.unwrapped.game
        own = int(game.turn) % 2 == team
        legal = np.flatnonzero(mask)
        if game.step < 4:
            return 52 if (nil if own else others_nil) else 65 if own else 58
        wants_tricks = bool(nil) == own
        return int(legal[np.argsort(legal % 13)[-1 if wants_tricks else 0]])

    return choose


NEVER_PAYS = {
    **SETTINGS,
    "no floor": {"episode": "game", "max_deals": 5, "rules": Rules(floor=None)},
    "low target": {"episode": "game", "rules": Rules(target=1, floor=-1)},
}


@pytest.mark.parametrize("settings", NEVER_PAYS.values(), ids=NEVER_PAYS)
def test_acting_illegally_never_pays(settings):
    """From random positions, no legal continuation is as bad as an illegal action.

    Legal play is tried in which the team does its worst and the opponents help it, and
    its losses are looked at after every deal, not only at the end.
    """
    rng = np.random.default_rng(0)
    env = spades_v0.env(**settings)
    worst = 0.0
    for position in range(40):
        env.reset(seed=position)
        run(env, sensible_choice(rng), rng.integers(0, 56 * (position % 4 + 1)))
        if not env.agents or is_over(env):
            continue
        team = AGENTS.index(env.agent_selection) % 2
        fork = copy.deepcopy(env)
        fork.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
        penalty = -fork.rewards[AGENTS[team]]
        assert fork.rewards[AGENTS[1 - team]] == penalty
        for player in (losing_choice(team, rng), random_choice(rng)):
            fork = copy.deepcopy(env)
            total = 0.0
            while not is_over(fork):
                mask = fork.observe(fork.agent_selection)["action_mask"]
                fork.step(player(fork, mask))
                total += fork.rewards[AGENTS[team]]
                assert total > -penalty
            worst = min(worst, total / penalty)
    assert worst < -0.1  # the losing player loses something


def test_the_penalty_follows_the_score():
    """A team that leads has more to lose."""
    env = spades_v0.raw_env(episode="game")
    losses = []
    for scores in ((-150, 450), (0, 0), (450, -150)):
        env.reset(options={"scores": scores})
        losses.append(largest_loss(env.game, env.rules, 0, None))
    assert losses == [100 + 619, 700 + 619, 1300 + 619]
    assert largest_loss(env.game, env.rules, 0, 1) == 619
    assert largest_loss(env.game, env.rules, 1, None) == 100 + 619


def test_a_loss_without_bound_is_refused():
    settings = {"episode": "game", "rules": Rules(floor=None)}
    with pytest.raises(ValueError, match="max_deals"):
        spades_v0.env(**settings)
    spades_v0.env(**settings, reward="win")
    spades_v0.env(**settings, max_deals=9)
    spades_v0.env(rules=Rules(floor=None))
    spades_v0.raw_env(**settings)


# Bad input.


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"episode": "hand"}, "episode must be one of 'deal', 'game', not 'hand'"),
        ({"reward": "score"}, "reward must be one of 'points', 'win', not 'score'"),
        ({"reward": "win"}, "reward='win' needs episode='game'"),
        ({"render_mode": "human"}, "render_mode must be one of None, 'ansi', not"),
        ({"max_deals": 3}, "max_deals needs episode='game'"),
        ({"episode": "game", "max_deals": 0}, "max_deals must be at least 1, not 0"),
        ({"episode": "game", "max_deals": 1.5}, "max_deals must be an int, not 1.5"),
        ({"episode": "game", "max_deals": True}, "max_deals must be an int, not True"),
        ({"rules": {"target": 300}}, "rules must be a spades_env.Rules, not"),
        ({"seed": 3}, "unexpected keyword argument 'seed'"),
    ],
    ids=str,
)
@both_faces
def test_bad_arguments(make, settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(**settings)


def changed(seat, place, card):
    hands = [list(hand) for hand in HANDS]
    hands[seat][place] = card
    return hands


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand": HANDS}, "unknown option 'hand'; options are hands, dealer, scores"),
        ({"hands": HANDS[:3]}, "hands must be four lists of 13 cards, not 3"),
        ({"hands": "AS"}, "hands must be four lists of 13 cards, not 'AS'"),
        ({"hands": None}, "hands must be four lists of 13 cards, not None"),
        ({"hands": [*HANDS[:3], ["AS"]]}, r"hands\[3\] must be a list of 13 cards"),
        ({"hands": changed(1, 0, "1D")}, "'1D' is not a card"),
        ({"hands": changed(1, 0, 52)}, r"a card of hands\[1\] must be in 0 to 51, not"),
        (
            {"hands": changed(1, 0, 1.5)},
            r"a card of hands\[1\] must be an int, not 1.5",
        ),
        ({"hands": changed(1, 0, "AC")}, r"AC is dealt twice, in hands\[0\] and hand"),
        ({"dealer": 4}, "dealer must be in 0 to 3, not 4"),
        ({"dealer": "player_0"}, "dealer must be an int, not 'player_0'"),
        ({"scores": 100}, "scores must be two numbers, one for each team, not 100"),
        ({"scores": (500, 0)}, r"scores \(500, 0\) end it \(target 500, floor -200\)"),
        ({"scores": (0, -200)}, r"scores \(0, -200\) end it"),
        ({"scores": (0, 0.5)}, r"scores\[1\] must be an int, not 0.5"),
        ({"scores": (10**9, 10**9)}, r"scores\[0\] must be in -1000000 to 1000000"),
        ({"bags": (0, 10)}, r"bags\[1\] must be in 0 to 9, not 10"),
        ({"bags": (-1, 0)}, r"bags\[0\] must be in 0 to 9, not -1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_options(options, message):
    """R3 among them; and a reset that is refused changes nothing."""
    env = after(9, seed=1)
    games = env.games.copy()
    with pytest.raises((ValueError, TypeError), match=message):
        env.reset(seed=2, options=options)
    assert (env.games == games).all()


@pytest.mark.parametrize("method", ["observe", "observation_space", "action_space"])
def test_bad_agent(method):
    env = spades_v0.raw_env()
    env.reset()
    with pytest.raises(
        ValueError, match="no agent 'player_4'; agents are player_0, pl"
    ):
        getattr(env, method)("player_4")


# What the documentation says.


def test_documentation():
    text = spades_v0.__doc__
    assert layout_table(observation_layout()) in text
    assert f"({OBSERVATION_SIZE},)" in text
    assert f"{(deal_swing(Rules(), True) + 1) / 100} in a single deal" in text


def test_render_modes():
    env = spades_v0.env(render_mode="ansi")
    env.reset(seed=0)
    assert "bidding" in env.render()
    env.close()
    env = spades_v0.env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None
