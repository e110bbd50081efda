"""Cards, their text, and sets of cards.

A card is `suit * 13 + rank` (0..51): suits clubs, diamonds, hearts, spades; rank 0 is
the 2 and 12 the ace. A set of cards is an `int64` with bit `card` set: 52 bits never
reach the sign, and NumPy, torch and Numba all mix `int64` with other integers freely.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from spades_env.jit import jit

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NUM_CARDS = 52
ACE, KING, QUEEN, JACK = 12, 11, 10, 9

# NumPy integers, so that shifts keep 64 bits also without Numba.
ONE: int = np.int64(1)  # type: ignore[assignment]
SUIT: int = np.int64(0x1FFF)  # type: ignore[assignment]  # clubs; shift for others
SPADE_CARDS: int = np.int64(0x1FFF << 39)  # type: ignore[assignment]
ALL_CARDS: int = np.int64((1 << 52) - 1)  # type: ignore[assignment]
NO_CARDS: int = np.int64(0)  # type: ignore[assignment]
FIRST_SPADE = 39

SUIT_LETTERS = "CDHS"
RANK_LETTERS = "23456789TJQKA"


def card_text(card: int) -> str:
    """Text of a card: rank, then suit (`AS`, `TD`, `2C`)."""
    if not 0 <= card < NUM_CARDS:
        raise ValueError(f"card {card} does not exist; cards are 0 to 51")
    return RANK_LETTERS[card % 13] + SUIT_LETTERS[card // 13]


def parse_card(text: str) -> int:
    """Card of a text like `AS` or `td`; raises ValueError for anything else."""
    rank = RANK_LETTERS.find(text[0].upper()) if len(text) == 2 else -1
    suit = SUIT_LETTERS.find(text[1].upper()) if len(text) == 2 else -1
    if rank < 0 or suit < 0:
        raise ValueError(
            f"{text!r} is not a card; a card is a rank of {RANK_LETTERS} and a suit"
            f" of {SUIT_LETTERS}, like AS or TD"
        )
    return suit * 13 + rank


def card_set(cards: Iterable[int]) -> int:
    """Set of the given cards; raises ValueError for a card outside 0..51."""
    result = 0
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise ValueError(f"card {card} does not exist; cards are 0 to 51")
        result |= 1 << int(card)
    return result


def cards_of(cards: int) -> list[int]:
    """Cards of a set, in ascending order."""
    return [card for card in range(NUM_CARDS) if int(cards) >> card & 1]


@jit
def suit_of(card: int) -> int:
    """Suit of a card, 0..3."""
    return int(card) // 13


@jit
def suit_cards(suit: int) -> int:
    """Set of the thirteen cards of a suit."""
    return SUIT << (13 * int(suit))


# Four operations that the processor has and Python lacks. Each is a plain function
# (used with NUMBA_DISABLE_JIT=1) and one LLVM instruction in compiled code.


def count_cards(cards: int) -> int:
    """Number of cards in a set."""
    return int(cards).bit_count()


def lowest_card(cards: int) -> int:
    """Smallest card number in a set that is not empty."""
    return (int(cards) & -int(cards)).bit_length() - 1


def highest_card(cards: int) -> int:
    """Largest card number in a set that is not empty."""
    return int(cards).bit_length() - 1


def write_cards(cards: int, out: np.ndarray, offset: int) -> None:
    """Write a set as 52 bytes of 0 or 1 into `out[offset : offset + 52]` (int8)."""
    for card in range(NUM_CARDS):
        out[offset + card] = (int(cards) >> card) & 1


@intrinsic
def _popcount(_context: Any, _cards: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def _trailing_zeros(_context: Any, _cards: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def _leading_zeros(_context: Any, _cards: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def _expand(_context: Any, _cards: Any, out: Any, _offset: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cards, array, offset = args
        data = context.make_array(signature.args[1])(context, builder, array).data
        bits = builder.bitcast(cards, ir.VectorType(ir.IntType(1), 64))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), 52), list(range(52)))
        bits = builder.shuffle_vector(bits, bits, lanes)
        values = builder.zext(bits, ir.VectorType(ir.IntType(8), 52))
        place = builder.bitcast(builder.gep(data, [offset]), values.type.as_pointer())
        builder.store(values, place, align=1)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), generate


@overload(count_cards)
def _count_cards(cards: Any) -> Any:
    def compiled(cards: Any) -> Any:
        return _popcount(cards)  # type: ignore[call-arg]

    return compiled


@overload(lowest_card)
def _lowest_card(cards: Any) -> Any:
    def compiled(cards: Any) -> Any:
        return _trailing_zeros(cards)  # type: ignore[call-arg]

    return compiled


@overload(highest_card)
def _highest_card(cards: Any) -> Any:
    def compiled(cards: Any) -> Any:
        return 63 - _leading_zeros(cards)  # type: ignore[call-arg]

    return compiled


@overload(write_cards)
def _write_cards(cards: Any, out: Any, offset: Any) -> Any:
    def compiled(cards: Any, out: Any, offset: Any) -> Any:
        _expand(cards, out, offset)  # type: ignore[call-arg]

    return compiled
