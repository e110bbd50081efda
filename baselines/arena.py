"""The arena: how much better one player is than another, over duplicate pairs.

A pair is one deal played at two tables, with the teams swapped, so that neither player
is helped by the cards. Its difference is `(A - B at table 0 + A - B at table 1) / 2`,
in points of a single deal, where a bag counts -9 (`deal_value`). Pairs are independent,
so the interval of the mean comes from their standard deviation; single deals are not.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from baselines.bot import Bot, decision_key
from baselines.oracle import Oracle
from spades_env.chance import MAX_SEED, derive
from spades_env.episode import check_integer
from spades_env.game import (
    DECISIONS,
    GAME,
    apply,
    deal_value,
    is_legal,
    start_game,
)
from spades_env.jit import jit
from spades_env.notation import format_deal
from spades_env.rules import FAILED_NIL_PARTNER, STANDARD, Rules
from spades_env.view import VIEW, look

Z95, Z99 = 1.959964, 2.575829  # normal quantiles of two-sided 95 % and 99 %


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """How a player's teams fared, over all deals of a match.

    Attributes:
        team_deals: deals times teams played; the base of the averages.
        set_rate: share of contracts above 0 that were not made.
        contract: average contract.
        nil_rate: share of bids that were nil.
        nil_success: share of nils made; nan when there was none.
        bags: average bags per team and deal.
    """

    team_deals: int
    set_rate: float
    contract: float
    nil_rate: float
    nil_success: float
    bags: float


@dataclasses.dataclass(frozen=True)
class Result:
    """Outcome of a match of A against B.

    Attributes:
        a, b: names of the players.
        pairs: duplicate pairs played.
        seed: of the match.
        points_per_deal: mean pair difference, A less B.
        ci95, ci99: its confidence intervals.
        behaviour_a, behaviour_b: how the two sides fared.
        table_bids: average sum of the four bids.
        rules_id: rules of the match.
    """

    a: str
    b: str
    pairs: int
    seed: int
    points_per_deal: float
    ci95: tuple[float, float]
    ci99: tuple[float, float]
    behaviour_a: Behaviour
    behaviour_b: Behaviour
    table_bids: float
    rules_id: str

    def to_json(self) -> dict[str, Any]:
        """The result as plain data; nan becomes None."""
        data = dataclasses.asdict(self)
        for side in (data["behaviour_a"], data["behaviour_b"]):
            for name, value in side.items():
                side[name] = None if value != value else value
        return data


def play(
    a: Bot | Oracle,
    b: Bot | Oracle,
    *,
    pairs: int,
    seed: int,
    rules: Rules = STANDARD,
    workers: int | None = None,
    chunk: int = 1024,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Play `pairs` duplicate pairs of A against B.

    Args:
        a: the player whose points count.
        b: its opponent. Each player sits in both seats of its team. `Oracle` is
            allowed here as nowhere else.
        pairs: number of pairs, at least 2.
        seed: pair `p` is the deal of seed `derive(seed, p)`.
        rules: of the tables.
        workers: threads that play chunks side by side; None takes all cores. The
            result depends on neither `workers` nor `chunk`.
        chunk: pairs that are played in step.
        progress: called with the number of pairs that have just been finished.

    Raises:
        ValueError: a number is out of range, or a player chose an illegal action.
        TypeError: a number is not an int.
    """
    if workers is None:
        workers = os.cpu_count() or 1
    check_integer("pairs", pairs, 2, None)
    check_integer("seed", seed, 0, MAX_SEED)
    check_integer("workers", workers, 1, None)
    check_integer("chunk", chunk, 1, None)

    def play_chunk(first: int) -> np.ndarray:
        return _play_pairs(a, b, seed, first, min(chunk, pairs - first), rules)

    rows = []
    firsts = range(0, pairs, chunk)
    for part in _in_order(play_chunk, firsts, workers):
        rows.append(part)
        if progress is not None:
            progress(len(part))
    return _summarise(a.name, b.name, seed, np.concatenate(rows), rules)


def _in_order(
    function: Callable[[int], np.ndarray], items: range, workers: int
) -> Iterator[np.ndarray]:
    if workers == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(function, items)
    finally:
        pool.shutdown(cancel_futures=True)


