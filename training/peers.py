"""What the benchmarks compare with, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np

from spades_env.game import DECISIONS
from training.timing import aec_rate, best_rate


def compile_limit(folder: Path) -> Path | None:
    """The deal loop in C as a program; None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = Path(__file__).with_name("limit.c")
    out = folder / "limit"
    command = [compiler, "-O3", "-march=native", "-o", str(out), str(source)]
    return out if subprocess.run(command).returncode == 0 else None


def connect_four_rate() -> float | None:
    """Decisions per second of PettingZoo's connect_four; None without pygame."""
    try:
        from pettingzoo.classic.connect_four import connect_four
    except ImportError:  # it needs pygame
        return None
    return aec_rate(connect_four.raw_env(), 2000)


def openspiel_rate(deals: int = 60) -> float | None:
    """Decisions per second of OpenSpiel's spades, driven from Python, observed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("spades")
    rng = np.random.default_rng(0)
    deck = [rng.permutation(52).tolist() for _ in range(deals)]
    draws = rng.random((deals, DECISIONS))

    def play() -> None:
        for cards, numbers in zip(deck, draws, strict=True):
            state = game.new_initial_state()
            for card in cards:
                state.apply_action(card)
            for number in numbers:
                if state.is_terminal():
                    break
                state.observation_tensor(state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(number * len(legal))])

    return best_rate(play, deals * DECISIONS)
