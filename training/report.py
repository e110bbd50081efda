"""What the command line shows: matches with a progress bar, tables, a deal."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import baselines
from baselines import Bot, arena
from spades_env import GameBatch, format_deal
from spades_env.game import DECISIONS, NUM_SEATS
from spades_env.render import render_text, trick_text
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
    """Print what matches say of strength, and how each side behaved."""
    strength = Table("A", "B", "points/deal", title="A less B", title_justify="left")
    strength.add_column("95 % interval", no_wrap=True)
    strength.add_column("pairs", no_wrap=True)
    strength.add_column("seed")
    behaviour = Table("", "set", "nils bid", "nils made", "bags/deal", "table bids")
    for result in results:
        low, high = result.ci95
        strength.add_row(
            result.a,
            result.b,
            f"{result.points_per_deal:+.2f}",
            f"{low:+.2f} to {high:+.2f}",
            f"{result.pairs:,}",
            f"{result.seed}",
        )
        for name, side in (
            (result.a, result.behaviour_a),
            (result.b, result.behaviour_b),
        ):
            behaviour.add_row(
                name,
                f"{side.set_rate:.1%}",
                f"{side.nil_rate:.1%}",
                f"{side.nil_success:.1%}" if side.nil_rate else "-",
                f"{side.bags:.2f}",
                f"{result.table_bids:.2f}",
                end_section=side is result.behaviour_b,
            )
    console = Console()
    console.print(strength)
    console.print(behaviour)


def show_deal(a: Bot, b: Bot, seed: int) -> None:
    """Print one deal trick by trick, A in seats 0 and 2, and its notation."""
    batch = GameBatch(1, seed=seed)
    game = batch.games[0]
    for step in range(DECISIONS):
        player = (a, b)[game.turn & 1]
        batch.step(np.array([player.act(batch.views()[0], key=step)]))
        if step == NUM_SEATS - 1:
            print(render_text(game, STANDARD), end="\n\n")
        elif step % NUM_SEATS == NUM_SEATS - 1:
            trick = step // NUM_SEATS - 1
            print(f"trick {trick + 1:2}  {trick_text(game, trick)}")
    print()
    print(render_text(game, STANDARD), end="\n\n")
    print(format_deal(game, STANDARD))
