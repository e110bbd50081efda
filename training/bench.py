"""Benchmarks: how fast everything is, beside what others offer on the same machine.

Times on shared machines are noisy. So engine and C limit, and one and two threads, are
measured in turns, and their ratio is the median over the turns.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numba

from baselines.rule_bots import NAMES
from spades_env import GAME, spades_v0
from spades_env.game import (
    DECISIONS,
)
from training.config import TrainConfig
from training.peers import connect_four_rate, openspiel_rate
from training.rates import (
    Report,
    batch_rate,
    batch_scaling,
    bot_deals,
    engine_rates,
    policy_rate,
    seat_env_rate,
    untrained,
    vector_env_rate,
)
from training.timing import aec_rate, best_rate


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One line of the table: `rate` things of a `unit` in a second."""

    name: str
    rate: float
    unit: str = "decisions/s"


def run(rounds: int, policy: str | None, say: Callable[[str], None]) -> Report:
    """Measure everything.

    Args:
        rounds: how often engine and C limit are measured in turns.
        policy: player whose single decisions are timed; None takes an untrained
            network of 2 x 256, as a checkpoint and exported.
        say: called with what is being measured.

    Returns:
        `measurements` (a list of `Measurement`s as dicts), `machine`, and ratios, which
        are None where the peer is not installed.
    """
    threads = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    measurements: list[Measurement] = []
    report: Report = {}

    def add(name: str, rate: float, unit: str = "decisions/s") -> float:
        say(f"{name}: {rate:,.0f} {unit}")
        measurements.append(Measurement(name, rate, unit))
        return rate

    report |= engine_rates(rounds, add)
    batch_rates = {}
    for count in sorted({1, threads}):
        for games in (1, 64, 4096, 65536):
            rate = batch_rate(games, count)
            batch_rates[games, count] = rate
            add(f"GameBatch of {games:,}, {count} threads", rate)
    report["batch_two_core_scaling"] = batch_scaling(rounds) if threads >= 2 else None
    report["batch_cost_65536_vs_4096"] = (
        16 * batch_rates[4096, 1] / batch_rates[65536, 1]
    )
    report["bytes_per_game"] = GAME.itemsize

    aec = add("AEC: raw_env", aec_rate(spades_v0.raw_env()))
    add("AEC: env", aec_rate(spades_v0.env()))
    connect_four = connect_four_rate()
    if connect_four is not None:
        add("AEC: PettingZoo connect_four", connect_four)
    report["aec_vs_connect_four"] = connect_four and aec / connect_four
    peer = openspiel_rate()
    if peer is not None:
        add("OpenSpiel spades with observation", peer)
    report["aec_vs_openspiel"] = peer and aec / peer
    report["batch4096_vs_openspiel"] = peer and batch_rates[4096, 1] / peer

    add("gymnasium.make", seat_env_rate(), "steps/s")
    for count in sorted({1, threads}):
        rate = vector_env_rate(count)
        add(f"gymnasium.make_vec of 4,096, {count} threads", rate, "steps/s")
    report["vector_steps_per_s"] = rate

    report["bots_deals_per_s"] = {}
    for number, name in enumerate(NAMES):
        deals = best_rate(functools.partial(bot_deals, number, 2000), 2000)
        report["bots_deals_per_s"][name] = deals
        add(f"{name}, four at the table", deals * DECISIONS)
    with tempfile.TemporaryDirectory() as folder:
        players = untrained(Path(folder)) if policy is None else [policy]
        for player in players:
            kind = Path(player).suffix or player
            add(f"one decision of a policy, {kind}", policy_rate(player))

    report |= _training_profile()
    report |= _first_use_seconds()

    report["measurements"] = [dataclasses.asdict(line) for line in measurements]
    report["machine"] = _machine()
    return report


def table(report: Report) -> str:
    """The report as Markdown tables: rates, ratios, and the machine."""
    lines = ["| measured | rate |", "|---|---|"]
    for line in report["measurements"]:
        lines.append(f"| {line['name']} | {line['rate']:,.0f} {line['unit']} |")
    lines += ["", "| ratio or figure | |", "|---|---|"]
    for name, value in report.items():
        if value is None or isinstance(value, float | int):
            text = (
                "peer not installed"
                if value is None
                else f"{value:,.3g}"
                if value < 100
                else f"{value:,.0f}"
            )
            lines.append(f"| `{name}` | {text} |")
    lines += ["", ", ".join(f"{key} {text}" for key, text in report["machine"].items())]
    return "\n".join(lines)


def _training_profile() -> Report:
    """Where the time of a PPO update (2 x 256 networks) goes, as shares of it."""
    names = ("engine", "play", "learn")
    try:
        import torch
    except ImportError:
        return {f"training_{name}_share": None for name in names}
    from training.learner import Learner
    from training.ppo import ppo_update, self_play
    from training.rollout import Rollout

    config = TrainConfig(deals=1024)
    learner = Learner(config.network, 0, torch.device("cpu"))
    rollout = Rollout(config.deals)

    def first_legal(rollout: Rollout, step: int) -> None:
        rollout.actions[step] = rollout.masks[step].argmax(axis=1)

    def update() -> None:
        ppo_update(
            learner,
            rollout,
            config.ppo,
            seed=0,
            progress=0,
            critic_only=False,
            random_scores=True,
        )

    engine = 1 / best_rate(lambda: rollout.collect(0, first_legal, True), 1)
    collect = 1 / best_rate(lambda: self_play(learner, rollout, 0, True), 1)
    whole = 1 / best_rate(update, 1)
    seconds = (engine, collect - engine, whole - collect)
    return {
        f"training_{name}_share": part / whole
        for name, part in zip(names, seconds, strict=True)
    }


_FIRST_DEAL = """
import time
start = time.perf_counter()
from spades_env import spades_v0
imported = time.perf_counter()
env = spades_v0.env()
env.reset(seed=0)
for agent in env.agent_iter():
    observation, _, over, _, _ = env.last()
    mask = observation["action_mask"]
    env.step(None if over else env.action_space(agent).sample(mask))
print(imported - start, time.perf_counter() - start)
"""


def _first_use_seconds() -> Report:
    """Seconds to import, and to play a first deal without and with a filled cache."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", _FIRST_DEAL],
                env=environment,
                capture_output=True,
                check=True,
            )
            seconds.append([float(number) for number in done.stdout.split()])
    (_, cold), (imported, warm) = seconds
    return {
        "import_seconds": imported,
        "first_deal_seconds": cold,
        "first_deal_cached_seconds": warm,
    }


def _machine() -> dict[str, str]:
    versions = {}
    for name in (
        "spades-env",
        "numpy",
        "numba",
        "gymnasium",
        "pettingzoo",
        "open_spiel",
    ):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "cpu": _cpu_name(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **versions,
    }


def _cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
