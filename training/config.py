"""The options of training: one dataclass per concern, checked when made."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Literal

from baselines import NAMES
from spades_env.game import DECISIONS


def _require(condition: bool, name: str, value: object, allowed: str) -> None:
    if not condition:
        raise ValueError(f"{name} must be {allowed}, not {value!r}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The three networks: bids, plays and the critic.

    Attributes:
        hidden: width of the hidden layers.
        layers: how many hidden layers each network has.
    """

    hidden: int = 256
    layers: int = 2

    def __post_init__(self) -> None:
        _require(self.hidden >= 1, "network.hidden", self.hidden, "at least 1")
        _require(1 <= self.layers <= 8, "network.layers", self.layers, "1 to 8")


@dataclasses.dataclass(frozen=True, kw_only=True)
class CloneConfig:
    """Behaviour cloning, the first stage.

    Attributes:
        teacher: the bot whose decisions are learned.
        updates: how many batches of fresh deals are learned; 0 skips the stage.
        learning_rate: of Adam at the start; it falls to 0 over the stage.
        minibatch: decisions in one optimiser step.
    """

    teacher: str = "hard"
    updates: int = 60
    learning_rate: float = 1e-3
    minibatch: int = 1024

    def __post_init__(self) -> None:
        _require(
            self.teacher in NAMES, "clone.teacher", self.teacher, f"one of {NAMES}"
        )
        _require(self.updates >= 0, "clone.updates", self.updates, "at least 0")
        _require(
            0 < self.learning_rate < 1,
            "clone.learning_rate",
            self.learning_rate,
            "between 0 and 1",
        )
        _require(self.minibatch >= 1, "clone.minibatch", self.minibatch, "at least 1")


@dataclasses.dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """Self-play with proximal policy optimisation, the second stage.

    Attributes:
        updates: how many batches of deals are played and learned; 0 skips the stage.
        critic_updates: of these, how many at the start train the critic alone.
        learning_rate: of Adam at the start; it falls to 0 over the stage.
        minibatch: decisions in one optimiser step.
        clip: how far a probability ratio may move before its gradient is cut.
        entropy: weight of the entropy bonus at the start; it falls to 0 over the stage.
        gae_lambda: lambda of generalised advantage estimation; gamma is 1.
        max_grad_norm: gradients of each network are clipped to this norm.
    """

    updates: int = 300
    critic_updates: int = 10
    learning_rate: float = 3e-4
    minibatch: int = 16384
    clip: float = 0.2
    entropy: float = 0.005
    gae_lambda: float = 0.95
    max_grad_norm: float = 0.5

    def __post_init__(self) -> None:
        _require(self.updates >= 0, "ppo.updates", self.updates, "at least 0")
        _require(
            0 <= self.critic_updates <= self.updates,
            "ppo.critic_updates",
            self.critic_updates,
            f"0 to ppo.updates ({self.updates})",
        )
        _require(
            0 < self.learning_rate < 1,
            "ppo.learning_rate",
            self.learning_rate,
            "between 0 and 1",
        )
        _require(self.minibatch >= 1, "ppo.minibatch", self.minibatch, "at least 1")
        _require(0 < self.clip < 1, "ppo.clip", self.clip, "between 0 and 1")
        _require(self.entropy >= 0, "ppo.entropy", self.entropy, "at least 0")
        _require(0 <= self.gae_lambda <= 1, "ppo.gae_lambda", self.gae_lambda, "0 to 1")
        _require(
            self.max_grad_norm > 0, "ppo.max_grad_norm", self.max_grad_norm, "above 0"
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """Measuring the policy in the arena while it trains.

    Attributes:
        every: updates between measurements; 0 measures at the end only.
        pairs: duplicate pairs against each of Easy, Normal and Hard; 0 never measures.
    """

    every: int = 50
    pairs: int = 2000

    def __post_init__(self) -> None:
        _require(self.every >= 0, "evaluation.every", self.every, "at least 0")
        _require(
            self.pairs == 0 or self.pairs >= 2,
            "evaluation.pairs",
            self.pairs,
            "0 or at least 2",
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """One training run.

    Attributes:
        seed: of weights, deals and all choices; the same seed gives the same run.
        deals: deals played in step for each update, 56 decisions each.
        random_scores: start each deal at a random score; otherwise at 0 to 0.
        save_every: updates between saved checkpoints.
        device: `auto` uses a GPU when there is one.
        threads: CPU threads for torch; 0 takes all cores.
        network: see NetworkConfig.
        clone: see CloneConfig.
        ppo: see PPOConfig.
        evaluation: see EvaluationConfig.
    """

    seed: int = 0
    deals: int = 4096
    random_scores: bool = True
    save_every: int = 20
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int = 0
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    clone: CloneConfig = dataclasses.field(default_factory=CloneConfig)
    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)
    evaluation: EvaluationConfig = dataclasses.field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        _require(0 <= self.seed < 2**63, "seed", self.seed, "0 to 2**63 - 1")
        _require(self.deals >= 1, "deals", self.deals, "at least 1")
        _require(self.save_every >= 1, "save_every", self.save_every, "at least 1")
        _require(
            self.device in ("auto", "cpu", "cuda"),
            "device",
            self.device,
            "auto, cpu or cuda",
        )
        _require(self.threads >= 0, "threads", self.threads, "at least 0")

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return self.clone.updates + self.ppo.updates

    @property
    def decisions_per_update(self) -> int:
        """Decisions played for each update."""
        return self.deals * DECISIONS

    def to_json(self) -> str:
        """The options as text."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> TrainConfig:
        """The options that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        return cls(
            **{
                **values,
                "network": NetworkConfig(**values["network"]),
                "clone": CloneConfig(**values["clone"]),
                "ppo": PPOConfig(**values["ppo"]),
                "evaluation": EvaluationConfig(**values["evaluation"]),
            }
        )


PRESETS: dict[str, TrainConfig] = {
    "smoke": TrainConfig(
        deals=1024,
        network=NetworkConfig(hidden=128),
        clone=CloneConfig(updates=120, minibatch=512, learning_rate=2e-3),
        ppo=PPOConfig(updates=20, critic_updates=5, minibatch=8192, learning_rate=1e-4),
        evaluation=EvaluationConfig(every=0),
    ),
    "default": TrainConfig(),
}
