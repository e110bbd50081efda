"""Spades for reinforcement learning: the game, its views and its faces."""

import gymnasium
import pettingzoo

from spades_env.batch import GameBatch
from spades_env.game import (
    BID,
    BIDDING,
    DEAL_OVER,
    GAME,
    GAME_OVER,
    NUM_ACTIONS,
    NUM_SEATS,
    PLAY,
)
from spades_env.notation import format_deal, format_game, parse_deal, parse_game
from spades_env.observation import (
    OBSERVATION_SIZE,
    STATE_SIZE,
    observation_id,
    observation_layout,
    state_layout,
)
from spades_env.rules import RULES, STANDARD, Rules
from spades_env.view import VIEW
from spades_env.worlds import count_worlds, sample_worlds

__version__ = "0.1.0"

__all__ = [
    "BID",
    "BIDDING",
    "DEAL_OVER",
    "GAME",
    "GAME_OVER",
    "NUM_ACTIONS",
    "NUM_SEATS",
    "OBSERVATION_SIZE",
    "PLAY",
    "RULES",
    "STANDARD",
    "STATE_SIZE",
    "VIEW",
    "GameBatch",
    "Rules",
    "count_worlds",
    "format_deal",
    "format_game",
    "observation_id",
    "observation_layout",
    "parse_deal",
    "parse_game",
    "sample_worlds",
    "state_layout",
]

if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and later
    pettingzoo.register("aec", "card_games/spades-v0", "spades_env.spades_v0:env")

# Entry points are text, so the game does not import its players.
gymnasium.register(
    "Spades-v0",
    entry_point="baselines.seat_env:SpadesEnv",
    vector_entry_point="baselines.vector_env:SpadesVectorEnv",
)
