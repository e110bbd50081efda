"""Oracle: a cheat that sees all four hands, for the arena to measure against.

It tries every legal action on the true deal, where `search` tries them in worlds that
might be true. No honest player can be expected to do better. It takes games, not Views,
so it is no `Bot`, and nothing but the arena can seat it.
"""

from __future__ import annotations

import numpy as np

from baselines.playout import may_end_game, play_out, worth
from baselines.rule_bots import HARD, choose
from spades_env.chance import derive
from spades_env.game import GAME, NUM_ACTIONS, apply, is_legal
from spades_env.jit import jit
from spades_env.rules import Rules
from spades_env.view import VIEW, look

PLAYOUTS = 32


@jit
def cheat_batch(
    games: np.ndarray,
    rules: np.ndarray,
    bot: int,
    places: np.ndarray,
    keys: np.ndarray,
    actions: np.ndarray,
) -> None:
    """Best actions of the seats to act if a scripted bot plays all the rest."""
    trial = np.zeros(1, GAME)
    views = np.zeros(1, VIEW)
    view = views[0]
    for i in range(len(places)):
        game = games[places[i]]
        seat = int(game.turn)
        look(game, rules[0], seat, view)
        for_win = may_end_game(view)
        own = choose(bot, view, 0)
        most = -np.inf
        for action in range(NUM_ACTIONS):
            if is_legal(game, action):
                value = 0.0
                for k in range(PLAYOUTS):
                    trial[0] = games[places[i]]
                    apply(trial[0], rules[0], action)
                    play_out(trial[0], rules[0], bot, derive(keys[i], k), view)
                    value += worth(trial[0], rules[0], seat & 1, for_win)
                if value > most or (value == most and action == own):
                    most = value
                    actions[i] = action


class Oracle:
    """The player `oracle`, which sees the true hands."""

    name = "oracle"

    def act_games(
        self,
        games: np.ndarray,
        rules: Rules,
        places: np.ndarray,
        keys: np.ndarray,
        actions: np.ndarray,
    ) -> None:
        """Choose an action for the seat to act of some games.

        Args:
            games: `GAME` records.
            rules: of the games.
            places: int64, shape (n,): which of the games.
            keys: uint64, shape (n,): a random number for each decision.
            actions: int64, shape (n,): the chosen actions (0..65) are written here.
        """
        cheat_batch(games, rules.array, HARD, places, keys, actions)
