"""Wrong options are refused where they are given, by name and with what is allowed."""

import pytest

from training.config import (
    CloneConfig,
    EvaluationConfig,
    NetworkConfig,
    PPOConfig,
    TrainConfig,
)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (NetworkConfig, "hidden", 0),
        (NetworkConfig, "layers", 9),
        (CloneConfig, "teacher", "expert"),
        (CloneConfig, "updates", -1),
        (CloneConfig, "learning_rate", 0.0),
        (CloneConfig, "minibatch", 0),
        (PPOConfig, "critic_updates", 301),
        (PPOConfig, "clip", 1.0),
        (PPOConfig, "entropy", -0.1),
        (PPOConfig, "gae_lambda", 1.1),
        (PPOConfig, "max_grad_norm", 0.0),
        (EvaluationConfig, "every", -1),
        (EvaluationConfig, "pairs", 1),
        (TrainConfig, "seed", -1),
        (TrainConfig, "deals", 0),
        (TrainConfig, "save_every", 0),
        (TrainConfig, "device", "tpu"),
        (TrainConfig, "threads", -1),
    ],
)
def test_a_wrong_value_names_the_field_and_what_is_allowed(kind, name, value):
    with pytest.raises(ValueError, match=rf"{name} must be .*, not {value!r}"):
        kind(**{name: value})
