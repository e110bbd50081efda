"""Benchmarks: how fast everything is, beside what others offer on the same machine.

Times on shared machines are noisy, so what is compared is measured in turns, and a
ratio is the median over the turns.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numba
import numpy as np
from numba import prange

import baselines
from baselines.policy import PolicyBot
from baselines.rule_bots import NAMES, choose
from spades_env import GAME, NUM_ACTIONS, OBSERVATION_SIZE, VIEW, GameBatch, spades_v0
from spades_env.cards import count_cards, lowest_card
from spades_env.chance import GOLDEN, MASK64, below, derive, mix
from spades_env.game import (
    BID,
    DECISIONS,
    NUM_BIDS,
    NUM_SEATS,
    apply,
    clear_scores,
    legal_cards,
    next_deal,
    start_game,
)
from spades_env.jit import jit
from spades_env.observation import encode, encode_mask
from spades_env.rules import STANDARD
from spades_env.view import look
from training.peers import compile_limit, connect_four_rate, openspiel_rate
from training.timing import aec_rate, best_rate


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One line of the table: `rate` things of a `unit` in a second."""

    name: str
    rate: float
    unit: str = "decisions/s"


Report = dict[str, Any]


def run(rounds: int, policy: str | None, say: Callable[[str], None]) -> Report:
    """Measure everything.

    Args:
        rounds: how often engine and C limit are measured in turns.
        policy: player whose decisions are timed as those of an exported policy; None
            takes an untrained network of 2 x 256.
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

    report |= _engine(rounds, add)
    batch_rates = {}
    for count in sorted({1, threads}):
        for games in (1, 64, 4096, 65536):
            rate = _batch_rate(games, count)
            batch_rates[games, count] = rate
            add(f"GameBatch of {games:,}, {count} threads", rate)
    report["batch_two_core_scaling"] = _batch_scaling(rounds) if threads >= 2 else None
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

    add("gymnasium.make", _seat_env_rate(), "steps/s")
    for count in sorted({1, threads}):
        rate = _vector_env_rate(count)
        add(f"gymnasium.make_vec of 4,096, {count} threads", rate, "steps/s")
    report["vector_steps_per_s"] = rate

    report["bots_deals_per_s"] = {}
    for number, name in enumerate(NAMES):
        deals = best_rate(functools.partial(_bot_deals, number, 2000), 2000)
        report["bots_deals_per_s"][name] = deals
        add(f"four of {name} at the table", deals, "deals/s")
    add("one decision of a policy", 1 / _policy_seconds(policy))

    report["training_engine_share"] = _training_engine_share()
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


# The engine, and the same loop in C.


@jit(forceinline=True)
def _random_action(game: Any, number: int) -> int:
    if game.step < NUM_SEATS:
        return BID + below(number, NUM_BIDS)
    cards = legal_cards(game)
    for _ in range(below(number, count_cards(cards))):
        cards &= cards - 1
    return lowest_card(cards)


@jit
def _begin_next(game: Any) -> None:
    if game.winner >= 0:
        clear_scores(game)
    next_deal(game)


@jit
def _play_deals(games: np.ndarray, rules: np.ndarray, deals: int) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], _random_action(game, mix(key)))
        _begin_next(game)
    return int(game.score[0])


@jit
def _play_deals_observed(
    games: np.ndarray,
    rules: np.ndarray,
    deals: int,
    views: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            look(game, rules[0], int(game.turn), views[0], False)
            encode(views[0], observation)
            encode_mask(views[0], mask)
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], _random_action(game, mix(key)))
        _begin_next(game)
    return int(game.score[0])


def _engine(rounds: int, add: Callable[[str, float], float]) -> Report:
    deals = 50_000
    games, rules, views = np.zeros(1, GAME), STANDARD.array, np.zeros(1, VIEW)
    observation = np.zeros(OBSERVATION_SIZE, np.int8)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    _play_deals(games, rules, 1)
    _play_deals_observed(games, rules, 1, views, observation, mask)
    rates: dict[str, list[float]] = {"alone": [], "observed": [], "c": []}
    with tempfile.TemporaryDirectory() as folder:
        limit = compile_limit(Path(folder))
        for _ in range(rounds):
            for name, function in (
                ("alone", lambda: _play_deals(games, rules, deals)),
                (
                    "observed",
                    lambda: _play_deals_observed(
                        games, rules, deals, views, observation, mask
                    ),
                ),
            ):
                start = time.perf_counter()
                function()
                seconds = time.perf_counter() - start
                rates[name].append(deals * DECISIONS / seconds)
            if limit is not None:
                done = subprocess.run([limit, str(deals)], capture_output=True)
                rates["c"].append(float(done.stdout))
    add("engine alone", statistics.median(rates["alone"]))
    add("engine, observation and mask", statistics.median(rates["observed"]))
    if limit is None:
        return {"engine_vs_c": None, "observed_vs_c": None}
    add("the same loop in C", statistics.median(rates["c"]))
    return {
        f"{key}_vs_c": statistics.median(
            ours / its for ours, its in zip(rates[name], rates["c"], strict=True)
        )
        for key, name in (("engine", "alone"), ("observed", "observed"))
    }


# Many games, driven from Python.


@jit
def _random_actions(games: np.ndarray, number: Any, actions: np.ndarray) -> None:
    for i in range(len(games)):
        actions[i] = _random_action(games[i], derive(number, i))


@jit(parallel=True)
def _random_actions_threaded(
    games: np.ndarray, number: np.uint64, actions: np.ndarray, threads: int
) -> None:
    n = len(games)
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        _random_actions(games[part], derive(number, k), actions[part])


def _play_batch(batch: GameBatch, deals: int) -> None:
    observations = np.zeros((len(batch), OBSERVATION_SIZE), np.int8)
    masks = np.zeros((len(batch), NUM_ACTIONS), np.int8)
    actions = np.zeros(len(batch), np.int64)
    for _ in range(deals):
        for step in range(DECISIONS):
            batch.observe(observations, masks)
            if batch.threads == 1:
                _random_actions(batch.games, np.uint64(step), actions)
            else:
                _random_actions_threaded(
                    batch.games, np.uint64(step), actions, batch.threads
                )
            batch.step(actions)
        batch.next_deal()


def _batch_rate(games: int, threads: int) -> float:
    batch = GameBatch(games, threads=threads)
    deals = max(1, 16384 // games)
    return best_rate(
        lambda: _play_batch(batch, min(deals, 50)),
        games * DECISIONS * min(deals, 50),
    )


def _batch_scaling(rounds: int) -> float:
    """Speed of 4,096 games on two threads over that on one, measured in turns."""
    ratios = []
    batches = [GameBatch(4096, threads=threads) for threads in (1, 2)]
    for batch in batches:
        _play_batch(batch, 1)
    for _ in range(rounds):
        seconds = []
        for batch in batches:
            start = time.perf_counter()
            _play_batch(batch, 4)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    return statistics.median(ratios)


# One game, driven from Python.


def _seat_env_rate(steps: int = 3000) -> float:
    env = gymnasium.make("Spades-v0", partner="hard", opponents="hard").unwrapped
    draws = np.random.default_rng(0).random(steps)

    def play() -> None:
        info = env.reset(seed=0)[1]
        for draw in draws:
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(legal[int(draw * len(legal))])
            if over:
                info = env.reset()[1]

    return best_rate(play, steps)


@jit
def _masked_actions(masks: np.ndarray, number: np.uint64, actions: np.ndarray) -> None:
    for i in range(len(masks)):
        count = 0
        for action in range(NUM_ACTIONS):
            count += masks[i, action]
        left = below(derive(number, i), max(count, 1))
        for action in range(NUM_ACTIONS):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


def _vector_env_rate(threads: int, num_envs: int = 4096, steps: int = 30) -> float:
    env = gymnasium.make_vec(
        "Spades-v0",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        partner="hard",
        opponents="hard",
        threads=threads,
    )
    actions = np.zeros(num_envs, np.int64)

    def play() -> None:
        info = env.reset(seed=0)[1]
        for step in range(steps):
            _masked_actions(info["action_mask"], np.uint64(step), actions)
            info = env.step(actions)[-1]

    return best_rate(play, num_envs * steps)


# Players.


@jit
def _play_bots(
    games: np.ndarray, rules: np.ndarray, views: np.ndarray, bot: int, deals: int
) -> int:
    game = games[0]
    key: Any = np.uint64(1)
    start_game(game, key)
    for _ in range(deals):
        while game.step < DECISIONS:
            look(game, rules[0], int(game.turn), views[0])
            key = (key + GOLDEN) & MASK64
            apply(game, rules[0], choose(bot, views[0], mix(key)))
        _begin_next(game)
    return int(game.score[0])


def _bot_deals(bot: int, deals: int) -> int:
    return _play_bots(np.zeros(1, GAME), STANDARD.array, np.zeros(1, VIEW), bot, deals)


def _policy_seconds(player: str | None) -> float:
    """Seconds of one decision, encoding included, over the decisions of some deals."""
    bot = PolicyBot(_untrained()) if player is None else baselines.make(player)
    batch = GameBatch(20, seed=1)
    views = []
    hard = baselines.make("hard")
    actions = np.zeros(len(batch), np.int64)
    for _ in range(DECISIONS):
        views.append(batch.views())
        hard.act_batch(views[-1], np.zeros(len(batch), np.uint64), actions)
        batch.step(actions)
    singles = np.concatenate(views)
    out, key = np.zeros(1, np.int64), np.zeros(1, np.uint64)

    def play() -> None:
        for k in range(len(singles)):
            bot.act_batch(singles[k : k + 1], key, out)

    return 1 / best_rate(play, len(singles))


def _untrained() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    arrays = {}
    for name, outputs in (("bid", NUM_BIDS), ("play", BID)):
        sizes = (OBSERVATION_SIZE, 256, 256, outputs)
        for k in range(3):
            shape = (sizes[k + 1], sizes[k])
            weight = rng.normal(size=shape) * (2 / sizes[k]) ** 0.5
            arrays[f"{name}.{k}.weight"] = weight.astype(np.float32)
            arrays[f"{name}.{k}.bias"] = np.zeros(sizes[k + 1], np.float32)
    return arrays


def _training_engine_share() -> float | None:
    """Share of a PPO update (2 x 256 networks) that engine and encoder take."""
    try:
        import torch
    except ImportError:
        return None
    from training.config import TrainConfig
    from training.learner import Learner
    from training.ppo import ppo_update
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

    engine = best_rate(lambda: rollout.collect(0, first_legal, True), 1)
    return best_rate(update, 1) / engine


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
