"""Playing a deal out with a scripted bot in all seats, and what its end is worth.

What `search` and `oracle` share.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.rule_bots import NORMAL, choose
from spades_env.chance import derive
from spades_env.game import apply, deal_value
from spades_env.jit import jit
from spades_env.rules import NO_FLOOR
from spades_env.view import look

# Chance, in 256ths, that a playout takes the action that Normal would take.
WHIM = 24

# A game that this deal may end, because a team is within REACH points of the target or
# the floor, is played for the win, not for points.
REACH = 150
# If it goes on, the chance to win is logistic in the lead, the less steep the more
# points the leader lacks to the target: fitted to 92,000 scores of 12,000 games that
# Hard played against itself.
SPREAD, SPREAD_PER_POINT = 60.0, 0.2


@jit
def play_out(game: Any, rules: Any, bot: int, key: int, view: Any) -> None:
    """Finish the deal with a bot in all seats, which now and then does as Normal does.

    Nobody at a real table is as predictable as one bot, and who counts on it is
    punished for it. Equal keys (64 random bits) give equal whims, whatever was played.
    """
    while game.turn >= 0:
        look(game, rules, int(game.turn), view, False)
        whim = derive(key, int(game.step)) & 255 < WHIM
        apply(game, rules, choose(NORMAL if whim else bot, view, 0))


@jit
def may_end_game(view: Any) -> bool:
    """Whether this deal may end the game (R19)."""
    high = max(int(view.score[0]), int(view.score[1]))
    low = min(int(view.score[0]), int(view.score[1]))
    return high + REACH >= view.target or (
        view.floor != NO_FLOOR and low - REACH <= view.floor
    )


@jit
def win_chance(game: Any, rules: Any, team: int) -> float:
    """Chance of a team to win the game, after a finished deal.

    A bag that is held counts against the score by its share of the penalty.
    """
    if game.winner >= 0:
        return 1.0 if game.winner == team else 0.0
    share = rules.bag_penalty / rules.bags_limit
    other = 1 - team
    lead = game.score[team] - game.score[other]
    lead -= share * (game.bags[team] - game.bags[other])
    lacks = max(rules.target - max(game.score[0], game.score[1]), 0)
    return 1.0 / (1.0 + np.exp(-lead / (SPREAD + SPREAD_PER_POINT * lacks)))


@jit
def worth(game: Any, rules: Any, team: int, for_win: bool) -> float:
    """What a finished deal is worth to a team: points, or its chance to win."""
    if for_win:
        return win_chance(game, rules, team)
    return deal_value(game, rules, team) - deal_value(game, rules, 1 - team)
