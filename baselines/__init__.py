"""Bots, and the arena that measures players."""

from __future__ import annotations

import os

from baselines.bot import Bot
from baselines.rule_bots import NAMES, RuleBot
from spades_env.rules import STANDARD, Rules

__all__ = ["NAMES", "Bot", "make"]


def make(player: str | os.PathLike[str], rules: Rules | None = STANDARD) -> Bot:
    """A player by its name or its file.

    Args:
        player: `random`, `easy`, `normal` or `hard`; `search`, or with its options
            `search:worlds=32,inner=normal`; a checkpoint (`.safetensors`) or
            a run directory of `spades train`; an exported policy (`.onnx`).
        rules: a file must have been made for these rules; None accepts any.

    Raises:
        ValueError: the name is unknown, or the file is damaged or made for other rules
            or another observation.
        FileNotFoundError: there is no such file.
        ImportError: the file needs an extra that is not installed.
    """
    name = os.fspath(player)
    if name in NAMES:
        return RuleBot(name)
    if name.partition(":")[0] == "search":
        from baselines.search import SearchBot

        return SearchBot.parse(name)
    if name == "oracle":
        raise ValueError(
            "oracle sees all four hands, so it is no honest player; only the arena"
            " takes it, as baselines.oracle.Oracle()"
        )
    # What follows takes longer to import, so that the scripted bots do not wait for it.
    from baselines.policy import OnnxBot, PolicyBot

    if name.endswith(".onnx"):
        return OnnxBot(name, rules)
    if os.path.isdir(name) or name.endswith(".safetensors"):
        return PolicyBot.load(name, rules)
    raise ValueError(
        f"there is no player {name!r}; players are {', '.join(NAMES)}, search,"
        " a run directory, a .safetensors checkpoint or an exported .onnx file"
    )
