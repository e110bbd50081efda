"""What a player is: something that chooses a legal action from a View."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from spades_env import VIEW
from spades_env.chance import derive
from spades_env.game import DECISIONS
from spades_env.jit import jit

# Stream of a game's seed that its players' keys come from. The deals themselves are
# streams 0, 1, 2, ...
KEY_STREAM = 1 << 40


@jit
def decision_key(game: Any, table: int) -> int:
    """Key (64 random bits) of the decision that is due in a game.

    It depends on the game's seed, the deal, the decision's number and the table (0, or
    1 where the same game is played at a second table), not on who acts or with which
    cards.
    """
    stream = derive(int(game.seed), KEY_STREAM)
    return derive(stream, DECISIONS * (2 * int(game.deal) + table) + int(game.step))


class Bot(abc.ABC):
    """A player. Subclasses give `name` and `act_batch`.

    A bot sees Views, never games, and keeps nothing from one decision to the next, so
    the same View and key always get the same action. Chance comes from the key alone,
    which the caller draws.
    """

    name: str = "bot"

    @abc.abstractmethod
    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        """Choose an action for each View.

        Args:
            views: `VIEW` records, shape (n,), each with its viewer to act.
            keys: uint64, shape (n,): a random number for each decision.
            actions: int64, shape (n,): the chosen actions (0..65) are written here.
        """

    def act(self, view: np.ndarray | np.record, key: int = 0) -> int:
        """Choose an action (0..65) for one `VIEW` record."""
        if view["turn"] != 0:
            raise ValueError("the seat of this View is not to act")
        views = np.empty(1, VIEW)
        views[0] = view
        actions = np.empty(1, np.int64)
        self.act_batch(views, np.array([key], np.uint64), actions)
        return int(actions[0])


def check_batch(views: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """Raise ValueError unless there are a key and an action for each View."""
    if not len(views) == len(keys) == len(actions):
        raise ValueError(
            f"{len(views)} views need as many keys and actions, not {len(keys)} and"
            f" {len(actions)}"
        )
