"""Whole runs: the same seed gives the same run, also when it is interrupted."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import baselines
from baselines import arena
from baselines.checkpoint import CHECKPOINT, read_checkpoint, write_checkpoint
from training import train as training
from training.config import PRESETS, EvaluationConfig, TrainConfig
from training.train import resume, train


def content(path):
    arrays, metadata = read_checkpoint(path)
    return {name: array.tobytes() for name, array in arrays.items()}, metadata


def test_the_same_seed_gives_the_same_run(tiny, checkpoint, tmp_path):
    assert content(train(tiny, tmp_path / "again")) == content(checkpoint)
    other = dataclasses.replace(tiny, seed=1)
    assert content(train(other, tmp_path / "other"))[0] != content(checkpoint)[0]


@pytest.mark.parametrize("after", [1, 3, 4, 6])
def test_an_interrupted_run_ends_the_same_bit_for_bit(
    tiny, checkpoint, tmp_path, monkeypatch, after
):
    saves = []
    save = training._save

    def save_and_stop(path, learner, config, update):
        save(path, learner, config, update)
        saves.append(update)
        if update == after:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "_save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train(tiny, tmp_path)
    monkeypatch.setattr(training, "_save", save)
    assert int(content(tmp_path / CHECKPOINT)[1]["update"]) == after
    assert content(resume(tmp_path)) == content(checkpoint)


def test_resuming_a_finished_run_changes_nothing(tiny, tmp_path):
    path = train(tiny, tmp_path)
    before = path.read_bytes()
    assert resume(tmp_path) == path
    assert path.read_bytes() == before


def test_an_interrupt_signal_saves_and_ends_the_run(tiny, tmp_path):
    config = dataclasses.replace(
        tiny,
        save_every=1000,
        ppo=dataclasses.replace(tiny.ppo, updates=5000),
    )
    timer = threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path)
    timer.cancel()
    assert time.monotonic() - started < 60
    _, metadata = content(tmp_path / CHECKPOINT)
    assert 0 < int(metadata["update"]) < config.updates


def test_a_second_run_in_the_same_directory_is_refused(tiny, checkpoint):
    with pytest.raises(FileExistsError, match="--resume"):
        train(tiny, checkpoint.parent)


def test_resume_without_a_run_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkpoint file"):
        resume(tmp_path)


def test_resume_of_a_policy_alone_is_refused(checkpoint, tmp_path):
    arrays, _ = read_checkpoint(checkpoint)
    write_checkpoint(tmp_path / CHECKPOINT, arrays, {})
    with pytest.raises(ValueError, match="not a run"):
        resume(tmp_path)


def test_a_run_directory_that_cannot_be_written_is_told_at_once(tiny, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(OSError, match="file"):
        train(tiny, blocked)


def test_logs_have_the_documented_names(tiny, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    config = dataclasses.replace(tiny, evaluation=EvaluationConfig(every=3, pairs=2))
    train(config, tmp_path)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    names = set(events.Tags()["scalars"])
    assert {
        "charts/SPS",
        "losses/clone_loss",
        "losses/value_loss",
        "losses/policy_loss_play",
        "losses/approx_kl_bid",
        "losses/explained_variance",
        "eval/easy",
        "eval/normal",
        "eval/hard_ci95",
        "game/nil_rate",
        "game/set_rate",
        "game/table_bids",
    } <= names
    steps = [event.step for event in events.Scalars("charts/SPS")]
    assert steps == [16 * 56 * (k + 1) for k in range(7)]


def test_config_survives_json():
    for config in PRESETS.values():
        assert TrainConfig.from_json(config.to_json()) == config


def test_stop_signals_restore_the_handlers_before():
    before = signal.getsignal(signal.SIGINT)
    with training._stop_signals():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.slow
def test_the_smoke_preset_ends_above_easy(tmp_path):
    """The whole command, in a process of its own, with everything it includes."""
    run = tmp_path / "smoke"
    command = [sys.executable, "-m", "training", "train", "--preset", "smoke"]
    subprocess.run([*command, "--run", str(run)], check=True)
    result = arena.play(
        baselines.make(run), baselines.make("easy"), pairs=5000, seed=77
    )
    assert result.ci95[0] > 0


def test_cloning_learns_and_self_play_keeps_the_policy_finite(checkpoint):
    arrays, _ = read_checkpoint(checkpoint)
    assert all(np.isfinite(array).all() for array in arrays.values())


@pytest.mark.parametrize("seed", range(8))
def test_every_seed_goes_through_both_stages(tiny, tmp_path, seed):
    stages = {
        "clone": dataclasses.replace(tiny.clone, updates=1),
        "ppo": dataclasses.replace(tiny.ppo, updates=2, critic_updates=1),
    }
    train(dataclasses.replace(tiny, seed=seed, **stages), tmp_path)


def test_tiny_minibatches_leave_the_networks_finite(tiny, tmp_path):
    ppo = dataclasses.replace(tiny.ppo, critic_updates=0, minibatch=16)
    arrays, _ = read_checkpoint(train(dataclasses.replace(tiny, ppo=ppo), tmp_path))
    assert all(np.isfinite(array).all() for array in arrays.values())


def test_resuming_keeps_the_curves(tiny, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(tiny, tmp_path)
    resume(tmp_path)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert len(events.Scalars("charts/SPS")) == tiny.updates
