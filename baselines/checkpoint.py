"""Checkpoints: one safetensors file of named arrays and text metadata.

Loading runs no code from the file. The file carries a SHA-256 of its content and the
ids of the rules and observation it was made for; all are checked on load.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import spades_env
from spades_env.rules import STANDARD, Rules

FORMAT = "spades-env checkpoint 1"
CHECKPOINT = "checkpoint.safetensors"  # in a run directory

Arrays = dict[str, np.ndarray]


def write_checkpoint(
    path: str | os.PathLike[str],
    arrays: Mapping[str, np.ndarray],
    metadata: Mapping[str, str],
    rules: Rules = STANDARD,
) -> None:
    """Write a checkpoint; a file at `path` is replaced in one step or not at all.

    Raises:
        OSError: the disk is full or may not be written; the old file is untouched.
    """
    save = _safetensors().numpy.save
    # (`ascontiguousarray` would give arrays without dimensions one.)
    ordered = {name: np.asarray(arrays[name], order="C") for name in sorted(arrays)}
    texts = {
        **metadata,
        "format": FORMAT,
        "version": spades_env.__version__,
        "rules_id": rules.rules_id,
        "observation_id": spades_env.observation_id,
    }
    texts["sha256"] = _content_hash(ordered, texts)
    write_atomically(Path(path), save(ordered, texts))


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, also after a crash.

    Raises:
        OSError: the disk is full or may not be written; an old file is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_checkpoint(
    path: str | os.PathLike[str], rules: Rules | None = STANDARD
) -> tuple[Arrays, dict[str, str]]:
    """Arrays and metadata of a checkpoint.

    Args:
        path: the file, or the run directory that holds it.
        rules: the rules it must have been made for; None accepts any.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a checkpoint, cut off, damaged, or made for other rules or
            another observation; the message says which.
    """
    path = Path(path)
    if path.is_dir():
        path /= CHECKPOINT
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint file {path}")
    safetensors = _safetensors()
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            metadata = dict(file.metadata() or {})
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is damaged or not a checkpoint: {error}") from error
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} has the format {metadata.get('format')!r}; this version reads"
            f" {FORMAT!r}"
        )
    sha256 = metadata.pop("sha256", "")
    if _content_hash(arrays, metadata) != sha256:
        raise ValueError(f"{path} is damaged: its SHA-256 does not match its content")
    check_ids(path, metadata, rules)
    return arrays, metadata


def check_ids(
    path: str | os.PathLike[str], metadata: Mapping[str, str], rules: Rules | None
) -> None:
    """Raise ValueError unless the metadata names our observation and these rules."""
    observation_id = metadata.get("observation_id")
    if observation_id != spades_env.observation_id:
        raise ValueError(
            f"{path} was made for observation {observation_id}; this version has"
            f" observation {spades_env.observation_id}"
        )
    if rules is not None and metadata.get("rules_id") != rules.rules_id:
        raise ValueError(
            f"{path} was made for rules {metadata.get('rules_id')}; here the rules are"
            f" {rules.rules_id}"
        )


def _content_hash(arrays: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> str:
    digest = hashlib.sha256(json.dumps(dict(texts), sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            "checkpoints need safetensors: pip install 'spades-env[train]'"
        ) from error
    return safetensors
