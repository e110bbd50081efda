"""What the command line shows: matches with a progress bar, tables, a deal."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import baselines
from baselines import Bot, arena
from spades_env import GameBatch, format_deal
from spades_env.game import DECISIONS
from spades_env.render import render_text
from spades_env.rules import STANDARD


def play_with_progress(
    a: str, b: str, pairs: int, seed: int, workers: int | None = None
) -> arena.Result:
    """`arena.play` by the players' names, with a progress bar on stderr."""
    players = baselines.make(a), baselines.make(b)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{a} against {b}", total=pairs)
        return arena.play(
            *players,
            pairs=pairs,
            seed=seed,
            workers=workers,
            progress=lambda done: bar.advance(task, done),
        )


def print_results(results: list[arena.Result]) -> None:
    """Print matches as a table; `x / y` are A's and B's values."""
    table = Table(caption="set, nil, made, bags: A / B", caption_justify="left")
    for heading in ("A - B", "points/deal (95 %)", "pairs", "bids"):
        table.add_column(heading)
    for heading in ("set %", "nil %", "made %", "bags"):
        table.add_column(heading, no_wrap=True)
    for result in results:
        low, high = result.ci95
        a, b = result.behaviour_a, result.behaviour_b
        table.add_row(
            f"{result.a} - {result.b}",
            f"{result.points_per_deal:+.1f} ({low:+.1f} to {high:+.1f})",
            f"{result.pairs:,}",
            f"{result.table_bids:.1f}",
            f"{100 * a.set_rate:.0f} / {100 * b.set_rate:.0f}",
            f"{100 * a.nil_rate:.0f} / {100 * b.nil_rate:.0f}",
            f"{100 * a.nil_success:.0f} / {100 * b.nil_success:.0f}",
            f"{a.bags:.1f} / {b.bags:.1f}",
        )
    Console().print(table)


def show_deal(a: Bot, b: Bot, seed: int) -> None:
    """Print one deal trick by trick, A in seats 0 and 2, and its notation."""
    batch = GameBatch(1, seed=seed)
    for step in range(DECISIONS):
        if step % 4 == 0:
            print(render_text(batch.games[0], STANDARD))
            print()
        player = (a, b)[batch.games[0].turn & 1]
        batch.step(np.array([player.act(batch.views()[0], key=step)]))
    print(render_text(batch.games[0], STANDARD))
    print(format_deal(batch.games[0], STANDARD))
