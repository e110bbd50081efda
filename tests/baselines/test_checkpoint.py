"""Checkpoint files: exact, checked, replaced in one step."""

import errno
import os

import numpy as np
import pytest

from baselines import checkpoint as module
from baselines.checkpoint import read_checkpoint, write_checkpoint
from baselines.policy import PolicyBot
from spades_env import OBSERVATION_SIZE, Rules


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return {
        "b": rng.normal(size=(3, 4)).astype(np.float32),
        "a": np.arange(5),
        "c": np.float32(2.5).reshape(()),
    }


@pytest.fixture
def path(arrays, tmp_path):
    write_checkpoint(tmp_path / "x.safetensors", arrays, {"note": "hello"})
    return tmp_path / "x.safetensors"


def test_round_trip(arrays, path):
    loaded, metadata = read_checkpoint(path)
    assert metadata["note"] == "hello"
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype
        assert np.array_equal(loaded[name], array)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no checkpoint file .*none"):
        read_checkpoint(tmp_path / "none")


def test_every_cut_is_noticed(path):
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"damaged|not a checkpoint|format"):
            read_checkpoint(path)


def test_every_flipped_byte_is_noticed(path):
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=str(path)):
            read_checkpoint(path)


def test_other_rules_and_observations_are_refused(arrays, tmp_path, monkeypatch):
    path = tmp_path / "x.safetensors"
    write_checkpoint(path, arrays, {}, Rules(target=300))
    with pytest.raises(ValueError, match=rf"for rules {Rules(target=300).rules_id}"):
        read_checkpoint(path)
    assert read_checkpoint(path, Rules(target=300))
    assert read_checkpoint(path, None)
    monkeypatch.setattr(module.spades_env, "observation_id", "0123456789ab")
    with pytest.raises(ValueError, match="this version has observation 0123456789ab"):
        read_checkpoint(path, None)


def test_a_foreign_safetensors_file_is_refused(arrays, tmp_path):
    from safetensors.numpy import save_file

    save_file({"a": arrays["a"]}, tmp_path / "x.safetensors")
    with pytest.raises(ValueError, match="has the format None"):
        read_checkpoint(tmp_path / "x.safetensors")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(arrays, path, monkeypatch):
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_checkpoint(path, {"a": np.zeros(1000)}, {})
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_policy_of_the_wrong_shape_is_refused(arrays, path):
    with pytest.raises(ValueError, match="bid network must end in 14 logits"):
        PolicyBot.load(path)
    weight = np.zeros((14, OBSERVATION_SIZE + 1), np.float32)
    with pytest.raises(ValueError, match="layer 0 of the bid network"):
        PolicyBot({"bid.0.weight": weight, "bid.0.bias": np.zeros(14, np.float32)})
