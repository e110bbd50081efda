"""The networks, in torch: a policy that sees one seat, a critic that sees all hands."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from spades_env.game import BID, NUM_ACTIONS
from spades_env.observation import (
    OBSERVATION_SIZE,
    STATE_SIZE,
    observation_layout,
    scale_of,
    state_layout,
)
from training.config import NetworkConfig

MASKED = -1e9  # logit of an illegal action


class Perceptron(nn.Module):
    """Linear layers with ReLU between them, on scaled int8 input.

    The parameters are named `0.weight`, `0.bias`, `1.weight`, ...
    """

    scale: Tensor

    def __init__(
        self, scale: np.ndarray, outputs: int, config: NetworkConfig, last_gain: float
    ) -> None:
        super().__init__()
        sizes = [len(scale), *[config.hidden] * config.layers, outputs]
        self.layers = [nn.Linear(sizes[k], sizes[k + 1]) for k in range(len(sizes) - 1)]
        for k, layer in enumerate(self.layers):
            last = k == len(self.layers) - 1
            nn.init.orthogonal_(layer.weight, last_gain if last else 2**0.5)
            nn.init.zeros_(layer.bias)
            self.add_module(str(k), layer)
        self.register_buffer("scale", torch.from_numpy(scale), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs, (n, outputs) float32, for int8 input (n, inputs)."""
        x = x.to(self.scale.dtype) * self.scale
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


class Policy(nn.Module):
    """Logits for bids and for cards, from two perceptrons on the observation."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        scale = scale_of(observation_layout())
        self.bid = Perceptron(scale, NUM_ACTIONS - BID, config, 0.01)
        self.play = Perceptron(scale, BID, config, 0.01)

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Logits (n, 66) for any mixture of phases; illegal actions get `MASKED`.

        Args:
            observation: int8 (n, OBSERVATION_SIZE).
            mask: int8 (n, 66).
        """
        logits = torch.cat([self.play(observation), self.bid(observation)], dim=1)
        return logits.masked_fill(mask == 0, MASKED)

    def phase_logits(self, bidding: bool, observation: Tensor, mask: Tensor) -> Tensor:
        """Logits of one phase: (n, 14) for bids, (n, 52) for cards, masked alike."""
        if bidding:
            return self.bid(observation).masked_fill(mask[:, BID:] == 0, MASKED)
        return self.play(observation).masked_fill(mask[:, :BID] == 0, MASKED)


class Critic(nn.Module):
    """Expected points / 100 of the acting seat's team, from the whole state.

    It sees the hidden cards, so it serves training alone; no player uses it.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.value = Perceptron(scale_of(state_layout()), 1, config, 1.0)

    def forward(self, state: Tensor) -> Tensor:
        """Values (n,) float32 for int8 states (n, STATE_SIZE)."""
        return self.value(state).squeeze(1)


def observation_of(state: Tensor) -> Tensor:
    """The observation that a state begins with."""
    return state[:, :OBSERVATION_SIZE]


def policy_arrays(policy: Policy) -> dict[str, np.ndarray]:
    """The policy's parameters as `PolicyBot` and checkpoints hold them."""
    return {
        name: tensor.detach().cpu().numpy().copy()
        for name, tensor in policy.state_dict().items()
    }


assert STATE_SIZE > OBSERVATION_SIZE
