"""Spades for reinforcement learning: the game, its views and its faces."""

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
from spades_env.observation import (
    OBSERVATION_SIZE,
    STATE_SIZE,
    observation_id,
    observation_layout,
    state_layout,
)
from spades_env.rules import RULES, STANDARD, Rules
from spades_env.view import VIEW

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
    "observation_id",
    "observation_layout",
    "state_layout",
]
