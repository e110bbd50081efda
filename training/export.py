"""Export of a trained policy to ONNX."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path

import torch

from baselines.checkpoint import read_checkpoint, write_atomically
from spades_env.game import NUM_ACTIONS
from spades_env.observation import OBSERVATION_SIZE
from training.config import TrainConfig
from training.network import Policy


def load_policy(checkpoint: str | os.PathLike[str]) -> tuple[Policy, dict[str, str]]:
    """The policy network and metadata of a checkpoint or run directory.

    Errors are those of `read_checkpoint`.
    """
    arrays, metadata = read_checkpoint(checkpoint)
    policy = Policy(TrainConfig.from_json(metadata["config"]).network)
    policy.load_state_dict(
        {name: torch.from_numpy(arrays[name]) for name in policy.state_dict()}
    )
    return policy.eval(), metadata


def export(checkpoint: str | os.PathLike[str], out: str | os.PathLike[str]) -> Path:
    """Write the policy of a checkpoint as one ONNX file; returns its path.

    Inputs `observation` (int8, (n, OBSERVATION_SIZE)) and `action_mask` (int8,
    (n, 66)), output `logits` (float32, (n, 66)); the best logit is the action, illegal
    actions get -1e9. The metadata names rules, observation and version. A file at
    `out` is replaced in one step or not at all.

    Raises:
        ImportError: the extra `export` is not installed.
        ValueError, FileNotFoundError: the checkpoint cannot be used, or `out` does not
            end in .onnx.
    """
    out = Path(out)
    if out.suffix != ".onnx":
        raise ValueError(f"the exported file must end in .onnx, not {out.name!r}")
    try:
        import onnx
        import onnxscript  # noqa: F401  (torch needs it)
    except ImportError as error:
        raise ImportError(
            "export needs onnx and onnxscript: pip install 'spades-env[export]'"
        ) from error
    policy, metadata = load_policy(checkpoint)
    example = (
        torch.zeros(2, OBSERVATION_SIZE, dtype=torch.int8),
        torch.ones(2, NUM_ACTIONS, dtype=torch.int8),
    )
    rows = torch.export.Dim("rows", min=1)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():  # about torch's own insides
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            policy,
            example,
            input_names=["observation", "action_mask"],
            output_names=["logits"],
            dynamic_shapes=({0: rows}, {0: rows}),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    kept = ("rules_id", "observation_id", "version")
    onnx.helper.set_model_props(model, {name: metadata[name] for name in kept})
    onnx.checker.check_model(model)
    write_atomically(out, model.SerializeToString())
    return out
