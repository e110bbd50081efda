"""Chance as a function of counters: equal keys give equal draws, on any machine.

The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
generators, 2014). There is no hidden state: a key names a stream, and number `n` of
that stream is `mix(key + n * GOLDEN)`.
"""

from __future__ import annotations

import numpy as np

from spades_env.jit import jit

GOLDEN = 0x9E3779B97F4A7C15
MASK64 = 0xFFFFFFFFFFFFFFFF
MAX_SEED = MASK64


@jit
def mix(x: int) -> int:
    """SplitMix64's output function: a bijection of 64-bit numbers."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


@jit
def derive(key: int | np.uint64, counter: int) -> int:
    """Key of stream `counter` (a non-negative integer) below `key` (64 bits)."""
    place = (int(np.uint64(counter)) * GOLDEN + GOLDEN) & MASK64
    return mix((mix(int(np.uint64(key))) + place) & MASK64)


@jit
def below(number: int, bound: int) -> int:
    """An integer 0..bound-1 from a 64-bit random number.

    Multiply and shift of the upper 32 bits (Lemire, 2019); the bias is under
    `bound / 2**32`.
    """
    return int(np.int64(((number >> 32) * int(np.uint64(bound))) >> 32))


def stream_seed(seed: int, *counters: int) -> int:
    """`derive` applied for each counter in turn, for callers that are not compiled.

    Numba would take a Python int for an int64, and half of all seeds are larger.
    """
    for counter in counters:
        seed = int(derive(np.uint64(seed), np.uint64(counter)))  # type: ignore[arg-type]
    return seed
