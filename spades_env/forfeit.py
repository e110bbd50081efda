"""What an illegal action costs: more than any legal play could lose."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from spades_env.game import NUM_BIDS
from spades_env.jit import jit
from spades_env.rules import Rules
from spades_env.scoring import count_bags, score_bids

NUM_TRICKS = 13


@jit
def _extreme_points(
    rules: Any, single_deal: bool, lowest: np.ndarray, highest: np.ndarray
) -> None:
    """Fewest and most points that a team can make of 0..13 tricks, whatever it bids."""
    lowest[:] = np.inf
    highest[:] = -np.inf
    share = rules.bag_penalty / rules.bags_limit
    for won_a in range(NUM_TRICKS + 1):
        for won_b in range(NUM_TRICKS + 1 - won_a):
            tricks = won_a + won_b
            for bid_a in range(NUM_BIDS):
                for bid_b in range(NUM_BIDS):
                    points, bags = score_bids(rules, bid_a, bid_b, won_a, won_b)
                    points += bags * rules.bag_points
                    if single_deal:
                        most = least = points - bags * share
                    else:
                        _, few = count_bags(rules, 0, bags)
                        _, many = count_bags(rules, rules.bags_limit - 1, bags)
                        most = points - few * float(rules.bag_penalty)
                        least = points - many * float(rules.bag_penalty)
                    highest[tricks] = max(highest[tricks], most)
                    lowest[tricks] = min(lowest[tricks], least)


@functools.lru_cache(maxsize=64)
def deal_swing(rules: Rules, single_deal: bool) -> float:
    """Most points that one team can lose to the other in one deal, over all deals.

    Every bid and every division of the tricks is tried with the engine's own scoring.

    Args:
        rules: rules of the table.
        single_deal: count bags as `deal_value` does; else with the bag counts that
            suit the loss best.
    """
    lowest = np.zeros(NUM_TRICKS + 1)
    highest = np.zeros(NUM_TRICKS + 1)
    _extreme_points(rules.array[0], single_deal, lowest, highest)
    return float((highest[::-1] - lowest).max())


def check_bounded(rules: Rules, max_deals: int | None) -> None:
    """Raise ValueError for games in which a team can lose any number of points."""
    if rules.floor is None and max_deals is None:
        raise ValueError(
            "a game without a floor and without max_deals can be lost by any number of"
            " points, so no penalty for an illegal action exceeds that; give max_deals,"
            " or Rules a floor, or use reward='win'"
        )


def largest_loss(game: Any, rules: Rules, team: int, max_deals: int | None) -> float:
    """Bound on the points that `team` can still lose to the other team in a game.

    It holds at the end of each deal to come, not only at the end of the game, so it
    bounds discounted returns too.

    Args:
        game: `GAME` record of a deal in progress.
        rules: rules of the table.
        team: 0 or 1.
        max_deals: how many deals the game has at most, or None.

    Raises:
        ValueError: there is no bound; see `check_bounded`.
    """
    check_bounded(rules, max_deals)
    swing = deal_swing(rules, False)
    bounds = []
    if max_deals is not None:
        bounds.append((max_deals - int(game.deal)) * swing)
    if rules.floor is not None:
        # Another deal is played only while both scores lie between floor and target,
        # or are equal (R19, R20). So no team is further behind when a deal begins.
        furthest_behind = rules.target - rules.floor
        lead = int(game.score[team]) - int(game.score[1 - team])
        bounds.append(lead + furthest_behind + swing)
    return min(bounds)
