"""Self-play with PPO (Schulman et al., 2017) and a critic that sees all hands."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from spades_env.game import BID, NUM_SEATS
from training.config import PPOConfig
from training.learner import Learner, minibatches
from training.network import observation_of
from training.rollout import Rollout


@torch.no_grad()
def self_play(
    learner: Learner, rollout: Rollout, seed: int, random_scores: bool
) -> None:
    """Fill the rollout with deals in which the policy draws all actions."""
    generator = torch.Generator(learner.device).manual_seed(seed % 2**63)

    def act(rollout: Rollout, step: int) -> None:
        bidding = step < NUM_SEATS
        state = torch.from_numpy(rollout.states[step]).to(learner.device)
        mask = torch.from_numpy(rollout.masks[step]).to(learner.device)
        logits = learner.policy.phase_logits(bidding, observation_of(state), mask)
        # The largest of logit + Gumbel noise is a draw from the softmax.
        noise = torch.rand(
            logits.shape, generator=generator, device=learner.device
        ).clamp_(1e-10, 1 - 1e-7)
        choice = (logits - (-noise.log()).log()).argmax(dim=1, keepdim=True)
        log_probs = logits.log_softmax(dim=1).gather(1, choice).squeeze(1)
        action = choice.squeeze(1) + (BID if bidding else 0)
        rollout.actions[step] = action.cpu().numpy()
        rollout.log_probs[step] = log_probs.cpu().numpy()
        rollout.values[step] = learner.critic(state).cpu().numpy()

    rollout.collect(seed, act, random_scores)


def ppo_update(
    learner: Learner,
    rollout: Rollout,
    config: PPOConfig,
    *,
    seed: int,
    progress: float,
    critic_only: bool,
    random_scores: bool,
) -> dict[str, float]:
    """Play one batch of deals and take one pass over it; returns what to log.

    Args:
        learner: networks and optimiser.
        rollout: its arrays are overwritten.
        config: of the stage.
        seed: of the deals, the draws and the order of learning.
        progress: 0 at the start of the stage, towards 1 at its end.
        critic_only: leave the policy as it is.
        random_scores: see TrainConfig.
    """
    self_play(learner, rollout, seed, random_scores)
    advantages = rollout.advantages(config.gae_lambda)
    returns = advantages + rollout.values
    learner.set_learning_rate(config.learning_rate * (1 - progress))
    entropy_weight = config.entropy * (1 - progress)
    logs: list[dict[str, Tensor]] = []
    generator = np.random.default_rng((seed, 0))
    for part in minibatches(rollout.masks, config.minibatch, generator):
        state = learner.take(rollout.states, part.places)
        target = learner.take(returns, part.places)
        value_loss = 0.5 * (learner.critic(state) - target).square().mean()
        loss = value_loss
        log = {"value_loss": value_loss.detach()}
        phases = ((True, part.bids), (False, part.plays))
        for bidding, rows in () if critic_only else phases:
            places = part.places[rows]
            action = learner.take(rollout.actions, places) - (BID if bidding else 0)
            advantage = learner.take(advantages, places)
            advantage = (advantage - advantage.mean()) / (
                advantage.std(correction=0) + 1e-8
            )
            log_probs = learner.policy.phase_logits(
                bidding,
                observation_of(state[rows]),
                learner.take(rollout.masks, places),
            ).log_softmax(dim=1)
            chosen = log_probs.gather(1, action[:, None]).squeeze(1)
            log_ratio = chosen - learner.take(rollout.log_probs, places)
            ratio = log_ratio.exp()
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
            loss = loss + policy_loss - entropy_weight * entropy
            phase = "bid" if bidding else "play"
            log[f"policy_loss_{phase}"] = policy_loss.detach()
            log[f"entropy_{phase}"] = entropy.detach()
            # Schulman's estimate, joschu.net/blog/kl-approx.html
            log[f"approx_kl_{phase}"] = (ratio - 1 - log_ratio).mean().detach()
            outside = (ratio - 1).abs() > config.clip
            log[f"clipfrac_{phase}"] = outside.float().mean()
        learner.step(loss, config.max_grad_norm)
        logs.append(log)
    means = {}
    for name in logs[0]:
        means[f"losses/{name}"] = float(torch.stack([log[name] for log in logs]).mean())
    means["losses/explained_variance"] = float(
        1 - (returns - rollout.values).var() / max(returns.var(), 1e-8)
    )
    return means
