"""How rates are measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def best_rate(function: Callable[[], object], things: float) -> float:
    """Things per second, the best of five calls after one to warm up."""
    function()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return things / min(seconds)


def aec_rate(env: Any, steps: int = 5000) -> float:
    """Decisions per second of an AEC environment under random legal play."""
    rng = np.random.default_rng(0)
    draws = rng.random(steps)

    def play() -> None:
        env.reset(seed=0)
        for draw in draws:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(draw * len(legal))])

    return best_rate(play, steps)
