"""A training run: clone a bot, then improve by self-play."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import torch
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from torch.utils.tensorboard import SummaryWriter

import baselines
from baselines import arena
from baselines.checkpoint import CHECKPOINT, read_checkpoint, write_checkpoint
from baselines.policy import PolicyBot
from spades_env.chance import stream_seed
from training.clone import clone_update
from training.config import TrainConfig
from training.learner import Learner
from training.network import policy_arrays
from training.ppo import ppo_update
from training.rollout import Rollout

OPPONENTS = ("easy", "normal", "hard")

# Streams of a run's seed; no deal is used twice or for two purposes.
CLONE_STREAM, PPO_STREAM, EVALUATION_STREAM = 1, 2, 3


def train(config: TrainConfig, run: Path) -> Path:
    """Start a new run in directory `run`; returns the path of its checkpoint.

    Raises:
        FileExistsError: there is a run in that directory already.
        KeyboardInterrupt: SIGINT or SIGTERM came; the run is saved and can be resumed.
    """
    path = run / CHECKPOINT
    if path.exists():
        raise FileExistsError(
            f"{run} holds a run already; continue it with --resume {run}, or choose"
            " another directory"
        )
    run.mkdir(parents=True, exist_ok=True)
    learner = _prepare(config)
    _save(path, learner, config, 0)  # tells at once if the disk refuses
    return _run(config, run, learner, 0)


def resume(run: Path) -> Path:
    """Continue the run in directory `run` to its end; returns its checkpoint's path.

    Raises:
        FileNotFoundError: there is no run.
        ValueError: its checkpoint is damaged.
        KeyboardInterrupt: as `train`.
    """
    arrays, metadata = read_checkpoint(run)
    if "config" not in metadata:
        raise ValueError(f"{run / CHECKPOINT} holds a policy alone, not a run")
    config = TrainConfig.from_json(metadata["config"])
    learner = _prepare(config)
    learner.load(arrays)
    return _run(config, run, learner, int(metadata["update"]))


def _prepare(config: TrainConfig) -> Learner:
    torch.set_num_threads(config.threads or os.cpu_count() or 1)
    name = config.device
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    elif name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device is cuda, but torch finds no GPU here; use auto or cpu")
    return Learner(config.network, config.seed, torch.device(name))


def _run(config: TrainConfig, run: Path, learner: Learner, update: int) -> Path:
    """Updates `update`, `update + 1`, ... to the end of the run."""
    path = run / CHECKPOINT
    rollout = Rollout(config.deals)
    teacher = baselines.make(config.clone.teacher)
    clone, ppo = config.clone, config.ppo
    start, first = time.monotonic(), update
    with (
        SummaryWriter(
            run, purge_step=update * config.decisions_per_update + 1
        ) as writer,
        _progress_bar() as bar,
        _stop_signals() as stopped,
    ):
        task = bar.add_task("", total=config.updates, completed=update, note="")
        while update < config.updates and not stopped:
            if update < clone.updates:
                logs = clone_update(
                    learner,
                    rollout,
                    teacher,
                    clone,
                    seed=stream_seed(config.seed, CLONE_STREAM, update),
                    progress=update / clone.updates,
                    random_scores=config.random_scores,
                )
            else:
                k = update - clone.updates
                logs = ppo_update(
                    learner,
                    rollout,
                    ppo,
                    seed=stream_seed(config.seed, PPO_STREAM, k),
                    progress=k / ppo.updates,
                    critic_only=k < ppo.critic_updates,
                    random_scores=config.random_scores,
                )
            update += 1
            logs |= play_statistics(rollout)
            speed = (update - first) * config.decisions_per_update
            logs["charts/SPS"] = speed / (time.monotonic() - start)
            due = _is_due(config.evaluation.every, update, config.updates)
            if due and not stopped:
                logs |= _evaluate(learner, config)
                bar.update(task, note=f"{logs.get('eval/hard', 0):+.1f} against hard")
            for name, value in logs.items():
                writer.add_scalar(name, value, update * config.decisions_per_update)
            if _is_due(config.save_every, update, config.updates) or stopped:
                _save(path, learner, config, update)
            stage = "clone" if update <= clone.updates else "self-play"
            bar.update(
                task,
                completed=update,
                description=f"{stage} {logs['charts/SPS']:,.0f} decisions/s",
            )
    if stopped:
        print(f"stopped after update {update}; continue with --resume {run}")
        raise KeyboardInterrupt
    return path


def _is_due(every: int, update: int, last: int) -> bool:
    return update == last or (every > 0 and update % every == 0)


def play_statistics(rollout: Rollout) -> dict[str, float]:
    """How the players of a finished rollout bid and fared, for the log."""
    games = rollout.batch.games
    bids, won = games["bid"].astype(int), games["won"]
    nils = bids == 0
    contracts = bids[:, :2] + bids[:, 2:]
    tricks = np.where(nils, 0, won)
    failed = tricks[:, :2] + tricks[:, 2:] < contracts
    return {
        "game/table_bids": float(bids.sum(axis=1).mean()),
        "game/nil_rate": float(nils.mean()),
        "game/nil_success": float((won[nils] == 0).mean()) if nils.any() else 0.0,
        "game/set_rate": float(failed[contracts > 0].mean()),
        "game/bags": float(games["deal_bags"].mean()),
    }


def _evaluate(learner: Learner, config: TrainConfig) -> dict[str, float]:
    """Points per deal against the scripted bots, with half-widths of 95 % intervals."""
    if not config.evaluation.pairs:
        return {}
    player = PolicyBot(policy_arrays(learner.policy))
    logs = {}
    for opponent in OPPONENTS:
        result = arena.play(
            player,
            baselines.make(opponent),
            pairs=config.evaluation.pairs,
            seed=stream_seed(config.seed, EVALUATION_STREAM),
        )
        logs[f"eval/{opponent}"] = result.points_per_deal
        logs[f"eval/{opponent}_ci95"] = result.ci95[1] - result.points_per_deal
    return logs


def _save(path: Path, learner: Learner, config: TrainConfig, update: int) -> None:
    write_checkpoint(
        path, learner.arrays(), {"config": config.to_json(), "update": str(update)}
    )


def _progress_bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """A list that is empty until SIGINT or SIGTERM asks the run to save and stop."""
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if received:  # asked twice: at once, from the last save
            raise KeyboardInterrupt
        received.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield received  # only the main thread may set handlers
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, note) for number in numbers]
    try:
        yield received
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
