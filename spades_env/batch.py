"""Many games in step: the fast face for trainers and arenas."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import prange

from spades_env.chance import MAX_SEED, derive
from spades_env.episode import check_integer
from spades_env.game import (
    DEAL_OVER,
    GAME,
    GAME_OVER,
    NUM_ACTIONS,
    apply,
    clear_scores,
    is_legal,
    next_deal,
    phase_of,
    start_game,
)
from spades_env.jit import jit
from spades_env.legality import IllegalActionError, read_action, why_illegal
from spades_env.observation import OBSERVATION_SIZE, encode, encode_mask
from spades_env.rules import STANDARD, Rules
from spades_env.view import VIEW, look


@jit
def _start(games: np.ndarray, seed: np.uint64) -> None:
    for i in range(len(games)):
        start_game(games[i], derive(seed, i))


@jit
def _count_phases(games: np.ndarray) -> tuple[int, int]:
    unfinished = 0
    over = 0
    for i in range(len(games)):
        phase = phase_of(games[i])
        unfinished += phase < DEAL_OVER
        over += phase == GAME_OVER
    return unfinished, over


@jit
def _next_deal(games: np.ndarray) -> None:
    for i in range(len(games)):
        game = games[i]
        if game.winner >= 0:
            clear_scores(game)
        next_deal(game)


@jit
def _first_illegal(games: np.ndarray, actions: np.ndarray) -> int:
    for i in range(len(games)):
        if not is_legal(games[i], int(actions[i])):
            return i
    return -1


@jit
def _look(games: np.ndarray, rules: np.ndarray, views: np.ndarray) -> None:
    for i in range(len(games)):
        look(games[i], rules[0], int(games[i].turn), views[i])


@jit
def _apply(games: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(games)):
        apply(games[i], rules[0], int(actions[i]))


@jit
def _step(games: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> int:
    """Take all actions, or none and return the place of the first illegal one."""
    wrong = _first_illegal(games, actions)
    if wrong < 0:
        _apply(games, rules, actions)
    return wrong


@jit
def _observe(
    games: np.ndarray,
    rules: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
) -> int:
    """Returns in how many games nobody is to act; their rows are left alone."""
    views = np.zeros(1, VIEW)
    view = views[0]
    finished = 0
    for i in range(len(games)):
        turn = int(games[i].turn)
        if turn < 0:
            finished += 1
            continue
        look(games[i], rules[0], turn, view, False)
        encode(view, observations[i])
        encode_mask(view, masks[i])
    return finished


@jit(parallel=True)
def _step_threaded(
    games: np.ndarray, rules: np.ndarray, actions: np.ndarray, threads: int
) -> int:
    n = len(games)
    illegal = 0
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        illegal += _first_illegal(games[part], actions[part]) >= 0
    if illegal:
        return _first_illegal(games, actions)
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        _apply(games[part], rules, actions[part])
    return -1


@jit(parallel=True)
def _observe_threaded(
    games: np.ndarray,
    rules: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    threads: int,
) -> int:
    n = len(games)
    finished = 0
    for k in prange(threads):
        part = slice(k * n // threads, (k + 1) * n // threads)
        finished += _observe(games[part], rules, observations[part], masks[part])
    return finished


class GameBatch:
    """`num_games` games that take their decisions together.

    Every deal has 56 decisions, so games that begin a deal together end it together:
    56 times `observe` and `step`, then read the results and call `next_deal`.

    Attributes:
        games: `GAME` records, shape (num_games,); yours to read, copy and overwrite.
        rules: the rules of all tables.
        threads: how many threads share the work; results do not depend on it. With
            more than 1 the process must not be forked afterwards.

    Args:
        num_games: at least 1.
        seed: game `i` is the game of seed `derive(seed, i)`, whatever the batch size.
        rules: the standard rules by default.
        threads: 1 by default.
    """

    def __init__(
        self,
        num_games: int,
        *,
        seed: int = 0,
        rules: Rules = STANDARD,
        threads: int = 1,
    ) -> None:
        check_integer("num_games", num_games, 1, None)
        if not isinstance(rules, Rules):
            raise TypeError(f"rules must be a spades_env.Rules, not {rules!r}")
        cores = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
        check_integer("threads", threads, 1, cores)
        self.games = np.zeros(num_games, GAME)
        self.rules = rules
        self.threads = threads
        self.start(seed)

    def __len__(self) -> int:
        return len(self.games)

    @property
    def step_in_deal(self) -> int:
        """Decisions made in the present deal by the first game, 0 to 56."""
        return int(self.games[0].step)

    def start(self, seed: int) -> None:
        """Begin new games at 0 to 0; see `seed` above."""
        check_integer("seed", seed, 0, MAX_SEED)
        _start(self.games, np.uint64(seed))

    def next_deal(self, restart: bool = True) -> None:
        """Deal again in every game, once all deals are over.

        A game that is over begins anew at 0 to 0 with the next deal of its stream; with
        `restart=False` a game that is over raises ValueError.
        """
        unfinished, over = _count_phases(self.games)
        if unfinished:
            raise ValueError(f"{unfinished} of {len(self)} deals are not over yet")
        if over and not restart:
            raise ValueError(f"{over} of {len(self)} games are over")
        _next_deal(self.games)

    def observe(self, observations: np.ndarray, masks: np.ndarray) -> None:
        """Write what the seat to act sees in each game.

        Args:
            observations: int8, (num_games, OBSERVATION_SIZE), C-contiguous.
            masks: int8, (num_games, 66), C-contiguous; 1 where an action is legal.

        Raises:
            ValueError: an array has another form, or a deal is over.
        """
        _check_array("observations", observations, (len(self), OBSERVATION_SIZE))
        _check_array("masks", masks, (len(self), NUM_ACTIONS))
        arguments = (self.games, self.rules.array, observations, masks)
        if self.threads == 1:
            finished = _observe(*arguments)
        else:
            finished = _observe_threaded(*arguments, self.threads)
        self._check_to_act(finished)

    def views(self, out: np.ndarray | None = None) -> np.ndarray:
        """`VIEW` records of the seat to act in each game, shape (num_games,).

        Raises:
            ValueError: a deal is over.
        """
        self._check_to_act(len(self) - _count_phases(self.games)[0])
        if out is None:
            out = np.zeros(len(self), VIEW)
        _check_array("out", out, (len(self),), VIEW)
        _look(self.games, self.rules.array, out)
        return out

    def _check_to_act(self, finished: int) -> None:
        if finished:
            raise ValueError(
                f"{finished} of {len(self)} deals are over; call next_deal first"
            )

    def step(self, actions: np.ndarray) -> None:
        """Take one action in each game: integers, shape (num_games,).

        Raises:
            ValueError: an action is illegal, or none at all; no game has changed then.
        """
        actions = np.asarray(actions)
        if actions.shape != (len(self),) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({len(self)},), not"
                f" {actions.dtype} of shape {actions.shape}"
            )
        arguments = (self.games, self.rules.array, actions)
        if self.threads == 1:
            wrong = _step(*arguments)
        else:
            wrong = _step_threaded(*arguments, self.threads)
        if wrong >= 0:
            raise IllegalActionError(f"game {wrong}: {self._why(wrong, actions)}")

    def _why(self, place: int, actions: np.ndarray) -> str:
        try:
            return why_illegal(self.games[place], read_action(actions[place]))
        except ValueError as error:
            return str(error)


def _check_array(
    name: str, array: np.ndarray, shape: tuple[int, ...], dtype: Any = np.int8
) -> None:
    if (
        not isinstance(array, np.ndarray)
        or array.shape != shape
        or array.dtype != dtype
        or not array.flags.c_contiguous
        or not array.flags.writeable
    ):
        raise ValueError(
            f"{name} must be a writeable C-contiguous {_dtype_name(dtype)} array of"
            f" shape {shape}, not {_dtype_name(getattr(array, 'dtype', type(array)))}"
            f" of shape {np.shape(array)}"
        )


def _dtype_name(dtype: Any) -> str:
    return "VIEW" if dtype == VIEW else getattr(dtype, "__name__", str(dtype))
