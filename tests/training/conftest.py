import pytest

from training.config import (
    CloneConfig,
    EvaluationConfig,
    NetworkConfig,
    PPOConfig,
    TrainConfig,
)
from training.train import train

TINY = TrainConfig(
    deals=16,
    network=NetworkConfig(hidden=16),
    clone=CloneConfig(updates=3, minibatch=256),
    ppo=PPOConfig(updates=4, critic_updates=1, minibatch=256),
    evaluation=EvaluationConfig(every=0, pairs=2),
    save_every=1,
    threads=1,
)


@pytest.fixture
def tiny():
    """A configuration that trains within a second or two."""
    return TINY


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """The checkpoint of a finished tiny run."""
    return train(TINY, tmp_path_factory.mktemp("runs") / "tiny")
