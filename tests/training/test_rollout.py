"""Rollouts: what is recorded is what was played, and advantages by another formula."""

import numpy as np
import pytest
import torch

import baselines
from spades_env import OBSERVATION_SIZE, STATE_SIZE, GameBatch
from spades_env.game import DECISIONS
from training.clone import watch
from training.config import NetworkConfig
from training.learner import Learner, minibatches
from training.ppo import self_play
from training.rollout import Rollout


@pytest.fixture(scope="module")
def rollout():
    rollout = Rollout(6)
    watch(baselines.make("random"), rollout, seed=5, random_scores=True)
    rollout.values[:] = np.random.default_rng(0).normal(size=rollout.values.shape)
    return rollout


def test_states_begin_with_the_observation_of_the_acting_seat(rollout):
    batch = GameBatch(6)
    batch.games[:] = rollout.batch.games
    batch.start(5)
    batch.games["score"], batch.games["bags"] = starts(rollout)
    observations = np.zeros((6, OBSERVATION_SIZE), np.int8)
    masks = np.zeros((6, 66), np.int8)
    for step in range(DECISIONS):
        batch.observe(observations, masks)
        assert np.array_equal(rollout.seats[step], batch.games["turn"])
        assert np.array_equal(rollout.states[step, :, :OBSERVATION_SIZE], observations)
        assert np.array_equal(rollout.masks[step], masks)
        assert masks[np.arange(6), rollout.actions[step]].all()
        batch.step(rollout.actions[step])
    assert np.array_equal(batch.games, rollout.batch.games)


def starts(rollout):
    games = rollout.batch.games
    penalties = games["deal_penalties"]
    scores = games["score"] - games["deal_points"]
    return scores, games["bags"] - games["deal_bags"] + 10 * penalties


def test_random_scores_can_occur_in_a_game(rollout):
    scores, bags = starts(rollout)
    assert np.array_equal(bags, scores % 10)
    assert (scores > -200).all()
    assert (scores < 500).all()
    assert len(np.unique(scores)) > 6


def test_rewards_are_zero_sum_and_count_a_bag_as_minus_nine(rollout):
    games = rollout.batch.games
    assert np.array_equal(rollout.rewards[0], -rollout.rewards[1])
    points = (
        games["deal_points"] + 100 * games["deal_penalties"] - 10 * games["deal_bags"]
    )
    assert rollout.rewards[0] == pytest.approx((points[:, 0] - points[:, 1]) / 100)


def test_advantages_equal_the_sum_of_discounted_errors(rollout):
    """A(t) = sum over k of lambda^k delta(t + k), along each seat's own decisions."""
    advantages = rollout.advantages(0.9)
    for deal in range(6):
        for seat in range(4):
            steps = np.flatnonzero(rollout.seats[:, deal] == seat)
            assert len(steps) == 14
            values = [*rollout.values[steps, deal], rollout.rewards[seat % 2, deal]]
            errors = np.diff(values)
            for k, step in enumerate(steps):
                later = errors[k:] * 0.9 ** np.arange(14 - k)
                assert advantages[step, deal] == pytest.approx(later.sum(), abs=1e-5)


def test_lambda_one_gives_result_minus_value(rollout):
    own = rollout.rewards[rollout.seats & 1, np.arange(6)]
    expected = own - rollout.values
    assert rollout.advantages(1.0) == pytest.approx(expected, abs=1e-5)


def test_minibatches_hold_every_choice_once_and_no_forced_move(rollout):
    parts = minibatches(rollout.masks, 50, np.random.default_rng(0))
    places = np.concatenate([part.places for part in parts])
    choices = rollout.masks.reshape(-1, 66).sum(axis=1) > 1
    assert sorted(places) == np.flatnonzero(choices).tolist()
    for part in parts:
        assert (part.places[part.bids] < 4 * 6).all()
        assert (part.places[part.plays] >= 4 * 6).all()
        assert len(part.places[part.bids]) > 0


def test_self_play_draws_legal_actions_with_their_probabilities():
    learner = Learner(NetworkConfig(hidden=8), 0, torch.device("cpu"))
    rollout = Rollout(32)
    self_play(learner, rollout, 7, False)
    rows = np.arange(32)
    for step in range(DECISIONS):
        assert rollout.masks[step, rows, rollout.actions[step]].all()
        state = torch.from_numpy(rollout.states[step])
        mask = torch.from_numpy(rollout.masks[step])
        logits = learner.policy(state[:, :OBSERVATION_SIZE], mask).log_softmax(dim=1)
        expected = logits[rows, rollout.actions[step]].detach().numpy()
        assert rollout.log_probs[step] == pytest.approx(expected, abs=1e-5)
        values = learner.critic(state).detach().numpy()
        assert rollout.values[step] == pytest.approx(values, abs=1e-5)


def test_self_play_bids_as_often_as_the_policy_says():
    """First bids of many deals against the policy's own probabilities (chi-square)."""
    learner = Learner(NetworkConfig(hidden=8), 0, torch.device("cpu"))
    with torch.no_grad():
        learner.policy.bid.layers[-1].bias[:] = torch.linspace(-2, 2, 14)
    rollout = Rollout(4000)
    self_play(learner, rollout, 3, False)
    state = torch.from_numpy(rollout.states[0])
    mask = torch.from_numpy(rollout.masks[0])
    logits = learner.policy(state[:, :OBSERVATION_SIZE], mask)
    expected = logits.softmax(dim=1)[:, 52:].sum(dim=0).detach().numpy()
    counts = np.bincount(rollout.actions[0] - 52, minlength=14)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 40  # 13 degrees of freedom: exceeded once in 7,000 draws


def test_states_have_the_other_hands():
    rollout = Rollout(3)
    watch(baselines.make("easy"), rollout, seed=1, random_scores=False)
    hands = rollout.states[0, :, OBSERVATION_SIZE : OBSERVATION_SIZE + 156]
    assert (hands.reshape(3, 3, 52).sum(axis=2) == 13).all()
    own = rollout.states[0, :, :52]
    assert (hands.reshape(3, 3, 52).sum(axis=1) + own == 1).all()
    assert rollout.states.shape == (56, 3, STATE_SIZE)
