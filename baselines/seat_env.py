"""Spades as a Gymnasium environment: one learner, three bots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from baselines.tables import Player, Tables
from spades_env.aec import RenderMode
from spades_env.episode import Episode, Reward, check_choice, read_options
from spades_env.game import NUM_ACTIONS
from spades_env.legality import read_action
from spades_env.observation import (
    OBSERVATION_SIZE,
    layout_table,
    observation_layout,
)
from spades_env.render import render_text
from spades_env.rules import STANDARD, Rules

ONLY = np.zeros(1, np.int64)  # the place of the only table


class SpadesEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Spades for one learner, whose partner and opponents are bots.

    ## Description
    Spades is a trick-taking game of two partnerships. Each deal gives everyone 13
    cards. Each seat bids once, and then 13 tricks are played, in which spades are
    trump. A team scores for taking the tricks that it bid together, and loses when it
    falls short. A bid of 0 is nil, a promise to take no trick. Tricks over the bid are
    bags, and ten bags cost 100 points. A game ends when a team reaches 500 or -200.

    The learner has one seat; the bots act between its actions, so a deal is always 14
    steps: one bid and 13 cards.

    ```python
    import gymnasium
    import spades_env

    env = gymnasium.make("Spades-v0", partner="hard", opponents="normal")
    observation, info = env.reset(seed=42)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    ```

    `gymnasium.make("spades_env:Spades-v0")` needs no import. For many games at once,
    `gymnasium.make_vec("Spades-v0", num_envs=4096)` gives a `SpadesVectorEnv`. The same
    game for all four seats is the PettingZoo environment `spades_env.spades_v0`: the
    same seed and actions give the same game there.

    ## Action Space
    `Discrete(66)`:

    | Action  | Meaning                     |
    |---------|-----------------------------|
    | 0 - 12  | play a club, 2 to ace       |
    | 13 - 25 | play a diamond, 2 to ace    |
    | 26 - 38 | play a heart, 2 to ace      |
    | 39 - 51 | play a spade, 2 to ace      |
    | 52 - 65 | bid 0 (nil) to 13           |

    Which actions are legal stands in `info["action_mask"]`. An illegal one ends the
    episode; see Rewards. Anything but an integer 0 to 65 raises `ValueError`.

    ## Observation Space
    `Box(-128, 127, (SIZE,), int8)`: what the learner may know, as exact integers.
    Multiplied by the scale of its field, each comes to about -1 to 1. Seats are
    relative: 0 is the learner, 1 its left-hand opponent, 2 its partner and 3 its
    right-hand opponent. Pairs of teams have the learner's own team first.
    `spades_env.observation_layout()` gives this table as data.

    OBSERVATION_TABLE

    ## Starting State
    `reset` deals, and plays on until the learner is to bid. The first dealer is drawn
    at random, so up to three bots have bid already. Game number k after `reset(seed=s)`
    is the same for ever, whatever options are given. `reset(options=...)` takes, all of
    them optional and for the first deal:

    | Option   | Value                                                            |
    |----------|------------------------------------------------------------------|
    | `hands`  | the hands of seats 0 to 3: four lists of 13 cards each, as       |
    |          | numbers or as texts like `"AS"`                                  |
    | `dealer` | seat, 0 to 3                                                     |
    | `scores` | points of the two teams, that of seats 0 and 2 first             |
    | `bags`   | bag counts of the two teams, each below `rules.bags_limit`       |

    ## Rewards
    What the learner's team has received since the learner acted:

    | `reward`   | `episode` | When             | Reward                            |
    |------------|-----------|------------------|-----------------------------------|
    | `"points"` | `"deal"`  | end of the deal  | (own points - their points) / 100 |
    | `"points"` | `"game"`  | end of each deal | (own points - their points) / 100 |
    | `"win"`    | `"game"`  | end of the game  | 1 for the winner, -1 for the loser|

    In a single deal a bag counts -9 points: its own point, less its tenth of the
    penalty that ten bags bring. In a game points are those of the score: +1 for a bag,
    and -100 with the tenth. A game that `max_deals` cuts short pays nothing for
    `"win"`.

    An illegal action costs more than anything that the team could have lost by legal
    play, so it never pays: 5.48 in a single deal with the standard rules, 2 with
    `reward="win"`; in a game with `reward="points"` it depends on the scores.

    ## Episode End
    - Termination: the deal, or the game, is over; or the action was illegal.
    - Truncation: `max_deals` deals were played and the game is not over.

    ## Information
    - `action_mask`: int8 (66,), 1 where an action is legal; all zero once the episode
      is over. `action_masks()` gives it as bools, as sb3-contrib wants it.
    - `illegal_action`: only after an illegal action, a text that says what was wrong
      and what would have been legal.

    ## Arguments
    - `partner`: a player as in `baselines.make`: `"random"`, `"easy"`, `"normal"`,
      `"hard"`, a run directory, a checkpoint or an exported policy; or a
      `baselines.Bot`.
    - `opponents`: a player who has both seats, or a pair: the left-hand and the
      right-hand opponent.
    - `seat`: which seat of the game is the learner's, 0 to 3.
    - `episode`: `"deal"`: an episode is one deal. `"game"`: it is a whole game.
    - `reward`: `"points"` or, for games, `"win"`.
    - `max_deals`: a game that is not over after this many deals is truncated.
    - `rules`: the rules of the table, a `spades_env.Rules`.
    - `render_mode`: `None`, or `"ansi"`: `render()` returns the table as the learner
      sees it, as text.

    ## Version History
    * v0: Initial version (0.1.0)
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        *,
        partner: Player = "hard",
        opponents: Player | tuple[Player, Player] = "hard",
        seat: int = 0,
        episode: Episode = "deal",
        reward: Reward = "points",
        max_deals: int | None = None,
        rules: Rules = STANDARD,
        render_mode: RenderMode | None = None,
    ) -> None:
        check_choice("render_mode", render_mode, (None, *get_args(RenderMode)))
        self.render_mode = render_mode
        self.tables = Tables(
            1,
            partner=partner,
            opponents=opponents,
            seat=seat,
            episode=episode,
            reward=reward,
            max_deals=max_deals,
            rules=rules,
        )
        self.observation_space = spaces.Box(-128, 127, (OBSERVATION_SIZE,), np.int8)
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode.

        Args:
            seed: restarts the sequence of games; None goes on with it.
            options: see Starting State.

        Raises:
            ValueError: an option is not allowed; the message names it and what is.
            TypeError: a number is not an int.
        """
        start = read_options(options or {}, self.tables.rules)
        super().reset(seed=seed)
        seeds = self.np_random.integers(2**64, size=1, dtype=np.uint64)
        self.tables.begin(ONLY, seeds, start)
        return self.tables.observations[0].copy(), self._info()

    def step(
        self, action: int | np.int64
    ) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the learner's action, and let the bots act until it is its turn again.

        Raises:
            ValueError: it is no action at all; nothing has changed.
            ResetNeeded: the episode is over, or none has begun.
        """
        number = read_action(action)
        outcome = self.tables.outcomes[0]
        if outcome.awaited:
            raise ResetNeeded("no episode is in progress; call reset() first")
        illegal = self.tables.act(ONLY, np.array([number]))
        info = self._info()
        if illegal:
            info["illegal_action"] = illegal[0]
        return (
            self.tables.observations[0].copy(),
            float(outcome.reward),
            bool(outcome.terminated),
            bool(outcome.truncated),
            info,
        )

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.tables.masks[0].copy()}

    def action_masks(self) -> np.ndarray:
        """Where an action is legal now: bool (66,), for sb3-contrib."""
        return self.tables.masks[0] == 1

    def render(self) -> str | None:
        """The table as the learner sees it, as text, in `render_mode="ansi"`."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "You are calling render method without specifying any render mode."
            )
            return None
        tables = self.tables
        return render_text(tables.games[0], tables.rules, tables.seat)


SpadesEnv.__doc__ = (
    (SpadesEnv.__doc__ or "")
    .replace("(SIZE,)", f"({OBSERVATION_SIZE},)")
    .replace(
        "OBSERVATION_TABLE",
        layout_table(observation_layout()).replace("\n", "\n    "),
    )
)
