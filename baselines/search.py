"""Search: plays every legal action out in many worlds, and takes the best on average.

For a decision it samples worlds that agree with the View (`spades_env.worlds`), keeps
those that explain the bids made, and lets a scripted bot finish the deal in all four
seats, once for every legal action in each of the same worlds. It needs no training,
and it sees no more than any other player. What it believes about the others is what
its inner bot would do in their place.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np

from baselines.bot import Bot
from baselines.likely import WHIM_STREAM, Room, choose_worlds, make_room
from baselines.playout import may_end_game, play_out, worth
from baselines.rule_bots import NAMES, choose
from spades_env.cards import suit_of
from spades_env.chance import derive
from spades_env.episode import check_integer
from spades_env.game import BID, BIDDING, NUM_ACTIONS, apply
from spades_env.jit import jit
from spades_env.view import VIEW, copy_rules
from spades_env.worlds import deal_world, open_world, prepare

WORLDS = 128
MAX_WORLDS = 100_000
INNER = "hard"
INNER_BOTS = NAMES[1:]  # all but random
# To be chosen, an action must be better than the inner bot's own choice by so many
# standard errors: of many averages, the highest is likely one that chance has raised.
CAUTION = 1.0
# An action is given up when it is so many standard errors behind the leading one. That
# is asked so many times in the course of a search, first after FEWEST worlds, and one
# imaginary world, in which the action gains SURPRISE points or win chance, is added to
# those played: a rare disaster may not have come yet.
DOUBT = 2.5
ROUNDS = 8
FEWEST = 8
SURPRISE_POINTS, SURPRISE_WIN = 100.0, 0.3


@jit
def is_open(view: Any, action: int) -> bool:
    """Whether the viewer, who is to act, may take an action (0..65)."""
    if view.phase == BIDDING:
        return action >= BID
    return action < BID and (view.legal >> action) & 1 == 1


@jit
def equal_lower(view: Any, card: int) -> int:
    """The next lower card of the hand if only cards that are gone lie between, or -1.

    The two win and lose the same tricks, so only one of them need be tried.
    """
    lower = card - 1
    while lower >= 0 and suit_of(lower) == suit_of(card):
        if (view.hand >> lower) & 1:
            return lower
        if ((view.unseen | view.table) >> lower) & 1:
            return -1
        lower -= 1
    return -1


@jit
def average(room: Room, a: int, b: int, worlds: int) -> tuple[float, float, float]:
    """What action `a` comes to on average in the first worlds, less action `b`.

    Returns:
        The mean difference (of `a` alone where `b` is -1), the mean of its square, and
        the weight of the worlds.
    """
    total = 0.0
    mean = 0.0
    square = 0.0
    for k in range(worlds):
        value = room.outcomes[a, k]
        if b >= 0:
            value -= room.outcomes[b, k]
        weight = room.weights[k]
        total += weight
        mean += weight * value
        square += weight * value * value
    return mean / total, square / total, total


@jit
def leading_action(room: Room, worlds: int) -> int:
    """The best action on average, of those that were tried in all worlds so far."""
    best = -1
    most = -np.inf
    for action in range(NUM_ACTIONS):
        if room.tried[action] == worlds:
            mean = average(room, action, -1, worlds)[0]
            if mean > most:
                most = mean
                best = action
    return best


@jit
def may_lead(room: Room, action: int, best: int, worlds: int, surprise: float) -> bool:
    """Whether an action may yet overtake the leading one."""
    mean, square, _ = average(room, action, best, worlds)
    share = 1.0 / (worlds + 1)  # of the imaginary world
    mean += share * (surprise - mean)
    square += share * (surprise * surprise - square)
    error = (max(square - mean * mean, 0.0) / worlds) ** 0.5
    return mean + DOUBT * error >= 0.0


@jit
def summarise(
    view: Any, room: Room, worlds: int, values: np.ndarray, errors: np.ndarray
) -> None:
    """Write value and standard error of every legal action, nan for the others.

    An action that was given up is worth what the leading one is, less the difference in
    the worlds that both were tried in.
    """
    best = leading_action(room, worlds)
    value = average(room, best, -1, worlds)[0]
    for action in range(NUM_ACTIONS):
        values[action] = np.nan
        errors[action] = np.nan
        if not is_open(view, action):
            continue
        lower = equal_lower(view, action) if action < BID else -1
        if lower >= 0:
            values[action] = values[lower]
            errors[action] = errors[lower]
            continue
        tried = room.tried[action]
        mean, square, _ = average(room, action, -1, tried)
        values[action] = value + average(room, action, best, tried)[0]
        errors[action] = (max(square - mean * mean, 0.0) / max(tried - 1, 1)) ** 0.5


@jit
def search(
    view: Any, key: int, bot: int, room: Room, values: np.ndarray, errors: np.ndarray
) -> int:
    """Value every legal action of the viewer, who is to act.

    Args:
        view: `VIEW` record.
        key: 64 random bits.
        bot: number of the inner bot.
        room: what to work in; its size sets the number of worlds.
        values: float64, shape (66,): what each legal action is worth on average; nan
            for the others.
        errors: float64, shape (66,): standard errors of the values.

    Returns:
        Number of worlds that were played out; 0 if none agrees with the View.
    """
    rules = room.rules[0]
    game = room.games[1]
    tried = room.tried
    copy_rules(view, rules)
    prepare(view, room.plans[0])
    open_world(view, room.games[0])
    worlds = choose_worlds(room, bot, key)
    for_win = may_end_game(view)
    surprise = SURPRISE_WIN if for_win else SURPRISE_POINTS
    for action in range(NUM_ACTIONS):
        equal = action < BID and equal_lower(view, action) >= 0
        tried[action] = 0 if is_open(view, action) and not equal else -1
    check = max(len(room.numbers) // ROUNDS, FEWEST)
    for k in range(worlds):
        best = leading_action(room, k) if k and k % check == 0 else -1
        deal_world(room.plans[0], room.numbers[k], room.games[0])
        for action in range(NUM_ACTIONS):
            if tried[action] != k:  # not legal, or given up
                continue
            if best >= 0 and not may_lead(room, action, best, k, surprise):
                continue
            room.games[1] = room.games[0]
            apply(game, rules, action)
            play_out(game, rules, bot, derive(key, WHIM_STREAM + k), room.views[0])
            room.outcomes[action, k] = worth(game, rules, 0, for_win)
            tried[action] = k + 1
    if worlds:
        summarise(view, room, worlds, values, errors)
    return worlds


@jit
def decide(view: Any, room: Room, worlds: int, default: int) -> int:
    """The action to take: the leading one if it is clearly better than `default`."""
    if worlds == 0:
        return default
    best = leading_action(room, worlds)
    own = default
    if own < BID:
        while equal_lower(view, own) >= 0:
            own = equal_lower(view, own)
    tried = room.tried[own]
    mean, square, _ = average(room, best, own, tried)
    error = (max(square - mean * mean, 0.0) / tried) ** 0.5
    return best if mean > CAUTION * error + 1e-9 else default


@jit
def search_batch(
    views: np.ndarray,
    keys: np.ndarray,
    bot: int,
    worlds: int,
    forced: bool,
    actions: np.ndarray,
    values: np.ndarray,
    errors: np.ndarray,
    played: np.ndarray,
) -> None:
    """`search` for many Views, each with its viewer to act.

    Args:
        views: `VIEW` records (n,).
        keys: uint64 (n,).
        bot: number of the inner bot.
        worlds: to play out at most.
        forced: whether to search also where only one action is legal.
        actions: int64 (n,), the actions to take.
        values: float64 (n, 66), as in `search`; untouched where nothing was searched.
        errors: float64 (n, 66).
        played: int64 (n,), numbers of worlds that were played out.
    """
    room = make_room(worlds)
    for i in range(len(views)):
        view = views[i]
        actions[i] = choose(bot, view, keys[i])
        if forced or view.phase == BIDDING or view.legal & (view.legal - 1):
            played[i] = search(view, keys[i], bot, room, values[i], errors[i])
            actions[i] = decide(view, room, played[i], actions[i])


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search found out about one decision.

    Attributes:
        action: the action that `search` takes.
        actions: int64 (n,), all legal actions (0..65), ascending.
        values: float64 (n,), what each is worth to the viewer's team on average.
        errors: float64 (n,), standard errors of the values. All actions were tried in
            the same worlds, so their differences are known better than that.
        worlds: number of worlds that were played out.
        unit: of the values: "points" more than the opponents in this deal, a bag at -9
            (`deal_value`); or, when the deal may end the game, the chance to "win" it.
    """

    action: int
    actions: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    worlds: int
    unit: Literal["points", "win"]


