"""The scripted bots at one table: compiled code that plays any of them by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines import easy, hard, normal, random_legal
from baselines.bot import Bot, check_batch
from spades_env.game import BID, BIDDING
from spades_env.jit import jit

RANDOM, EASY, NORMAL, HARD = range(4)
NAMES = ("random", "easy", "normal", "hard")


@jit
def choose(bot: int, view: Any, key: int) -> int:
    """Action of scripted bot number `bot` for the View's seat, which is to act."""
    if view.phase == BIDDING:
        if bot == RANDOM:
            bid = random_legal.bid(view, key)
        elif bot == EASY:
            bid = easy.bid(view)
        elif bot == NORMAL:
            bid = normal.bid(view)
        else:
            bid = hard.bid(view)
        return BID + bid
    if bot == RANDOM:
        return random_legal.play(view, key)
    if bot == EASY:
        return easy.play(view)
    if bot == NORMAL:
        return normal.play(view)
    return hard.play(view)


@jit
def choose_batch(
    bot: int, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
) -> None:
    """`choose` for many Views."""
    for i in range(len(views)):
        actions[i] = choose(bot, views[i], keys[i])


class RuleBot(Bot):
    """A scripted bot by its name: random, easy, normal or hard."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.number = NAMES.index(name)

    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        """See `Bot.act_batch`."""
        check_batch(views, keys, actions)
        choose_batch(self.number, views, keys, actions)