def _play_pairs(
    a: Bot | Oracle, b: Bot | Oracle, seed: int, first: int, pairs: int, rules: Rules
) -> np.ndarray:
    """Play pairs `first`, `first + 1`, ...; returns `TEAM_DEAL`s, (pairs, 2, 2).

    The second axis is the table, the third the player (A, B).
    """
    games = np.zeros(2 * pairs, GAME)
    views = np.zeros(2 * pairs, VIEW)
    keys = np.zeros(2 * pairs, np.uint64)
    tables = np.zeros(2 * pairs, np.int64)
    actions = np.zeros(2 * pairs, np.int64)
    _start_pairs(games, np.uint64(seed), first)
    for _ in range(DECISIONS):
        count_a = _gather(games, rules.array, views, keys, tables)
        for player, part in ((a, slice(0, count_a)), (b, slice(count_a, None))):
            if len(tables[part]):
                if isinstance(player, Oracle):
                    player.act_games(
                        games, rules, tables[part], keys[part], actions[part]
                    )
                else:
                    player.act_batch(views[part], keys[part], actions[part])
                _apply_all(games, rules, tables[part], actions[part], player)
    results = np.zeros((pairs, 2, 2), TEAM_DEAL)
    _measure(games, rules.array, results)
    return results


def _apply_all(
    games: np.ndarray,
    rules: Rules,
    tables: np.ndarray,
    actions: np.ndarray,
    player: Bot | Oracle,
) -> None:
    wrong = _apply(games, rules.array, tables, actions)
    if wrong >= 0:
        game = games[tables[wrong]]
        raise ValueError(
            f"{player.name} chose the illegal action {actions[wrong]} as seat"
            f" {game.turn} of {format_deal(game, rules)}"
        )


# What one team did in one deal.
TEAM_DEAL = np.dtype(
    (
        np.record,
        [
            ("value", np.float64),  # `deal_value`
            ("contract", np.int64),
            ("failed", np.int64),  # 1: the contract was above 0 and not made
            ("nils", np.int64),
            ("nils_made", np.int64),
            ("bags", np.int64),
        ],
    )
)


@jit
def player_of(game: Any, table: int) -> int:
    """Who acts: 0 is A, which sits in team 0 at even tables and in team 1 at odd."""
    return (game.turn + table) & 1


@jit
def _start_pairs(games: np.ndarray, seed: np.uint64, first: int) -> None:
    for table in range(len(games)):
        start_game(games[table], derive(seed, first + table // 2))


@jit
def _gather(
    games: np.ndarray,
    rules: np.ndarray,
    views: np.ndarray,
    keys: np.ndarray,
    tables: np.ndarray,
) -> int:
    """Views and keys of the seats to act, A's first; returns how many are A's."""
    n = 0
    count_a = 0
    for player in range(2):
        for table in range(len(games)):
            game = games[table]
            if player_of(game, table) == player:
                look(game, rules[0], int(game.turn), views[n])
                keys[n] = decision_key(game, table & 1)
                tables[n] = table
                n += 1
        if player == 0:
            count_a = n
    return count_a


@jit
def _apply(
    games: np.ndarray, rules: np.ndarray, tables: np.ndarray, actions: np.ndarray
) -> int:
    """Apply actions up to the first illegal one; returns its place, or -1."""
    for i in range(len(tables)):
        if not is_legal(games[tables[i]], actions[i]):
            return i
        apply(games[tables[i]], rules[0], actions[i])
    return -1


@jit
def _measure(games: np.ndarray, rules: np.ndarray, results: np.ndarray) -> None:
    for table in range(len(games)):
        game = games[table]
        for team in range(2):
            result = results[table // 2, table & 1, (team + table) & 1]
            result.value = deal_value(game, rules[0], team)
            result.bags = game.deal_bags[team]
            tricks = 0
            for seat in (team, team + 2):
                if game.bid[seat] > 0:
                    result.contract += game.bid[seat]
                    tricks += game.won[seat]
                else:
                    result.nils += 1
                    result.nils_made += game.won[seat] == 0
                    if rules[0].failed_nil == FAILED_NIL_PARTNER:
                        tricks += game.won[seat]
            result.failed = tricks < result.contract


def _summarise(a: str, b: str, seed: int, results: np.ndarray, rules: Rules) -> Result:
    values = results["value"]
    differences = (values[:, :, 0] - values[:, :, 1]).mean(axis=1)
    pairs = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) / pairs**0.5
    return Result(
        a=a,
        b=b,
        pairs=pairs,
        seed=seed,
        points_per_deal=mean,
        ci95=(mean - Z95 * error, mean + Z95 * error),
        ci99=(mean - Z99 * error, mean + Z99 * error),
        behaviour_a=_behaviour(results[:, :, 0]),
        behaviour_b=_behaviour(results[:, :, 1]),
        table_bids=float(results["contract"].sum(axis=2).mean()),
        rules_id=rules.rules_id,
    )


def _behaviour(results: np.ndarray) -> Behaviour:
    nils = int(results["nils"].sum())
    contracts = max(int((results["contract"] > 0).sum()), 1)
    return Behaviour(
        team_deals=results.size,
        set_rate=float(results["failed"].sum()) / contracts,
        contract=float(results["contract"].mean()),
        nil_rate=nils / (2 * results.size),
        nil_success=float(results["nils_made"].sum()) / nils if nils else float("nan"),
        bags=float(results["bags"].mean()),
    )
