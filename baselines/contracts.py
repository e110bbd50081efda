"""Contracts, nils and bags as they stand: what a View's bids and tricks mean."""

from __future__ import annotations

from typing import Any

from spades_env.jit import jit
from spades_env.rules import FAILED_NIL_PARTNER


@jit
def nil_alive(view: Any, seat: int) -> bool:
    """Whether a seat has bid nil and taken no trick."""
    return view.bid[seat] == 0 and view.won[seat] == 0


@jit
def contract(view: Any, side: int) -> int:
    """Contract of a team, 0 ours and 1 theirs (R11), as far as it has bid."""
    return max(int(view.bid[side]), 0) + max(int(view.bid[side + 2]), 0)


@jit
def need(view: Any, side: int) -> int:
    """Tricks that a team lacks to its contract; below zero: the bags on it."""
    tricks = 0
    for seat in (side, side + 2):
        if view.bid[seat] > 0 or view.failed_nil == FAILED_NIL_PARTNER:
            tricks += int(view.won[seat])
    return contract(view, side) - tricks


@jit
def bag_cost(view: Any, side: int, taken: int) -> int:
    """Points that the next bag costs a team which has taken some in this deal.

    Each bag brings its share of a penalty nearer (R16, R17). The bag that brings the
    penalty at once counts three shares, and the one before it two.
    """
    limit = int(view.bags_limit)
    share = int(view.bag_penalty) // limit
    bags_to_come = limit - (int(view.bags[side]) + taken) % limit
    return share * max(4 - bags_to_come, 1) - int(view.bag_points)
