"""A deal or a whole game as text that a person reads and a program replays.

A deal is one line of printable ASCII (broken here, to fit)::

    seed=7 deal=0 dealer=2 score=0:0 bags=0:0 hands=JT63.A932.73.A92
    Q98742.K54.A95.Q 5.T87.KQJ86.J764 AK.QJ6.T42.KT853
    bids=3:4-3-3-nil plays=3:5C-9C-QC-JC 1:KH-8H-6H-2H 1:4H-7H

Fields are `name=value` in any order; values of more than one part are separated by
spaces. All seats are absolute, 0 to 3.

| field | holds |
|---|---|
| `seed`, `deal` | what the next deals are drawn from, and the number of this one |
| `dealer` | seat |
| `score`, `bags` | before the deal, of the teams 0 (seats 0, 2) and 1 (seats 1, 3) |
| `rules` | only what differs from the standard, as `target:250 floor:none` |
| `hands` | as dealt, seats 0 to 3; suits spades.hearts.diamonds.clubs, `-` for none |
| `bids` | the first seat to bid, then the bids clockwise; `nil` for 0 |
| `plays` | each trick: the seat that led, then the cards in the order of play |

`rules`, `bids` and `plays` are left out when they are empty. The hands are always
written, because a deal may have been given instead of drawn from its seed. A whole
game is one such line for each deal.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any

import numpy as np

from spades_env.cards import (
    ALL_CARDS,
    CLUBS,
    DIAMONDS,
    HEARTS,
    RANK_LETTERS,
    SPADES,
    card_text,
    cards_of,
    parse_card,
)
from spades_env.game import (
    BID,
    BIDDING,
    DECISIONS,
    GAME,
    GAME_OVER,
    NUM_SEATS,
    PLAY,
    apply,
    is_legal,
    legal_cards,
    phase_of,
    start_deal,
)
from spades_env.jit import jit
from spades_env.rules import STANDARD, Rules
from spades_env.scoring import winning_team

_NEEDED = ("seed", "deal", "dealer", "score", "bags", "hands")
_FIELDS = (*_NEEDED, "rules", "bids", "plays")
_SUIT_ORDER = (SPADES, HEARTS, DIAMONDS, CLUBS)
_RULE_NAMES = tuple(field.name for field in dataclasses.fields(Rules))
_RULE_WORDS: dict[str, Any] = {"none": None, "yes": True, "no": False}
_MAX_SCORE = 1_000_000_000  # leaves room in an int32 for what a deal can add


def format_deal(game: Any, rules: Rules = STANDARD) -> str:
    """Text of one deal at any point of it, as one line.

    Args:
        game: `GAME` record.
        rules: the rules it is played by.

    The line gives scores and bags as they were before the deal. One case hides them:
    with `bags_carried=False`, a finished deal that emptied the bag count does not tell
    how many bags there were; the fewest that explain it are written.

    Raises:
        ValueError: the record holds no deal (four hands of 13 cards).
    """
    return _format(game, rules, None)


def parse_deal(text: str) -> tuple[np.ndarray, Rules]:
    """Replay a line of `format_deal`.

    Returns:
        An array of one `GAME` record, equal byte for byte to the one that was
        formatted, and the rules.

    Raises:
        ValueError: the text is no deal or breaks a rule of play; the message names the
            place, what stands there and what is allowed.
    """
    _, games, rules = _parse(text)
    return games, rules


def format_game(deals: Any, rules: Rules = STANDARD) -> str:
    """Text of a whole game, one line for each deal.

    Args:
        deals: `GAME` records of one game in the order of its deals, each as it stood at
            the end of the deal; the last may be at any point.
        rules: the rules it is played by.

    Raises:
        ValueError: a record holds no deal.
    """
    lines = []
    previous = None
    for game in deals:
        lines.append(_format(game, rules, previous))
        previous = game
    return "\n".join(lines)


def parse_game(text: str) -> tuple[np.ndarray, Rules]:
    """Replay a text of `format_game`; empty lines are skipped.

    Returns:
        One `GAME` record for each deal, and the rules.

    Raises:
        ValueError: a line is no deal, or does not follow from the line before it: the
            same rules and seed, the next deal number, the deal passed one seat
            clockwise (R3), scores and bags carried, and the game not over (R19).
    """
    deals: list[np.ndarray] = []
    rules = STANDARD
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            start, games, line_rules = _parse(line)
            if deals:
                _check_follows(deals[-1][0], start, rules, line_rules)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        deals.append(games)
        rules = line_rules
    if not deals:
        raise ValueError("the text holds no deal; a game is one line for each deal")
    games = np.zeros(len(deals), GAME)  # np.concatenate would leave padding bytes open
    for place, deal in enumerate(deals):
        games[place] = deal[0]
    return games, rules


def _format(game: Any, rules: Rules, previous: Any) -> str:
    score = game["score"].tolist()
    bags = game["bags"].tolist()
    step = int(game["step"])
    if step == DECISIONS:
        for team in range(2):
            penalties = int(game["deal_penalties"][team])
            before = bags[team] + rules.bags_limit * penalties
            score[team] -= int(game["deal_points"][team])
            bags[team] = max(before - int(game["deal_bags"][team]), 0)
            if penalties and not rules.bags_carried and previous is not None:
                bags[team] = int(previous["bags"][team])
    dealt = (game["hand"] | game["played"]).tolist()
    dealer = int(game["dealer"])
    parts = [
        f"seed={int(game['seed'])} deal={int(game['deal'])} dealer={dealer}"
        f" score={score[0]}:{score[1]} bags={bags[0]}:{bags[1]}"
    ]
    changes = rules.changes()
    if changes:
        texts = [f"{name}:{_rule_text(value)}" for name, value in changes.items()]
        parts.append("rules=" + " ".join(texts))
    if sum(dealt) != ALL_CARDS or any(hand.bit_count() != 13 for hand in dealt):
        raise ValueError("the record holds no deal of four hands of 13 cards")
    parts.append("hands=" + " ".join(map(_hand_text, dealt)))
    if step:
        first = (dealer + 1) % NUM_SEATS
        bids = [int(game["bid"][(first + k) % NUM_SEATS]) for k in range(min(step, 4))]
        parts.append(f"bids={first}:" + "-".join(str(bid or "nil") for bid in bids))
    if step > NUM_SEATS:
        cards = [card_text(card) for card in game["plays"][: step - NUM_SEATS].tolist()]
        leaders = game["leader"].tolist()
        tricks = [
            f"{leaders[place // 4]}:" + "-".join(cards[place : place + 4])
            for place in range(0, len(cards), 4)
        ]
        parts.append("plays=" + " ".join(tricks))
    return " ".join(parts)


def _rule_text(value: Any) -> str:
    for word, meaning in _RULE_WORDS.items():
        if value is meaning:
            return word
    return str(value)


def _hand_text(hand: int) -> str:
    return ".".join(_ranks_text(hand >> 13 * suit & 0x1FFF) for suit in _SUIT_ORDER)


@functools.cache
def _ranks_text(ranks: int) -> str:
    """Ranks of one suit, given as 13 bits, from the ace down."""
    text = "".join(RANK_LETTERS[rank] for rank in range(13) if ranks >> rank & 1)
    return text[::-1] or "-"


@jit
def _replay(games: np.ndarray, rules: np.ndarray, actions: np.ndarray) -> int:
    """Take the actions in the first game; how many were legal before one was not."""
    for k in range(len(actions)):
        if not is_legal(games[0], int(actions[k])):
            return k
        apply(games[0], rules[0], int(actions[k]))
    return len(actions)


def _parse(text: str) -> tuple[np.ndarray, np.ndarray, Rules]:
    """The game at the start of the deal, the game after all actions, and the rules."""
    fields = _parse_fields(text)
    rules = _parse_rules(fields.get("rules", []))
    games = np.zeros(1, GAME)
    game = games[0]
    game["seed"] = _number("seed", _single(fields, "seed"), 0, 2**64 - 1)
    game["deal"] = _number("deal", _single(fields, "deal"), 0, 2**31 - 1)
    dealer = _number("dealer", _single(fields, "dealer"), 0, NUM_SEATS - 1)
    game["dealer"] = dealer
    score = _pair(fields, "score", -_MAX_SCORE, _MAX_SCORE)
    game["score"] = score
    game["bags"] = _pair(fields, "bags", 0, rules.bags_limit - 1)
    if winning_team(rules.array[0], *score) >= 0:
        raise ValueError(
            f"score={score[0]}:{score[1]} is that of a finished game (R19); the score"
            " is the one before the deal"
        )
    game["hand"] = _parse_hands(fields["hands"])
    game["winner"] = -1
    start_deal(game)
    start = games.copy()
    bids = _parse_bids(fields.get("bids", []), (dealer + 1) % NUM_SEATS)
    leaders, cards = _parse_tricks(fields.get("plays", []))
    if cards and len(bids) < NUM_SEATS:
        raise ValueError(f"plays before all have bid; bids holds {len(bids)} of 4")
    actions = np.array([BID + bid for bid in bids] + cards, np.int64)
    taken = _replay(games, rules.array, actions)
    for trick, leader in enumerate(leaders):
        if 0 <= game["leader"][trick] != leader:
            raise ValueError(
                f"plays: trick {trick + 1} is led by seat {game['leader'][trick]},"
                f" not {leader}"
            )
    if taken < len(actions):
        trick, place = divmod(taken - NUM_SEATS, 4)
        legal = " ".join(map(card_text, cards_of(legal_cards(game))))
        raise ValueError(
            f"plays: trick {trick + 1}, card {place + 1}: seat {game['turn']} may not"
            f" play {card_text(int(actions[taken]))}; legal: {legal}"
        )
    return start, games, rules


def _check_follows(
    previous: Any, start: np.ndarray, rules: Rules, next_rules: Rules
) -> None:
    """Raise ValueError unless a deal begins as `previous` ended."""
    phase = phase_of(previous)
    if phase in (BIDDING, PLAY):
        raise ValueError("a deal follows one that is not over")
    if phase == GAME_OVER:
        raise ValueError("a deal follows one that ended the game")
    if next_rules != rules:
        raise ValueError("the rules differ from those of the deal before")
    game = start[0]
    for name, expected in (
        ("seed", previous["seed"]),
        ("deal", previous["deal"] + 1),
        ("dealer", (previous["dealer"] + 1) % NUM_SEATS),
    ):
        if game[name] != expected:
            raise ValueError(
                f"{name}={game[name]}; after the deal before it must be {expected}"
            )
    for name in ("score", "bags"):
        found, expected = game[name].tolist(), previous[name].tolist()
        if found != expected:
            raise ValueError(
                f"{name}={found[0]}:{found[1]}; after the deal before it must be"
                f" {expected[0]}:{expected[1]}"
            )


def _parse_fields(text: str) -> dict[str, list[str]]:
    """Fields by name, each as its parts between spaces."""
    fields: dict[str, list[str]] = {}
    parts: list[str] | None = None
    for word in text.split():
        name, equals, rest = word.partition("=")
        if not equals:
            if parts is None:
                raise ValueError(
                    f"the text begins with {word!r}; it must begin with a field, like"
                    " seed=7"
                )
            parts.append(word)
            continue
        if name not in _FIELDS:
            raise ValueError(
                f"unknown field {name!r}; the fields are {', '.join(_FIELDS)}"
            )
        if name in fields:
            raise ValueError(f"field {name!r} is given twice")
        parts = fields[name] = [rest] if rest else []
    for name in _NEEDED:
        if name not in fields:
            raise ValueError(
                f"field {name!r} is missing; a deal needs {', '.join(_NEEDED)}"
            )
    return fields


def _single(fields: dict[str, list[str]], name: str) -> str:
    parts = fields[name]
    if len(parts) != 1:
        raise ValueError(f"{name} must have one value, not {' '.join(parts)!r}")
    return parts[0]


def _number(what: str, text: str, low: int, high: int) -> int:
    number = int(text) if re.fullmatch(r"-?[0-9]{1,20}", text) else None
    if number is None or not low <= number <= high:
        raise ValueError(f"{what} must be a number {low} to {high}, not {text!r}")
    return number


def _pair(fields: dict[str, list[str]], name: str, low: int, high: int) -> list[int]:
    texts = _single(fields, name).split(":")
    if len(texts) != 2:
        raise ValueError(
            f"{name} must be two numbers, team 0 and team 1, like 12:30, not"
            f" {':'.join(texts)!r}"
        )
    return [_number(name, text, low, high) for text in texts]


def _parse_rules(parts: list[str]) -> Rules:
    values: dict[str, Any] = {}
    for part in parts:
        name, colon, text = part.partition(":")
        if not colon or name not in _RULE_NAMES:
            raise ValueError(
                f"unknown rule {part!r}; a rule is name:value, with a name of"
                f" {', '.join(_RULE_NAMES)}"
            )
        if name in values:
            raise ValueError(f"rule {name!r} is given twice")
        is_number = re.fullmatch(r"-?[0-9]{1,20}", text)
        values[name] = int(text) if is_number else _RULE_WORDS.get(text, text)
    try:
        return Rules(**values)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _parse_hands(parts: list[str]) -> list[int]:
    if len(parts) != NUM_SEATS:
        raise ValueError(f"hands must be those of four seats, not {len(parts)}")
    hands: list[int] = []
    for seat, text in enumerate(parts):
        suits = text.split(".")
        if len(suits) != 4:
            raise ValueError(
                f"hand {text!r} of seat {seat} must be four suits, spades.hearts."
                "diamonds.clubs, with - for a suit that is empty"
            )
        hand = 0
        for suit, ranks in zip(_SUIT_ORDER, suits, strict=True):
            for letter in "" if ranks == "-" else ranks.upper():
                rank = RANK_LETTERS.find(letter)
                if rank < 0:
                    raise ValueError(
                        f"hand {text!r} of seat {seat} holds {letter!r}; ranks are"
                        f" {RANK_LETTERS}"
                    )
                card = 13 * suit + rank
                if any(other >> card & 1 for other in (*hands, hand)):
                    raise ValueError(
                        f"hand {text!r} of seat {seat} holds {card_text(card)}, which"
                        " is dealt already; there is one of each card"
                    )
                hand |= 1 << card
        if hand.bit_count() != 13:
            raise ValueError(
                f"hand {text!r} of seat {seat} has {hand.bit_count()} cards; a hand"
                " has 13"
            )
        hands.append(hand)
    return hands


def _parse_bids(parts: list[str], first: int) -> list[int]:
    if not parts:
        return []
    if len(parts) > 1:
        raise ValueError(f"bids must have one value, not {' '.join(parts)!r}")
    seat, texts = _parse_group("bids", parts[0])
    if seat != first:
        raise ValueError(f"bids: seat {first} bids first, left of the dealer (R4)")
    bids = []
    for text in texts:
        is_number = re.fullmatch(r"[1-9]|1[0-3]", text)
        if text != "nil" and not is_number:
            raise ValueError(f"{text!r} is no bid; a bid is nil or 1 to 13")
        bids.append(int(text) if is_number else 0)
    return bids


def _parse_tricks(parts: list[str]) -> tuple[list[int], list[int]]:
    """Leaders of the tricks, and all cards in the order of play."""
    if len(parts) > 13:
        raise ValueError(f"plays holds {len(parts)} tricks; a deal has 13 (R10)")
    leaders = []
    cards: list[int] = []
    for trick, part in enumerate(parts):
        seat, texts = _parse_group("plays", part)
        if len(texts) < 4 and trick + 1 < len(parts):
            raise ValueError(
                f"plays: trick {trick + 1} has {len(texts)} cards; only the last may"
                " have fewer than 4"
            )
        leaders.append(seat)
        cards.extend(map(parse_card, texts))
    return leaders, cards


def _parse_group(what: str, text: str) -> tuple[int, list[str]]:
    """A seat, and what it and the seats to its left did: `1:AC-3C-7C-6C`."""
    match = re.fullmatch(r"([0-3]):([^-]+(?:-[^-]+){0,3})", text)
    if match is None:
        raise ValueError(
            f"{what}: {text!r} must be a seat 0 to 3, a colon, and one to four parts"
            " with - between them"
        )
    return int(match[1]), match[2].split("-")
