"""Spades as a PettingZoo environment, version 0."""

from spades_env.aec import __doc__ as __doc__
from spades_env.aec import env, raw_env

__all__ = ["env", "raw_env"]
