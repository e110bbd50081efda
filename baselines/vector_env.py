"""Many `SpadesEnv`s in one, for fast training of a single agent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from baselines.seat_env import SpadesEnv
from baselines.tables import Player, Tables
from spades_env.aec import RenderMode
from spades_env.episode import Episode, Reward, check_choice, read_options
from spades_env.game import NUM_ACTIONS
from spades_env.legality import read_action
from spades_env.observation import OBSERVATION_SIZE
from spades_env.render import render_text
from spades_env.rules import STANDARD, Rules


class SpadesVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` games of one learner and three bots each, played side by side.

    ## Description
    The games are those of `SpadesEnv`, whose text describes observations, actions,
    rewards and the arguments not listed here. Every array and every info is what
    Gymnasium's `SyncVectorEnv` over `num_envs` of them would give, and the same seeds
    and actions give the same games; the scripted bots and all else are one compiled
    loop. Other players are asked about all games that wait for them at once.

    ```python
    import gymnasium
    import numpy as np
    import spades_env

    envs = gymnasium.make_vec("Spades-v0", num_envs=64, opponents="normal")
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=42)
    for _ in range(15):
        mask = infos["action_mask"]
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
    ```

    ## Action Space
    `MultiDiscrete([66] * num_envs)`; any array of integers of shape `(num_envs,)` will
    do. An illegal action ends that game's episode with a penalty; anything but integers
    0 to 65 raises `ValueError`, and nothing changes.

    ## Observation Space
    `Box(-128, 127, (num_envs, SIZE), int8)`.

    ## Starting State
    `reset(seed=s)` seeds game `i` with `s + i`; a list gives each game its own seed,
    and None, for all games or one, goes on with its sequence of games. The options of
    `SpadesEnv` apply to all games; `options={"reset_mask": mask}`, bool `(num_envs,)`,
    begins new episodes in some games only.

    ## Rewards
    float64 `(num_envs,)`.

    ## Episode End
    `autoreset_mode` says what follows an episode, as in all of Gymnasium:

    | `AutoresetMode` | After an episode                                              |
    |-----------------|---------------------------------------------------------------|
    | `NEXT_STEP`     | the next `step` begins a new one, whatever the action, with   |
    |                 | reward 0: a step to leave out of training                     |
    | `SAME_STEP`     | the same `step` begins a new one; what the old one ended with |
    |                 | is in `infos["final_obs"]` and `infos["final_info"]`          |
    | `DISABLED`      | `reset(options={"reset_mask": ...})` must come before `step`  |

    ## Information
    Each key is an array over the games; `_key` is a bool array that says which games
    have it.

    - `action_mask`: int8 `(num_envs, 66)`.
    - `illegal_action`: texts, after illegal actions only.
    - `final_obs`, `final_info`: with `SAME_STEP`, after episodes that ended.
    - `episode`: with `record_episodes`, after episodes that ended: return `r`, length
      `l` and seconds `t`, as from `gymnasium.wrappers.vector.RecordEpisodeStatistics`.

    ## Arguments
    - `num_envs`: number of games.
    - `autoreset_mode`: `NEXT_STEP` by default.
    - `copy`: True: all arrays are yours. False: `observations` and
      `infos["action_mask"]` are the same arrays each time, overwritten by the next
      `step` or `reset`.
    - `record_episodes`: see `episode` above; False by default.
    - `threads`: 1 by default; results do not depend on it. With more than 1 the process
      must not be forked afterwards.
    - all arguments of `SpadesEnv`.

    ## Version History
    * v0: Initial version (0.1.0)
    """

    metadata: dict[str, Any] = SpadesEnv.metadata

    def __init__(
        self,
        num_envs: int = 1,
        *,
        partner: Player = "hard",
        opponents: Player | tuple[Player, Player] = "hard",
        seat: int = 0,
        episode: Episode = "deal",
        reward: Reward = "points",
        max_deals: int | None = None,
        rules: Rules = STANDARD,
        render_mode: RenderMode | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        record_episodes: bool = False,
        threads: int = 1,
    ) -> None:
        check_choice("render_mode", render_mode, (None, *get_args(RenderMode)))
        self.tables = Tables(
            num_envs,
            partner=partner,
            opponents=opponents,
            seat=seat,
            episode=episode,
            reward=reward,
            max_deals=max_deals,
            rules=rules,
            threads=threads,
        )
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        self.single_observation_space = spaces.Box(
            -128, 127, (OBSERVATION_SIZE,), np.int8
        )
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        # Generators of the games' seeds, and what they were seeded with.
        self._streams = [seeding.np_random() for _ in range(num_envs)]
        self._statistics = EpisodeStatistics(num_envs) if record_episodes else None
        self._begun = False

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator that each game's seeds come from."""
        return tuple(generator for generator, _ in self._streams)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """What each generator was seeded with."""
        return tuple(seed for _, seed in self._streams)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes in all games, or in those of `reset_mask`.

        Raises:
            ValueError: an option or the number of seeds is not allowed; the message
                says what is. Nothing has changed.
            TypeError: an option has a wrong type.
        """
        options = dict(options or {})
        which = self._read_reset_mask(options.pop("reset_mask", None))
        start = read_options(options, self.tables.rules)
        self._seed_streams(seed, which)
        self._begin(which, start)
        self._begun = True
        infos: dict[str, Any] = {}
        self._add_masks(infos, which)
        return self._observations(), infos

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take an action in each game, and let the bots act until it is its turn again.

        Raises:
            ValueError: `actions` are not integers 0 to 65, one for each game; nothing
                has changed.
            ResetNeeded: an episode is over and nothing begins the next one.
        """
        tables = self.tables
        over = tables.over
        self._check_begun(over)
        acting = np.flatnonzero(~over)
        illegal = tables.act(acting, self._read_actions(actions, over)[acting])
        if self._statistics is not None:
            self._statistics.add(acting, tables.outcomes["reward"][acting])
        self._begin(over, {})  # with `NEXT_STEP`; in the other modes there are none
        rewards = tables.outcomes["reward"].copy()
        terminations = tables.outcomes["terminated"] == 1
        truncations = tables.outcomes["truncated"] == 1
        ended = terminations | truncations

        infos: dict[str, Any] = {}
        if ended.any():
            if self._statistics is not None:
                _add_info(infos, "episode", self._statistics.of(ended), ended)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                self._add_final(infos, ended, illegal)
                illegal = {}
                self._begin(ended, {})
        self._add_masks(infos, np.ones(self.num_envs, np.bool_))
        self._add_illegal(infos, illegal)
        return self._observations(), rewards, terminations, truncations, infos

    def _begin(self, which: np.ndarray, start: Mapping[str, Any]) -> None:
        """Begin new episodes in the games of a bool array."""
        places = np.flatnonzero(which)
        # The raw number is what `integers(2**64, dtype=np.uint64)` gives, in less time.
        seeds = [self._streams[i][0].bit_generator.random_raw() for i in places]
        self.tables.begin(places, np.array(seeds, np.uint64), start)
        if self._statistics is not None:
            self._statistics.begin(places)

    def _observations(self) -> np.ndarray:
        observations = self.tables.observations
        return observations.copy() if self.copy else observations

    def _check_begun(self, over: np.ndarray) -> None:
        if not self._begun:
            raise ResetNeeded("no episode has begun; call reset() first")
        if over.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the episodes of {over.sum()} of {self.num_envs} games are over; call"
                " reset(options={'reset_mask': terminations | truncations}) first"
            )

    def _read_actions(self, actions: Any, over: np.ndarray) -> np.ndarray:
        """Actions as int64; those of games that are over may be anything."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({self.num_envs},), not"
                f" {actions.dtype} of shape {actions.shape}"
            )
        wrong = ((actions < 0) | (actions >= NUM_ACTIONS)) & ~over
        if wrong.any():
            read_action(int(actions[wrong][0]))
        return actions.astype(np.int64)

    def _read_reset_mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"reset_mask must be an array of bools, not {mask!r}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask must have shape ({self.num_envs},) and at least one True,"
                f" not {mask!r}"
            )
        return mask.copy()

    def _seed_streams(
        self, seed: int | Sequence[int | None] | None, which: np.ndarray
    ) -> None:
        """Seed the generators of the given games, where there is a seed for them."""
        if seed is None:
            return
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(
                f"seed must be a number or one for each of {self.num_envs} games, not"
                f" {len(seed)} of them"
            )
        streams = {
            i: seeding.np_random(number)
            for i, number in enumerate(seed)
            if which[i] and number is not None
        }
        for i, stream in streams.items():
            self._streams[i] = stream

    def _add_masks(self, infos: dict[str, Any], which: np.ndarray) -> None:
        masks = self.tables.masks
        if not which.all():
            masks = masks * which[:, None]  # as Gymnasium has it: none of other games
        elif self.copy:
            masks = masks.copy()
        _add_info(infos, "action_mask", masks, which)

    def _add_illegal(self, infos: dict[str, Any], illegal: dict[int, str]) -> None:
        if not illegal:
            return
        texts = np.full(self.num_envs, None, object)
        where = np.zeros(self.num_envs, np.bool_)
        for i, text in illegal.items():
            texts[i] = text
            where[i] = True
        _add_info(infos, "illegal_action", texts, where)

    def _add_final(
        self, infos: dict[str, Any], ended: np.ndarray, illegal: dict[int, str]
    ) -> None:
        """Add what the episodes that ended in this step ended with."""
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            final_obs[i] = self.tables.observations[i].copy()
        final_info: dict[str, Any] = {}
        masks = np.zeros_like(self.tables.masks)
        _add_info(final_info, "action_mask", masks, ended)
        self._add_illegal(final_info, illegal)
        _add_info(infos, "final_obs", final_obs, ended)
        _add_info(infos, "final_info", final_info, ended)

    def render(self) -> tuple[str, ...] | None:
        """Each table as its learner sees it, as text, in `render_mode="ansi"`."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "You are calling render method without specifying any render mode."
            )
            return None
        return tuple(
            render_text(game, self.tables.rules, self.tables.seat)
            for game in self.tables.games
        )


