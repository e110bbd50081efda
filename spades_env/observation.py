"""The observation: a View as one vector of small exact integers.

The layout below is the only place that says where a field lies; `encode` and the
documentation are made from it. Scaling to about -1..1 happens in the network, from
`observation_scale()`.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from spades_env.cards import (
    NO_CARDS,
    NUM_CARDS,
    ONE,
    count_cards,
    suit_cards,
    write_cards,
)
from spades_env.game import BID, BIDDING, NUM_ACTIONS, NUM_BIDS, NUM_SEATS
from spades_env.jit import jit
from spades_env.rules import FAILED_NIL_PARTNER, NO_FLOOR
from spades_env.view import look


class Field(NamedTuple):
    """One field of a vector: `vector[place]` holds integers worth `scale` each."""

    name: str
    place: slice
    scale: float
    meaning: str


def _lay_out(*fields: tuple[str, int, float, str], start: int = 0) -> tuple[Field, ...]:
    layout = []
    for name, size, scale, meaning in fields:
        layout.append(Field(name, slice(start, start + size), scale, meaning))
        start += size
    return tuple(layout)


_OBSERVATION = _lay_out(
    ("hand", 52, 1, "own cards, by card number"),
    ("played", 208, 1, "cards played by each seat, 4 x 52"),
    ("unseen", 52, 1, "cards in the other three hands"),
    ("trick", 52, 1, "cards on the table"),
    ("best_card", 52, 1, "the card that wins the trick so far"),
    # 52 flags that `encode` writes as one set
    ("led_suit", 4, 1, "suit led to the trick, one-hot"),
    ("lead_seat", 4, 1, "seat that leads or led the trick, one-hot"),
    ("best_seat", 4, 1, "seat that wins the trick so far, one-hot"),
    ("trick_position", 4, 1, "cards on the table, 0 to 3, one-hot; zero while bidding"),
    ("voids", 16, 1, "suits each seat has shown void, 4 seats x 4 suits"),
    ("has_bid", 4, 1, "whether each seat has bid"),
    ("nil_alive", 4, 1, "seats that bid nil and have taken no trick"),
    ("nil_failed", 4, 1, "seats that bid nil and have taken a trick"),
    ("bid_position", 4, 1, "how many seats bid before this one, one-hot"),
    ("dealer", 4, 1, "dealer, one-hot"),
    # numbers
    ("bid", 4, 1 / 13, "bid of each seat, -1 before it is made"),
    ("won", 4, 1 / 13, "tricks taken by each seat"),
    ("unseen_in_suit", 4, 1 / 13, "how many cards of each suit are unseen"),
    ("contract", 2, 1 / 13, "sum of the bids made so far: own team, opponents"),
    ("needed", 2, 1 / 13, "tricks still needed for it, at least 0"),
    ("bags", 2, 1 / 10, "bag count"),
    ("score", 2, 1 / 50, "(score - bags) / 10, rounded down"),
    ("to_target", 2, 1 / 50, "tens of points short of the target, rounded up"),
    (
        "to_floor",
        2,
        1 / 50,
        "tens of points above the floor, rounded up; 127: no floor",
    ),
    ("tricks_left", 1, 1 / 13, "tricks not finished"),
    ("bidding", 1, 1, "1 in the bidding, else 0"),
    ("broken", 1, 1, "whether spades are broken"),
)
OBSERVATION_SIZE = _OBSERVATION[-1].place.stop

# What a critic may see beyond the observation of the seat that it judges.
_STATE = (
    *_OBSERVATION,
    *_lay_out(
        ("other_hands", 156, 1, "cards of the other seats, 3 x 52"),
        ("turn", 4, 1, "seat to act, one-hot"),
        start=OBSERVATION_SIZE,
    ),
)
STATE_SIZE = _STATE[-1].place.stop


def observation_layout() -> tuple[Field, ...]:
    """Fields of the observation, in order. Seats are relative: 0 is the viewer."""
    return _OBSERVATION


def state_layout() -> tuple[Field, ...]:
    """Fields of the state: the observation of a seat, then the hidden cards."""
    return _STATE


def scale_of(layout: tuple[Field, ...]) -> np.ndarray:
    """float32 factors that bring a vector of this layout to about -1..1."""
    return np.concatenate(
        [
            np.full(field.place.stop - field.place.start, field.scale, np.float32)
            for field in layout
        ]
    )


def layout_table(layout: tuple[Field, ...]) -> str:
    """The layout as a Markdown table."""
    rows = ["| field | places | scale | meaning |", "|---|---|---|---|"]
    for name, place, scale, meaning in layout:
        last = f"-{place.stop - 1}" if place.stop - place.start > 1 else ""
        unit = "1" if scale == 1 else f"1/{round(1 / scale)}"
        rows.append(f"| `{name}` | {place.start}{last} | {unit} | {meaning} |")
    return "\n".join(rows)


# Changes with the layout. A change of what a field holds must change its meaning's
# text, and so this too.
observation_id = hashlib.sha256(repr(_STATE).encode()).hexdigest()[:12]


def _start(name: str) -> int:
    return next(field.place.start for field in _STATE if field.name == name)


_HAND = _start("hand")
_PLAYED = _start("played")
_UNSEEN = _start("unseen")
_TRICK = _start("trick")
_BEST_CARD = _start("best_card")
_FLAGS = _start("led_suit")
# Bits of the flags.
_LED_SUIT = _start("led_suit") - _FLAGS
_LEAD_SEAT = _start("lead_seat") - _FLAGS
_BEST_SEAT = _start("best_seat") - _FLAGS
_TRICK_POSITION = _start("trick_position") - _FLAGS
_VOIDS = _start("voids") - _FLAGS
_HAS_BID = _start("has_bid") - _FLAGS
_NIL_ALIVE = _start("nil_alive") - _FLAGS
_NIL_FAILED = _start("nil_failed") - _FLAGS
_BID_POSITION = _start("bid_position") - _FLAGS
_DEALER = _start("dealer") - _FLAGS
# Places of the numbers.
_BID = _start("bid")
_WON = _start("won")
_UNSEEN_IN_SUIT = _start("unseen_in_suit")
_CONTRACT = _start("contract")
_NEEDED = _start("needed")
_BAGS = _start("bags")
_SCORE = _start("score")
_TO_TARGET = _start("to_target")
_TO_FLOOR = _start("to_floor")
_TRICKS_LEFT = _start("tricks_left")
_BIDDING = _start("bidding")
_BROKEN = _start("broken")
_OTHER_HANDS = _start("other_hands")
_TURN = _start("turn")


@jit
def to_int8(value: int) -> int:
    """The nearest number that an int8 can hold."""
    return min(max(value, -128), 127)


@jit
def tens(points: int) -> int:
    """Points in tens, rounded down (in floating point, which is faster and exact)."""
    return int(np.floor(points / 10))


@jit
def encode(view: Any, out: np.ndarray) -> None:
    """Write the observation of a View into `out` (int8, `OBSERVATION_SIZE`)."""
    write_cards(view.hand, out, _HAND)
    for k in range(NUM_SEATS):
        write_cards(view.played[k], out, _PLAYED + NUM_CARDS * k)
    write_cards(view.unseen, out, _UNSEEN)
    write_cards(view.table, out, _TRICK)
    best = ONE << view.best_card if view.best_card >= 0 else NO_CARDS
    write_cards(best, out, _BEST_CARD)

    step = int(view.step)
    dealer = int(view.dealer)
    flags = view.voids << _VOIDS
    flags |= ONE << (_BID_POSITION + ((-1 - dealer) & 3))
    flags |= ONE << (_DEALER + dealer)
    if view.lead_seat >= 0:
        flags |= ONE << (_LEAD_SEAT + int(view.lead_seat))
        if step >= NUM_SEATS:
            flags |= ONE << (_TRICK_POSITION + (step & 3))
    if view.led_suit >= 0:
        flags |= ONE << (_LED_SUIT + int(view.led_suit))
        flags |= ONE << (_BEST_SEAT + int(view.best_seat))
    for k in range(NUM_SEATS):
        bid = int(view.bid[k])
        won = int(view.won[k])
        out[_BID + k] = bid
        out[_WON + k] = won
        flags |= np.int64(bid >= 0) << (_HAS_BID + k)
        flags |= np.int64(bid == 0 and won == 0) << (_NIL_ALIVE + k)
        flags |= np.int64(bid == 0 and won > 0) << (_NIL_FAILED + k)
    write_cards(flags, out, _FLAGS)

    for suit in range(4):
        out[_UNSEEN_IN_SUIT + suit] = count_cards(view.unseen & suit_cards(suit))
    for team in range(2):
        contract = 0
        needed = 0
        for k in (team, team + 2):
            bid = max(int(view.bid[k]), 0)
            counts = bid > 0 or view.failed_nil == FAILED_NIL_PARTNER
            contract += bid
            needed += bid - (int(view.won[k]) if counts else 0)
        score = int(view.score[team])
        bags = int(view.bags[team])
        out[_CONTRACT + team] = contract
        out[_NEEDED + team] = max(needed, 0)
        out[_BAGS + team] = to_int8(bags)
        out[_SCORE + team] = to_int8(tens(score - bags))
        out[_TO_TARGET + team] = to_int8(-tens(score - int(view.target)))
        to_floor = -tens(int(view.floor) - score)
        out[_TO_FLOOR + team] = 127 if view.floor == NO_FLOOR else to_int8(to_floor)
    out[_TRICKS_LEFT] = 13 if step < NUM_SEATS else 14 - (step >> 2)
    out[_BIDDING] = step < NUM_SEATS
    out[_BROKEN] = view.broken


@jit
def encode_mask(view: Any, out: np.ndarray) -> None:
    """Write the legal actions of a View into `out` (int8, `NUM_ACTIONS`).

    All zero when the viewer is not the one to act.
    """
    write_cards(view.legal, out, 0)
    bidding = view.phase == BIDDING and view.turn == 0
    for bid in range(NUM_BIDS):
        out[BID + bid] = bidding


@jit
def encode_state(game: Any, rules: Any, seat: int, view: Any, out: np.ndarray) -> None:
    """Write the state as `seat` counts seats into `out` (int8, `STATE_SIZE`).

    This reads the whole game, hidden cards included: for critics, never for a player.
    `view` is a scratch `VIEW` record; it holds the seat's View afterwards.
    """
    look(game, rules, seat, view, False)
    encode(view, out)
    for k in range(1, NUM_SEATS):
        write_cards(game.hand[(seat + k) & 3], out, _OTHER_HANDS + NUM_CARDS * (k - 1))
    for k in range(NUM_SEATS):
        out[_TURN + k] = view.turn == k


assert NUM_ACTIONS == BID + NUM_BIDS
