"""One learner at many tables: what the two Gymnasium environments share.

The learner has the same seat at every table. Scripted bots in the other seats are
compiled into the loop; any other player is asked about all tables that wait for it at
once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from numba import prange

from baselines import make
from baselines.bot import Bot, decision_key
from baselines.rule_bots import RuleBot, choose
from spades_env.episode import (
    Episode,
    Reward,
    check_episode,
    check_integer,
    payment,
    penalty,
)
from spades_env.forfeit import check_bounded
from spades_env.game import (
    GAME,
    NUM_ACTIONS,
    NUM_SEATS,
    apply,
    is_legal,
    next_deal,
    start_deal,
    start_game,
)
from spades_env.jit import jit
from spades_env.legality import why_illegal
from spades_env.notation import format_deal
from spades_env.observation import OBSERVATION_SIZE, encode, encode_mask
from spades_env.rules import Rules
from spades_env.view import VIEW, look, relative

Player = str | os.PathLike[str] | Bot

# Who sits in a seat: the number of a scripted bot, or
LEARNER = -1
FIRST_GUEST = -2  # and downwards: players that are not compiled into the loop

# Whose action a table awaits: a seat as the learner counts seats, or
LEARNERS_SEAT = 0
NOBODY = -1  # the episode is over

# What is the same at all tables.
SETTING = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("max_deals", np.int64),  # 0: as many as the game takes
                ("seat", np.int8),  # the learner's
                ("players", np.int8, NUM_SEATS),  # as the learner counts seats
                ("single_deal", np.int8),  # 1: an episode is one deal
                ("win", np.int8),  # 1: the reward is for winning the game
            ],
            align=True,
        ),
    )
)

# What a table's episode has come to since the learner acted.
OUTCOME = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("reward", np.float64),
                ("terminated", np.int8),
                ("truncated", np.int8),
                ("awaited", np.int8),
                ("illegal", np.int8),  # 1: the action was not legal, so not taken
            ],
            align=True,
        ),
    )
)


@jit
def _play_on(game: Any, rules: Any, setting: Any, outcome: Any, view: Any) -> None:
    """Let scripted bots act until someone else must, or the episode is over."""
    while True:
        if game.turn < 0:
            outcome.reward += payment(
                game, rules, int(setting.seat) & 1, setting.single_deal, setting.win
            )
            if setting.single_deal or game.winner >= 0:
                outcome.terminated = 1
            elif game.deal + 1 == setting.max_deals:
                outcome.truncated = 1
            if outcome.terminated or outcome.truncated:
                outcome.awaited = NOBODY
                return
            next_deal(game)
        seat = relative(int(game.turn), int(setting.seat))
        player = int(setting.players[seat])
        if player < 0:
            outcome.awaited = seat
            return
        look(game, rules, int(game.turn), view)
        apply(game, rules, choose(player, view, decision_key(game, 0)))


@jit
def _start(
    games: np.ndarray, outcomes: np.ndarray, places: np.ndarray, seeds: np.ndarray
) -> None:
    """Begin a game at each of the given tables; nobody has acted yet."""
    for k in range(len(places)):
        start_game(games[places[k]], seeds[k])
        outcome = outcomes[places[k]]
        outcome.reward = 0.0
        outcome.terminated = 0
        outcome.truncated = 0
        outcome.illegal = 0


@jit
def _start_deals(games: np.ndarray, places: np.ndarray) -> None:
    for k in range(len(places)):
        start_deal(games[places[k]])


@jit
def _proceed(
    games: np.ndarray,
    rules: np.ndarray,
    setting: np.ndarray,
    outcomes: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    places: np.ndarray,
    actions: np.ndarray,
) -> int:
    """Act at each of the given tables, and play on until somebody else must act.

    With no `actions` the tables play on as they are. An action that is not legal is not
    taken but marked; returns how many there were.
    """
    views = np.zeros(1, VIEW)
    view = views[0]
    wrong = 0
    for k in range(len(places)):
        i = places[k]
        game = games[i]
        outcome = outcomes[i]
        if len(actions):
            if outcome.awaited == LEARNERS_SEAT:
                outcome.reward = 0.0
            outcome.illegal = not is_legal(game, int(actions[k]))
            if outcome.illegal:
                wrong += 1
                continue
            apply(game, rules[0], int(actions[k]))
        _play_on(game, rules[0], setting[0], outcome, view)
        if outcome.awaited in (LEARNERS_SEAT, NOBODY):
            look(game, rules[0], int(setting[0].seat), view, False)
            encode(view, observations[i])
            encode_mask(view, masks[i])
    return wrong


@jit(parallel=True)
def _proceed_threaded(
    games: np.ndarray,
    rules: np.ndarray,
    setting: np.ndarray,
    outcomes: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    places: np.ndarray,
    actions: np.ndarray,
    threads: int,
) -> int:
    n = len(places)
    wrong = 0
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        wrong += _proceed(
            games,
            rules,
            setting,
            outcomes,
            observations,
            masks,
            places[part],
            actions[part],
        )
    return wrong


@jit
def _gather(
    games: np.ndarray,
    rules: np.ndarray,
    setting: np.ndarray,
    outcomes: np.ndarray,
    player: int,
    views: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
) -> int:
    """Views, keys and places of the tables that await a player; returns how many."""
    n = 0
    for i in range(len(games)):
        awaited = int(outcomes[i].awaited)
        if awaited > 0 and setting[0].players[awaited] == player:
            look(games[i], rules[0], int(games[i].turn), views[n])
            keys[n] = decision_key(games[i], 0)
            places[n] = i
            n += 1
    return n


class Tables:
    """Games in which one seat is the learner's and bots have the others.

    Arguments are those of `SpadesEnv`, and `num_tables` and `threads`.

    Attributes:
        games: `GAME` records (num_tables,), the whole truth about the games.
        outcomes: `OUTCOME` records (num_tables,).
        observations: int8 (num_tables, OBSERVATION_SIZE), what the learner sees.
        masks: int8 (num_tables, 66): 1 where an action of the learner is legal; all
            zero once the episode is over.
        rules: the rules of all tables.
        seat: the learner's.

    Raises:
        ValueError: an argument is not allowed; the message names it and what is.
        TypeError: an argument has a wrong type.
    """

    def __init__(
        self,
        num_tables: int,
        *,
        partner: Player,
        opponents: Player | tuple[Player, Player],
        seat: int,
        episode: Episode,
        reward: Reward,
        max_deals: int | None,
        rules: Rules,
        threads: int = 1,
    ) -> None:
        check_integer("num_envs", num_tables, 1, None)
        check_integer("seat", seat, 0, NUM_SEATS - 1)
        check_episode(episode, reward, max_deals, rules)
        if episode == "game" and reward == "points":
            check_bounded(rules, max_deals)
        cores = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
        check_integer("threads", threads, 1, cores)
        self.rules = rules
        self.seat = seat
        self.episode = episode
        self.reward = reward
        self.max_deals = max_deals
        self._threads = threads

        self._guests: dict[int, Bot] = {}
        self._setting = np.zeros(1, SETTING)
        self._setting["seat"] = seat
        self._setting["single_deal"] = episode == "deal"
        self._setting["win"] = reward == "win"
        self._setting["max_deals"] = max_deals or 0
        self._setting["players"] = self._seat_players(partner, opponents)

        self.games = np.zeros(num_tables, GAME)
        self.outcomes = np.zeros(num_tables, OUTCOME)
        self.outcomes["awaited"] = NOBODY
        self.observations = np.zeros((num_tables, OBSERVATION_SIZE), np.int8)
        self.masks = np.zeros((num_tables, NUM_ACTIONS), np.int8)
        # What guests are asked with.
        waiting = num_tables if self._guests else 0
        self._views = np.zeros(waiting, VIEW)
        self._keys = np.zeros(waiting, np.uint64)
        self._places = np.zeros(waiting, np.int64)
        self._actions = np.zeros(waiting, np.int64)

    def _seat_players(
        self, partner: Player, opponents: Player | tuple[Player, Player]
    ) -> list[int]:
        """Who sits in each seat as the learner counts them; keeps the guests."""
        if not isinstance(opponents, tuple | list):
            opponents = (opponents, opponents)
        if len(opponents) != 2:
            raise ValueError(
                "opponents must be one player or two (left-hand, right-hand), not"
                f" {len(opponents)}"
            )
        left, right = opponents
        numbers: dict[Any, int] = {}  # a player that is named twice is made once
        players = [LEARNER]
        for player in (left, partner, right):
            name = id(player) if isinstance(player, Bot) else os.fspath(player)
            if name not in numbers:
                bot = player if isinstance(player, Bot) else make(player, self.rules)
                if type(bot) is RuleBot:
                    numbers[name] = bot.number
                else:
                    numbers[name] = FIRST_GUEST - len(self._guests)
                    self._guests[numbers[name]] = bot
            players.append(numbers[name])
        return players

    @property
    def over(self) -> np.ndarray:
        """Where the learner is not to act: no episode goes on. bool (num_tables,)."""
        return self.outcomes["awaited"] != LEARNERS_SEAT

    def begin(
        self, places: np.ndarray, seeds: np.ndarray, start: Mapping[str, Any]
    ) -> None:
        """Begin new episodes, up to the learner's first action.

        Args:
            places: int64, of the tables.
            seeds: uint64, of their games.
            start: fields of the games that the options of `reset` set.
        """
        _start(self.games, self.outcomes, places, seeds)
        if start:
            for name, value in start.items():
                self.games[name][places] = value
            _start_deals(self.games, places)
        self._proceed(places, np.zeros(0, np.int64))
        self._ask_guests()

    def act(self, places: np.ndarray, actions: np.ndarray) -> dict[int, str]:
        """Take the learner's actions (0..65), up to its next ones.

        Args:
            places: int64, of the tables; the learner is to act at all of them.
            actions: int64, of the same shape.

        Returns:
            The places where the action was illegal, and a message for each. The episode
            is over there, with the penalty as its reward.
        """
        illegal = {}
        if self._proceed(places, actions):
            for k in np.flatnonzero(self.outcomes["illegal"][places]):
                place = int(places[k])
                illegal[place] = why_illegal(self.games[place], int(actions[k]))
                self._forfeit(place)
        self._ask_guests()
        return illegal

    def _proceed(self, places: np.ndarray, actions: np.ndarray) -> int:
        arguments = (
            self.games,
            self.rules.array,
            self._setting,
            self.outcomes,
            self.observations,
            self.masks,
            places,
            actions,
        )
        if self._threads == 1:
            return _proceed(*arguments)
        return _proceed_threaded(*arguments, self._threads)

    def _ask_guests(self) -> None:
        """Let the guests act until no table awaits one."""
        asked = bool(self._guests)
        while asked:
            asked = False
            for number, guest in self._guests.items():
                count = _gather(
                    self.games,
                    self.rules.array,
                    self._setting,
                    self.outcomes,
                    number,
                    self._views,
                    self._keys,
                    self._places,
                )
                if count:
                    asked = True
                    places, actions = self._places[:count], self._actions[:count]
                    guest.act_batch(self._views[:count], self._keys[:count], actions)
                    if self._proceed(places, actions):
                        self._refuse(guest, places, actions)

    def _refuse(self, guest: Bot, places: np.ndarray, actions: np.ndarray) -> None:
        wrong = np.flatnonzero(self.outcomes["illegal"][places])[0]
        game = self.games[places[wrong]]
        raise ValueError(
            f"{guest.name} chose the illegal action {actions[wrong]} as seat"
            f" {game.turn} of {format_deal(game, self.rules)}"
        )

    def _forfeit(self, place: int) -> None:
        """End an episode with the penalty for the learner's team."""
        outcome = self.outcomes[place]
        outcome.reward = -penalty(
            self.games[place],
            self.rules,
            self.seat % 2,
            self.episode,
            self.reward,
            self.max_deals,
        )
        outcome.terminated = 1
        outcome.awaited = NOBODY
        self.masks[place] = 0
