"""What both stages of training share: networks, optimiser, minibatches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from spades_env.game import NUM_SEATS
from training.config import NetworkConfig
from training.network import Critic, Policy


class Learner:
    """Policy, critic and their Adam optimiser on one device."""

    def __init__(self, config: NetworkConfig, seed: int, device: torch.device) -> None:
        self.device = device
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.policy = Policy(config).to(device)
            self.critic = Critic(config).to(device)
        self.networks: list[nn.Module] = [
            self.policy.bid,
            self.policy.play,
            self.critic,
        ]
        self.optimizer = torch.optim.Adam(
            [parameter for net in self.networks for parameter in net.parameters()],
            eps=1e-5,
            foreach=True,
        )

    def set_learning_rate(self, rate: float) -> None:
        """Use this learning rate from now on."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def step(self, loss: Tensor, max_grad_norm: float | None = None) -> None:
        """One optimiser step down the gradient of `loss`."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if max_grad_norm is not None:
            for network in self.networks:
                nn.utils.clip_grad_norm_(network.parameters(), max_grad_norm)
        self.optimizer.step()

    def take(self, array: np.ndarray, places: np.ndarray) -> Tensor:
        """Decisions `places` of a rollout's array, as a tensor on the device."""
        rows = array.reshape(-1, *array.shape[2:])
        return (
            torch.from_numpy(rows)
            .index_select(0, torch.from_numpy(places))
            .to(self.device)
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """All that must be saved: parameters and the optimiser's state."""
        arrays = {}
        for prefix, module in (("", self.policy), ("critic.", self.critic)):
            for name, tensor in module.state_dict().items():
                arrays[prefix + name] = tensor.detach().cpu().numpy().copy()
        for index, values in self.optimizer.state_dict()["state"].items():
            for name, tensor in values.items():
                arrays[f"optimizer.{index}.{name}"] = tensor.cpu().numpy().copy()
        return arrays

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore what `arrays` gave."""
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        optimizer = self.optimizer.state_dict()
        optimizer["state"] = {}
        critic = {}
        policy = {}
        for name, tensor in tensors.items():
            if name.startswith("optimizer."):
                _, index, key = name.split(".")
                optimizer["state"].setdefault(int(index), {})[key] = tensor
            elif name.startswith("critic."):
                critic[name.removeprefix("critic.")] = tensor
            else:
                policy[name] = tensor
        self.policy.load_state_dict(policy)
        self.critic.load_state_dict(critic)
        self.optimizer.load_state_dict(optimizer)


class Minibatch(NamedTuple):
    """Decisions of one optimiser step.

    `places` counts through a rollout's (56, deals) arrays; its first rows are bids and
    the rest plays: `places[bids]`, `places[plays]`.
    """

    places: np.ndarray
    bids: slice
    plays: slice


def minibatches(
    masks: np.ndarray, size: int, generator: np.random.Generator
) -> list[Minibatch]:
    """One shuffled pass over all decisions that left a choice.

    Bids and plays are spread evenly, because each has its own network.
    """
    deals = masks.shape[1]
    open_plays = masks[NUM_SEATS:].reshape(-1, masks.shape[2]).sum(axis=1) > 1
    plays = np.flatnonzero(open_plays) + NUM_SEATS * deals
    bids = np.arange(NUM_SEATS * deals)
    generator.shuffle(bids)
    generator.shuffle(plays)
    count = max(1, round((len(bids) + len(plays)) / size))
    return [
        Minibatch(
            np.concatenate([some_bids, some_plays]),
            slice(0, len(some_bids)),
            slice(len(some_bids), None),
        )
        for some_bids, some_plays in zip(
            np.array_split(bids, count), np.array_split(plays, count), strict=True
        )
    ]
