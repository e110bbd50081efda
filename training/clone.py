"""Behaviour cloning: learn a bot's decisions from deals that it plays with itself."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from baselines import Bot
from spades_env.game import BID, NUM_SEATS
from training.config import CloneConfig
from training.learner import Learner, minibatches
from training.network import observation_of
from training.rollout import Rollout


def watch(teacher: Bot, rollout: Rollout, seed: int, random_scores: bool) -> None:
    """Fill the rollout with deals in which the teacher plays all four seats."""

    def act(rollout: Rollout, step: int) -> None:
        views = rollout.batch.views(rollout.views)
        keys = np.random.default_rng((seed, step)).integers(
            2**64, size=len(views), dtype=np.uint64
        )
        teacher.act_batch(views, keys, rollout.actions[step])

    rollout.collect(seed, act, random_scores)


def clone_update(
    learner: Learner,
    rollout: Rollout,
    teacher: Bot,
    config: CloneConfig,
    *,
    seed: int,
    progress: float,
    random_scores: bool,
) -> dict[str, float]:
    """Watch one batch of deals and take one pass over it; returns what to log.

    The critic learns the results of the same deals, so that self-play starts with one.

    Args:
        learner: networks and optimiser.
        rollout: its arrays are overwritten.
        teacher: the bot that plays.
        config: of the stage.
        seed: of the deals and the order of learning.
        progress: 0 at the start of the stage, towards 1 at its end.
        random_scores: see TrainConfig.
    """
    watch(teacher, rollout, seed, random_scores)
    returns = rollout.rewards[rollout.seats & 1, np.arange(rollout.rewards.shape[1])]
    learner.set_learning_rate(config.learning_rate * (1 - progress))
    sums = {"clone_loss": 0.0, "accuracy_bid": 0.0, "accuracy_play": 0.0}
    generator = np.random.default_rng((seed, NUM_SEATS))
    parts = minibatches(rollout.masks, config.minibatch, generator)
    for part in parts:
        state = learner.take(rollout.states, part.places)
        loss = torch.zeros((), device=learner.device)
        for bidding, rows in ((True, part.bids), (False, part.plays)):
            chosen = learner.take(rollout.actions, part.places[rows])
            logits = learner.policy.phase_logits(
                bidding,
                observation_of(state[rows]),
                learner.take(rollout.masks, part.places[rows]),
            )
            target = chosen - BID if bidding else chosen
            loss = loss + nn.functional.cross_entropy(logits, target)
            right = (logits.argmax(dim=1) == target).float().mean()
            sums["accuracy_bid" if bidding else "accuracy_play"] += float(right)
        error = learner.critic(state) - learner.take(returns, part.places)
        learner.step(loss + 0.5 * error.square().mean())
        sums["clone_loss"] += float(loss.detach())
    return {f"losses/{name}": value / len(parts) for name, value in sums.items()}