class EpisodeStatistics:
    """Return, length and time of the episode in progress in each game."""

    def __init__(self, num_envs: int) -> None:
        self.returns = np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, np.int64)
        self.started = np.zeros(num_envs)

    def begin(self, places: np.ndarray) -> None:
        """Begin anew for the given games."""
        self.returns[places] = 0.0
        self.lengths[places] = 0
        self.started[places] = time.perf_counter()

    def add(self, places: np.ndarray, rewards: np.ndarray) -> None:
        """Count one step of the given games."""
        self.returns[places] += rewards
        self.lengths[places] += 1

    def of(self, ended: np.ndarray) -> dict[str, np.ndarray]:
        """The statistics where an episode ended, else zeros."""
        seconds = np.round(time.perf_counter() - self.started, 6)
        return {
            "r": np.where(ended, self.returns, 0.0),
            "l": np.where(ended, self.lengths, 0),
            "t": np.where(ended, seconds, 0.0),
        }


def _add_info(infos: dict[str, Any], key: str, values: Any, where: np.ndarray) -> None:
    infos[key] = values
    infos[f"_{key}"] = where


SpadesVectorEnv.__doc__ = (SpadesVectorEnv.__doc__ or "").replace(
    "(num_envs, SIZE)", f"(num_envs, {OBSERVATION_SIZE})"
)
