"""What episodes share in all environments: how they start, and what they pay.

The arguments `episode`, `reward`, `max_deals` and `rules`, and the options of `reset`,
are those that `spades_env.aec` describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from spades_env.cards import NUM_CARDS, card_set, card_text, parse_card
from spades_env.forfeit import deal_swing, largest_loss
from spades_env.game import NUM_SEATS, deal_value
from spades_env.jit import jit
from spades_env.rules import Rules
from spades_env.scoring import winning_team

Episode = Literal["deal", "game"]
Reward = Literal["points", "win"]

POINTS = 100  # that make a reward of 1
LARGEST_SCORE = 1_000_000  # to start at, so that no sum leaves 32 bits


@jit
def payment(game: Any, rules: Any, team: int, single_deal: bool, win: bool) -> float:
    """What a team receives for a finished deal; the other team receives the negative.

    Args:
        game: `GAME` record.
        rules: `RULES` record.
        team: 0 or 1.
        single_deal: the episode is one deal.
        win: the reward is for winning the game.
    """
    if win:
        if game.winner < 0:
            return 0.0
        return 1.0 if game.winner == team else -1.0
    if single_deal:
        points = deal_value(game, rules, team) - deal_value(game, rules, 1 - team)
        return points / POINTS
    return (int(game.deal_points[team]) - int(game.deal_points[1 - team])) / POINTS


def penalty(
    game: Any,
    rules: Rules,
    team: int,
    episode: Episode,
    reward: Reward,
    max_deals: int | None,
) -> float:
    """What an illegal action costs the team: more than all that it can still lose.

    Raises:
        ValueError: a loss has no bound (see `forfeit.check_bounded`).
    """
    if reward == "win":
        return 2.0
    if episode == "deal":
        loss = deal_swing(rules, True)
    else:
        loss = largest_loss(game, rules, team, max_deals)
    return (loss + 1) / POINTS


def check_episode(
    episode: Episode, reward: Reward, max_deals: int | None, rules: Rules
) -> None:
    """Raise ValueError or TypeError for arguments that are not allowed."""
    check_choice("episode", episode, get_args(Episode))
    check_choice("reward", reward, get_args(Reward))
    if reward == "win" and episode != "game":
        raise ValueError("reward='win' needs episode='game': a deal has no winner")
    if max_deals is not None:
        check_integer("max_deals", max_deals, 1, None)
        if episode != "game":
            raise ValueError("max_deals needs episode='game'; a deal is one deal")
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a spades_env.Rules, not {rules!r}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}"
        )


def check_integer(name: str, value: Any, low: int, high: int | None) -> int:
    """The value as an int; ValueError or TypeError unless it is one in this range."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"in {low} to {high}"
        raise ValueError(f"{name} must be {allowed}, not {value}")
    return int(value)


def _check_pair(name: str, value: Any, low: int, high: int) -> list[int]:
    if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        raise ValueError(
            f"{name} must be two numbers, one for each team, not {value!r}"
        )
    return [check_integer(f"{name}[{i}]", value[i], low, high) for i in range(2)]


def read_options(options: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """Fields of the `GAME` record that the options of `reset` set."""
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if name == "hands":
            fields["hand"] = _read_hands(value)
        elif name == "dealer":
            fields["dealer"] = check_integer("dealer", value, 0, NUM_SEATS - 1)
        elif name == "bags":
            fields["bags"] = _check_pair("bags", value, 0, rules.bags_limit - 1)
        elif name == "scores":
            scores = _check_pair("scores", value, -LARGEST_SCORE, LARGEST_SCORE)
            if winning_team(rules.array[0], *scores) >= 0:
                raise ValueError(
                    f"a game does not start finished: scores {tuple(scores)} end it"
                    f" (target {rules.target}, floor {rules.floor})"
                )
            fields["score"] = scores
        elif name != "options":  # PettingZoo's api_test resets with {"options": 1}
            raise ValueError(
                f"unknown option {name!r}; options are hands, dealer, scores, bags"
            )
    return fields


def _read_hands(hands: Any) -> list[int]:
    """Four sets of cards from lists of 13 card numbers or texts each."""
    if isinstance(hands, str) or not hasattr(hands, "__len__"):
        raise ValueError(f"hands must be four lists of 13 cards, not {hands!r}")
    if len(hands) != NUM_SEATS:
        raise ValueError(f"hands must be four lists of 13 cards, not {len(hands)}")
    holder: dict[int, int] = {}
    for seat, hand in enumerate(hands):
        if isinstance(hand, str) or not hasattr(hand, "__len__") or len(hand) != 13:
            raise ValueError(f"hands[{seat}] must be a list of 13 cards, not {hand!r}")
        for card in hand:
            number = (
                parse_card(card)
                if isinstance(card, str)
                else check_integer(f"a card of hands[{seat}]", card, 0, NUM_CARDS - 1)
            )
            if number in holder:
                raise ValueError(
                    f"{card_text(number)} is dealt twice, in hands[{holder[number]}]"
                    f" and hands[{seat}]; each card is dealt once"
                )
            holder[number] = seat
    return [
        card_set(card for card in holder if holder[card] == seat)
        for seat in range(NUM_SEATS)
    ]
