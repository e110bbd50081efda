"""Scoring of a deal and the end of a game (R11 to R20)."""

from __future__ import annotations

from typing import Any

from spades_env.jit import jit
from spades_env.rules import (
    FAILED_NIL_BAGS,
    FAILED_NIL_PARTNER,
    NO_FLOOR,
    SET_ZERO,
)


@jit
def score_bids(
    rules: Any, bid_a: int, bid_b: int, won_a: int, won_b: int
) -> tuple[int, int]:
    """Points of one team for contract and nils, and the bags it took.

    The bags' own points and penalties are left to `count_bags`.

    Args:
        rules: `RULES` record.
        bid_a: bid of one partner, 0..13.
        bid_b: bid of the other.
        won_a: tricks of the first.
        won_b: tricks of the second.
    """
    contract = bid_a + bid_b  # R11
    tricks = 0
    bags = 0
    points = 0
    for bid, won in ((bid_a, won_a), (bid_b, won_b)):
        if bid > 0:
            tricks += won
        elif won == 0:
            points += rules.nil_points  # R14
        else:
            points -= rules.nil_points
            if rules.failed_nil == FAILED_NIL_BAGS:
                bags += won  # R15, R18
            elif rules.failed_nil == FAILED_NIL_PARTNER:
                tricks += won
    if tricks >= contract:
        points += rules.trick_points * contract  # R12
        bags += tricks - contract
    elif rules.set_team != SET_ZERO:
        points -= rules.trick_points * contract  # R13
    return points, bags


@jit
def count_bags(rules: Any, bags_before: int, taken: int) -> tuple[int, int]:
    """Bag count after `taken` more bags, and how many penalties they bring (R17)."""
    bags = bags_before + taken
    if rules.bags_carried:
        return bags % rules.bags_limit, bags // rules.bags_limit
    if bags >= rules.bags_limit:
        return 0, 1
    return bags, 0


@jit
def winning_team(rules: Any, score_0: int, score_1: int) -> int:
    """Team that has won the game after a deal, or -1 while it goes on (R19, R20)."""
    at_target = score_0 >= rules.target or score_1 >= rules.target
    at_floor = rules.floor != NO_FLOOR and (
        score_0 <= rules.floor or score_1 <= rules.floor
    )
    if score_0 == score_1 or not (at_target or at_floor):
        return -1
    return 0 if score_0 > score_1 else 1
