"""Spades as a PettingZoo environment.

| Creation           | `spades_v0.env()`, `make("aec", "card_games/spades-v0")`        |
|--------------------|-----------------------------------------------------------------|
| Import             | `from spades_env import spades_v0`                              |
| Actions            | Discrete                                                        |
| Parallel API       | No                                                              |
| Manual Control     | No                                                              |
| Agents             | `agents = ['player_0', 'player_1', 'player_2', 'player_3']`     |
| Agents             | 4                                                               |
| Action Shape       | (1)                                                             |
| Action Values      | [0, 65]                                                         |
| Observation Shape  | (SIZE,)                                                         |
| Observation Values | [-128, 127]                                                     |

Spades is a trick-taking game of two partnerships: `player_0` and `player_2` play
against `player_1` and `player_3`. Each deal gives everyone 13 cards. Each seat bids
once, and then 13 tricks are played, in which spades are trump. A team scores for taking
the tricks that it bid together, and loses when it falls short. A bid of 0 is nil, a
promise to take no trick. Tricks over the bid are bags, and ten bags cost 100 points. A
game ends when a team reaches 500 or -200.

The seat left of the dealer bids first and leads the first trick; the winner of a trick
leads the next. So an agent may act twice in a row. A deal is always 56 decisions.

### Observation Space

The observation is a dictionary of two elements: `'observation'`, the vector described
here, and `'action_mask'`, described below. An agent can be observed at any time, not
only when it is its turn, and sees only what that player may know.

The vector holds exact integers (int8). Multiplied by the scale of its field, each comes
to about -1 to 1. Seats are relative to the observing agent: 0 is the agent itself, 1
its left-hand opponent, 2 its partner and 3 its right-hand opponent. Pairs of teams have
the agent's own team first. Cards are numbered `suit * 13 + rank`, suits in the order
clubs, diamonds, hearts, spades, and ranks from 0 (the two) to 12 (the ace).
`spades_env.observation_layout()` gives this table as data.

OBSERVATION_TABLE

`state()` gives a global view for centralised critics: the observation of `player_0`,
followed by what it cannot see (`spades_env.state_layout()`). Seats in it count from
`player_0`.

#### Legal Actions Mask

`'action_mask'` is an int8 vector of 66 places, 1 where the action is legal. It is all
zeros for every agent that is not to act, and for all agents once the episode is over.
The mask of each agent is in its `info["action_mask"]` as well.

`env()` ends the episode at an illegal action (terminated, not truncated). The
offender's team pays a penalty to the other team that is larger than anything it could
have lost by legal play, so acting illegally never pays: 5.48 in a single deal with the
standard rules, 2 with `reward="win"`; in a game with `reward="points"` it depends on
the scores.
`raw_env` raises `IllegalActionError`, a `ValueError` that says what was wrong, and
nothing changes.

### Action Space

| Action ID | Action                                        |
|:---------:|-----------------------------------------------|
|   0 - 12  | Play a club, 2 to ace                         |
|  13 - 25  | Play a diamond, 2 to ace                      |
|  26 - 38  | Play a heart, 2 to ace                        |
|  39 - 51  | Play a spade, 2 to ace                        |
|  52 - 65  | Bid 0 (nil) to 13                             |

### Rewards

Each team's reward is the negative of the other's, and partners receive the same.
Rewards are paid to all four agents at once; `last()` gives each what has come in since
it acted.

| `reward`   | `episode` | When             | What the team receives              |
|------------|-----------|------------------|-------------------------------------|
| `"points"` | `"deal"`  | end of the deal  | (own points - their points) / 100   |
| `"points"` | `"game"`  | end of each deal | (own points - their points) / 100   |
| `"win"`    | `"game"`  | end of the game  | 1 for the winner, -1 for the loser  |

In a single deal a bag counts -9 points: its own point, less its tenth of the penalty
that ten bags bring (`bag_points - bag_penalty / bags_limit` with other rules). In a
game points are those of the score: +1 for a bag, and -100 with the tenth. So the
rewards of a game add up to the difference of the final scores, less that of the scores
at the start, in hundreds. A game that `max_deals` cuts short pays nothing for `"win"`.

### Arguments

``` python
spades_v0.env(
    episode="deal", reward="points", max_deals=None, rules=Rules(), render_mode=None
)
```

`episode`: `"deal"`: an episode is one deal, with a dealer drawn at random. `"game"`: it
is a whole game, deal after deal.

`reward`: `"points"` or, for games, `"win"`; see above.

`max_deals`: a game that is not over after this many deals is truncated.

`rules`: the rules of the table, a `spades_env.Rules`.

`render_mode`: `None` or `"ansi"`; with the latter, `render()` returns the table as
text. For a bug report, `format_deal(env.unwrapped.game, env.unwrapped.rules)` of
`spades_env` is the deal as one line that anyone can replay.

`reset(seed, options)` takes these options, all of them optional, for the first deal:

| Option   | Value                                                            |
|----------|------------------------------------------------------------------|
| `hands`  | the hands of `player_0` to `player_3`: four lists of 13 cards    |
|          | each, as numbers or as texts like `"AS"`                         |
| `dealer` | seat, 0 to 3                                                     |
| `scores` | points of the two teams, `player_0`'s first                      |
| `bags`   | bag counts of the two teams, each below `rules.bags_limit`       |

Game number k after `reset(seed=s)` is the same for ever, whatever options are given.

### Version History

* v0: Initial version (0.1.0)

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from spades_env.episode import (
    Episode,
    Reward,
    check_choice,
    check_episode,
    payment,
    penalty,
    read_options,
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
from spades_env.legality import IllegalActionError, read_action, why_illegal
from spades_env.observation import (
    OBSERVATION_SIZE,
    STATE_SIZE,
    encode,
    encode_mask,
    encode_state,
    layout_table,
    observation_layout,
)
from spades_env.render import render_text
from spades_env.rules import STANDARD, Rules
from spades_env.view import VIEW, look

RenderMode = Literal["ansi"]

AGENTS = [f"player_{seat}" for seat in range(NUM_SEATS)]
SEATS = {agent: seat for seat, agent in enumerate(AGENTS)}

ILLEGAL = -2  # what `_act` returns instead of the seat to act


@jit
def _write_mask(
    games: np.ndarray, rules: np.ndarray, views: np.ndarray, mask: np.ndarray
) -> int:
    """Write the mask of the seat to act; returns that seat."""
    turn = int(games[0].turn)
    look(games[0], rules[0], turn, views[0], False)
    encode_mask(views[0], mask)
    return turn


@jit
def _act(
    games: np.ndarray,
    rules: np.ndarray,
    views: np.ndarray,
    action: int,
    mask: np.ndarray,
) -> int:
    """Take an action if it is legal, and write the mask of the next seat.

    Returns the seat to act next, -1 at the end of the deal, or `ILLEGAL`.
    """
    if not is_legal(games[0], action):
        return ILLEGAL
    apply(games[0], rules[0], action)
    if games[0].turn < 0:
        return -1
    return _write_mask(games, rules, views, mask)


@jit
def _observe(
    games: np.ndarray, rules: np.ndarray, views: np.ndarray, seat: int, out: np.ndarray
) -> None:
    """Write the observation of a seat."""
    look(games[0], rules[0], seat, views[0], False)
    encode(views[0], out)


@jit
def _state(
    games: np.ndarray, rules: np.ndarray, views: np.ndarray, out: np.ndarray
) -> None:
    """Write the state as seat 0 counts seats, which is as the table counts them."""
    encode_state(games[0], rules[0], 0, views[0], out)


def env(**kwargs: Any) -> AECEnv:
    """The environment in PettingZoo's usual wrappers; arguments as for `raw_env`.

    Raises:
        ValueError: as `raw_env` does, and for a game in points that can be lost without
            bound.
    """
    env: AECEnv = raw_env(**kwargs)
    env = TerminateIllegalTeamWrapper(env)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    env = wrappers.OrderEnforcingWrapper(env)
    return env


class raw_env(AECEnv[str, dict[str, np.ndarray], int]):
    """The environment without wrappers; the module's text describes it.

    Attributes:
        games: array of one `GAME` record, the whole truth about the game.
        rules: rules of the table.

    Raises:
        ValueError: an argument is not allowed; the message names it and what is.
        TypeError: an argument has a wrong type.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "spades_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        episode: Episode = "deal",
        reward: Reward = "points",
        max_deals: int | None = None,
        rules: Rules = STANDARD,
        render_mode: RenderMode | None = None,
    ) -> None:
        super().__init__()
        check_episode(episode, reward, max_deals, rules)
        check_choice("render_mode", render_mode, (None, *get_args(RenderMode)))
        self.episode = episode
        self.reward = reward
        self.max_deals = max_deals
        self.rules = rules
        self.render_mode = render_mode

        self.possible_agents = AGENTS[:]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-128, 127, (OBSERVATION_SIZE,), np.int8),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(-128, 127, (STATE_SIZE,), np.int8)

        self.np_random, _ = seeding.np_random()
        self.games = np.zeros(1, GAME)
        self._views = np.zeros(1, VIEW)  # scratch
        self._turn = -1  # seat to act; -1 once the episode is over
        self._mask = np.zeros(NUM_ACTIONS, np.int8)  # of the seat to act
        self._paid = False  # whether `rewards` holds anything but zeros

    @property
    def game(self) -> Any:
        """The `GAME` record, hidden cards and all; whoever plays must not read it."""
        return self.games[0]

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same space object at each call."""
        return self.observation_spaces[AGENTS[_seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same space object at each call."""
        return self.action_spaces[AGENTS[_seat_of(agent)]]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        """Begin a new episode.

        Args:
            seed: restarts the sequence of games; None goes on with it.
            options: `hands`, `dealer`, `scores`, `bags`; see the module's text.

        Raises:
            ValueError: an option is not allowed; the message names it and what is.
            TypeError: a number is not an int.
        """
        start = read_options(options or {}, self.rules)
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        # Drawn even where the options leave nothing to chance, so that they do not
        # change the games that follow.
        game_seed: Any = self.np_random.integers(2**64, dtype=np.uint64)
        start_game(self.games[0], game_seed)
        if start:
            for name, value in start.items():
                self.games[name] = value
            start_deal(self.games[0])

        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"action_mask": _no_actions()} for agent in AGENTS}
        self._paid = False
        self._begin_deal()

    def step(self, action: int | None) -> None:
        """Take the action of `agent_selection`, None if its episode is over.

        Raises:
            IllegalActionError: the action is not legal now. Nothing has changed.
            ValueError: it is no action at all. Nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = read_action(action)
        mask = np.empty(NUM_ACTIONS, np.int8)
        turn = _act(self.games, self.rules.array, self._views, number, mask)
        if turn == ILLEGAL:
            raise IllegalActionError(why_illegal(self.game, number))
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        self.infos[agent] = {"action_mask": _no_actions()}
        if turn < 0:
            self._end_deal()
        else:
            self._await(turn, mask)

    def _await(self, turn: int, mask: np.ndarray) -> None:
        """Wait for the action of a seat."""
        agent = AGENTS[turn]
        self._turn = turn
        self._mask = mask
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": mask}

    def _begin_deal(self) -> None:
        mask = np.empty(NUM_ACTIONS, np.int8)
        turn = _write_mask(self.games, self.rules.array, self._views, mask)
        self._await(turn, mask)

    def _end_deal(self) -> None:
        """Pay for the finished deal; then deal again or end the episode."""
        game = self.game
        single_deal, win = self.episode == "deal", self.reward == "win"
        self._pay(payment(game, self.rules.array[0], 0, single_deal, win))
        if single_deal or game.winner >= 0:
            self._end_episode(self.terminations)
        elif game.deal + 1 == self.max_deals:
            self._end_episode(self.truncations)
        else:
            next_deal(game)
            self._begin_deal()

    def _pay(self, amount: float) -> None:
        """Pay a reward to the team of `player_0`, and its negative to the other."""
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = -amount if seat % 2 else amount
        self._paid = True
        self._accumulate_rewards()

    def _end_episode(self, flags: dict[str, bool]) -> None:
        """Set one kind of end for all agents: `terminations` or `truncations`."""
        for agent in AGENTS:
            flags[agent] = True
        self._turn = -1
        self._deads_step_first()

    def forfeit(self) -> None:
        """End the episode with a penalty for the team of the agent to act.

        The penalty, paid to the other team, is larger than anything that the team could
        have lost by legal play from here on.

        Raises:
            ValueError: the episode is over, or a loss has no bound (see `env`).
        """
        if self._turn < 0:
            raise ValueError("the episode is over, so nobody can forfeit it")
        agent = self.agent_selection
        seat = self._turn
        amount = penalty(
            self.game,
            self.rules,
            seat % 2,
            self.episode,
            self.reward,
            self.max_deals,
        )
        self._cumulative_rewards[agent] = 0.0
        self.infos[agent] = {"action_mask": _no_actions()}
        self._pay(amount if seat % 2 else -amount)
        self._end_episode(self.terminations)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What the agent may know now, in new arrays; see the module's text."""
        seat = _seat_of(agent)
        observation = np.empty(OBSERVATION_SIZE, np.int8)
        _observe(self.games, self.rules.array, self._views, seat, observation)
        mask = self._mask.copy() if seat == self._turn else _no_actions()
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """The whole truth for centralised critics, int8 of shape (STATE_SIZE,)."""
        state = np.empty(STATE_SIZE, np.int8)
        _state(self.games, self.rules.array, self._views, state)
        return state

    def render(self) -> str | None:
        """The table with all four hands as text, in `render_mode="ansi"`."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "You are calling render method without specifying any render mode."
            )
            return None
        return render_text(self.game, self.rules)

    def close(self) -> None:
        """Nothing is held that needs closing."""


class TerminateIllegalTeamWrapper(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper for illegal actions, for a game of two teams.

    An illegal action ends the episode; both seats of the offender's team pay, and both
    seats of the other team receive, the penalty of `raw_env.forfeit`.
    """

    def __init__(self, env: raw_env) -> None:
        super().__init__(env, illegal_reward=float("nan"))  # never read
        if env.episode == "game" and env.reward == "points":
            check_bounded(env.rules, env.max_deals)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Begin a new episode."""
        self.env.reset(seed=seed, options=options)

    def observe(self, agent: str) -> Any:
        """As `raw_env.observe`; the mask need not be remembered here."""
        return self.env.observe(agent)

    def step(self, action: int | None) -> None:
        """As `raw_env.step`, but an illegal action ends the episode."""
        try:
            self.env.step(action)
        except IllegalActionError:
            EnvLogger.warn_on_illegal_move()
            self.env.unwrapped.forfeit()


def _seat_of(agent: str) -> int:
    try:
        return SEATS[agent]
    except KeyError:
        raise ValueError(
            f"there is no agent {agent!r}; agents are {', '.join(AGENTS)}"
        ) from None


def _no_actions() -> np.ndarray:
    return np.zeros(NUM_ACTIONS, np.int8)


__doc__ = (
    (__doc__ or "")
    .replace("(SIZE,)", f"({OBSERVATION_SIZE},)".ljust(len("(SIZE,)")))
    .replace("OBSERVATION_TABLE", layout_table(observation_layout()))
)