class SearchBot(Bot):
    """The player `search`.

    Args:
        worlds: to play out for a decision, 2 or more; its strength, and its time.
        inner: the bot that plays them out: easy, normal or hard.

    Raises:
        ValueError: an argument is not allowed.
        TypeError: `worlds` is not an int.
    """

    def __init__(self, worlds: int = WORLDS, inner: str = INNER) -> None:
        check_integer("worlds", worlds, 2, MAX_WORLDS)
        if inner not in INNER_BOTS:
            raise ValueError(
                f"inner must be one of {', '.join(INNER_BOTS)}, not {inner!r}"
            )
        self.worlds = worlds
        self.inner = inner
        self.name = f"search:worlds={worlds}"
        if inner != INNER:
            self.name += f",inner={inner}"

    @classmethod
    def parse(cls, name: str) -> SearchBot:
        """A player by its name: `search`, `search:worlds=32`, `...,inner=normal`."""
        options: dict[str, Any] = {}
        for option in name.partition(":")[2].split(",") if ":" in name else ():
            key, _, text = option.partition("=")
            if key == "worlds" and text.isdecimal():
                options[key] = int(text)
            elif key == "inner":
                options[key] = text
            else:
                raise ValueError(
                    f"{name!r}: {option!r} is no option of search; they are"
                    " worlds=NUMBER and inner=BOT"
                )
        return cls(**options)

    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        """See `Bot.act_batch`."""
        self._search(views, keys, actions, forced=False)

    def value_batch(
        self, views: np.ndarray, keys: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values of all actions, to learn from.

        Args:
            views: `VIEW` records (n,), each with its viewer to act.
            keys: uint64 (n,).

        Returns:
            Values and their standard errors, float64 (n, 66) each, as in
            `SearchResult`; nan where an action is not legal.
        """
        return self._search(views, keys, np.zeros(len(views), np.int64), True)[:2]

    def analyse(self, view: np.ndarray | np.record, key: int = 0) -> SearchResult:
        """Search one `VIEW` record, whose viewer is to act.

        Raises:
            ValueError: the viewer is not to act, or no deal agrees with the View.
        """
        views = np.empty(1, VIEW)
        views[0] = view
        if views["turn"][0] != 0:
            raise ValueError("the viewer of this View is not to act")
        action = np.zeros(1, np.int64)
        keys = np.array([key], np.uint64)
        values, errors, played = self._search(views, keys, action, forced=True)
        if not played[0]:
            raise ValueError("no deal agrees with this View")
        legal = np.flatnonzero(~np.isnan(values[0]))
        return SearchResult(
            action=int(action[0]),
            actions=legal,
            values=values[0, legal],
            errors=errors[0, legal],
            worlds=int(played[0]),
            unit="win" if may_end_game(views[0]) else "points",
        )

    def _search(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray, forced: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        values = np.full((len(views), NUM_ACTIONS), np.nan)
        errors = values.copy()
        played = np.zeros(len(views), np.int64)
        search_batch(
            views,
            keys,
            NAMES.index(self.inner),
            self.worlds,
            forced,
            actions,
            values,
            errors,
            played,
        )
        return values, errors, played
