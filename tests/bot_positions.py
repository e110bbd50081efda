"""Views for tests of bots: every decision of deals that anything at all played."""

from __future__ import annotations

import numpy as np

from baselines.rule_bots import choose
from spades_env import BID, BIDDING, GAME, STANDARD, VIEW, Rules
from spades_env.chance import below, derive
from spades_env.game import DECISIONS, apply, start_deal, start_game
from spades_env.jit import jit
from spades_env.view import look

ANYTHING = -1  # random cards, and bids drawn from one kind for the whole deal


@jit
def record_deals(
    bot: int,
    seed: int,
    rules: np.ndarray,
    games: np.ndarray,
    views: np.ndarray,
) -> None:
    """Play deals; row `56 * deal + decision` holds the game and the view before it."""
    game = np.zeros(1, GAME)
    for deal in range(len(games) // DECISIONS):
        key = derive(seed, deal)
        start_game(game[0], key)
        for team in range(2):  # any score that a game can be at, bags to match
            score = below(derive(key, 1 + team), 690) - 195
            game[0].score[team] = score
            game[0].bags[team] = score % min(10, rules[0].bags_limit)
        start_deal(game[0])
        kind = below(derive(key, 3), 6)
        for step in range(DECISIONS):
            row = DECISIONS * deal + step
            games[row] = game[0]
            look(game[0], rules[0], int(game[0].turn), views[row])
            chance = derive(key, 10 + step)
            if bot >= 0:
                action = choose(bot, views[row], chance)
            elif views[row].phase != BIDDING:
                action = choose(0, views[row], chance)
            elif kind == 0:
                action = BID
            elif kind == 1:
                action = BID + 13
            elif kind == 2:
                action = BID + below(chance, 14)
            elif kind == 3:
                action = BID + 5 * below(chance, 2)
            else:
                action = BID + below(chance, 5)
            apply(game[0], rules[0], action)


def random_positions(
    deals: int, seed: int, bot: int = ANYTHING, rules: Rules = STANDARD
) -> tuple[np.ndarray, np.ndarray]:
    """Games and views before every decision of `deals` deals."""
    games = np.zeros(deals * DECISIONS, GAME)
    views = np.zeros(deals * DECISIONS, VIEW)
    record_deals(bot, np.uint64(seed), rules.array, games, views)
    return games, views


def random_views(
    deals: int, seed: int, bot: int = ANYTHING, rules: Rules = STANDARD
) -> np.ndarray:
    """Views before every decision of `deals` deals."""
    return random_positions(deals, seed, bot, rules)[1]
