"""The scripted bots: legal, honest, blind to seat and suit names, and strong enough."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from bot_positions import random_positions, random_views

from baselines import arena, hard, normal
from baselines.bot import Bot
from baselines.estimate import expected_tricks
from baselines.rule_bots import EASY, HARD, NORMAL, RuleBot, choose_batch
from spades_env import BID, BIDDING, STANDARD, VIEW, Rules
from spades_env.cards import cards_of, count_cards
from spades_env.chance import below, derive
from spades_env.jit import jit
from spades_env.view import look

BOTS = {"easy": EASY, "normal": NORMAL, "hard": HARD}
SEED = 20261201  # no tuning has used it


def decide(bot: int, views: np.ndarray) -> np.ndarray:
    actions = np.zeros(len(views), np.int64)
    choose_batch(bot, views, np.zeros(len(views), np.uint64), actions)
    return actions


# Legal


ODD_RULES = Rules(
    target=100,
    floor=None,
    trick_points=0,
    nil_points=0,
    bag_points=-1,
    bags_limit=1,
    failed_nil="partner",
    set_team="zero",
)


@pytest.mark.parametrize("rules", [STANDARD, ODD_RULES], ids=["standard", "odd"])
@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
def test_always_legal(bot: int, rules: Rules) -> None:
    views = random_views(4000, seed=3, rules=rules)
    actions = decide(bot, views)
    bids = views["phase"] == BIDDING
    assert ((actions[bids] >= BID) & (actions[bids] <= BID + 13)).all()
    assert ((views["legal"][~bids] >> actions[~bids]) & 1 == 1).all()


def test_reasons_have_names() -> None:
    for bot in (normal, hard):
        found = set()
        for view in random_views(100, seed=4):
            if view["phase"] != BIDDING:
                card, reason = bot.choose(view)
                assert card == bot.play(view)
                found.add(bot.REASONS[reason])
        assert len(found) > len(bot.REASONS) - 3


# Honest


@jit
def shuffle_hidden(games: np.ndarray, seed: int) -> None:
    """Deal the cards that the seat to act does not see anew to the other seats."""
    hidden = np.zeros(39, np.int64)
    for i in range(len(games)):
        game = games[i]
        n = 0
        for card in range(52):
            for k in range(1, 4):
                if (game.hand[(game.turn + k) & 3] >> card) & 1:
                    hidden[n] = card
                    n += 1
        key = derive(seed, i)
        for k in range(1, 4):
            seat = (game.turn + k) & 3
            hand = np.int64(0)
            for card in range(52):
                if (game.hand[seat] >> card) & 1:
                    key = derive(key, 1)
                    place = below(key, n)
                    hand |= np.int64(1) << hidden[place]
                    n -= 1
                    hidden[place] = hidden[n]
            game.hand[seat] = hand


@jit
def look_all(games: np.ndarray, rules: np.ndarray, views: np.ndarray) -> None:
    for i in range(len(games)):
        look(games[i], rules[0], int(games[i].turn), views[i])


def test_hidden_cards_do_not_matter() -> None:
    games, views = random_positions(250, seed=5)
    shuffled = games.copy()
    shuffle_hidden(shuffled, np.uint64(6))
    assert (shuffled["hand"] != games["hand"]).any(axis=1).mean() > 0.9
    seen = np.zeros(len(games), VIEW)
    look_all(shuffled, STANDARD.array, seen)
    assert seen.tobytes() == views.tobytes()  # so no bot can tell
    for bot in BOTS.values():
        assert (decide(bot, seen) == decide(bot, views)).all()


def turn_table(games: np.ndarray, by: int) -> np.ndarray:
    """The same games with every seat moved clockwise."""
    turned = games.copy()
    for name in ("hand", "played", "bid", "won"):
        turned[name] = np.roll(games[name], by, axis=1)
    for name in ("score", "bags"):
        turned[name] = np.roll(games[name], by, axis=1)
    for name in ("dealer", "turn", "best_seat", "leader"):
        seat = games[name]
        turned[name] = np.where(seat >= 0, (seat + by) % 4, seat)
    voids = games["voids"]
    turned["voids"] = (voids << 4 * by | voids >> (16 - 4 * by)) & 0xFFFF
    return turned


@pytest.mark.parametrize("by", [1, 2, 3])
def test_turning_the_table_does_not_matter(by: int) -> None:
    games, views = random_positions(200, seed=7)
    seen = np.zeros(len(games), VIEW)
    look_all(turn_table(games, by), STANDARD.array, seen)
    assert seen.tobytes() == views.tobytes()


def exchange(views: np.ndarray, a: int, b: int) -> np.ndarray:
    """The same views with two side suits exchanged."""
    changed = views.copy()
    for name in ("hand", "legal", "unseen", "played", "table"):
        bits = views[name]
        apart = (bits >> 13 * a ^ bits >> 13 * b) & 0x1FFF
        changed[name] = bits ^ apart << 13 * a ^ apart << 13 * b
    voids = views["voids"]
    apart = (voids >> a ^ voids >> b) & 0x1111
    changed["voids"] = voids ^ apart << a ^ apart << b
    for name in ("plays", "best_card"):
        changed[name] = exchange_cards(views[name], a, b)
    led = views["led_suit"]
    changed["led_suit"] = np.where(led == a, b, np.where(led == b, a, led))
    return changed


def exchange_cards(cards: np.ndarray, a: int, b: int) -> np.ndarray:
    """Cards (and actions) with two suits exchanged; what is no card stays."""
    suit = np.where((cards >= 0) & (cards < 52), cards // 13, -1)
    shift = np.where(suit == a, 13 * (b - a), np.where(suit == b, 13 * (a - b), 0))
    return cards + shift


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
@pytest.mark.parametrize("suits", [(0, 1), (0, 2), (1, 2)])
def test_side_suits_are_alike(bot: int, suits: tuple[int, int]) -> None:
    """Exchanged suits exchange the choice; exact ties between suits count as one."""
    a, b = suits
    views = random_views(1000, seed=8)
    actions = decide(bot, views)
    changed = decide(bot, exchange(views, a, b))
    expected = exchange_cards(actions, a, b)
    ties = 0
    for i in np.flatnonzero(changed != expected):
        one, other = int(expected[i]), int(changed[i])
        assert one < 39
        assert other < 39
        assert one % 13 == other % 13
        if bot != EASY:  # they tell suits apart by the cards held
            hand = exchange(views[i : i + 1], a, b)["hand"][0]
            assert (
                hand >> 13 * (one // 13) & 0x1FFF == hand >> 13 * (other // 13) & 0x1FFF
            )
        ties += 1
    assert ties < len(views) * (0.2 if bot == EASY else 0.01)


# The same in plain Python

PLAIN = """
import hashlib
import numpy as np
from bot_positions import random_views
from test_bots import BOTS, decide
views = random_views(3, seed=9)
print(hashlib.sha256(b"".join(decide(bot, views).tobytes() for bot in BOTS.values()))
      .hexdigest())
"""


def test_plain_python_decides_alike() -> None:
    views = random_views(3, seed=9)
    digest = hashlib.sha256(b"".join(decide(b, views).tobytes() for b in BOTS.values()))
    here = os.path.dirname(__file__)
    path = os.pathsep.join((here, os.path.dirname(here)))
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1", PYTHONPATH=path)
    result = subprocess.run(
        [sys.executable, "-c", PLAIN],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == digest.hexdigest(), result.stderr


# Habits


@jit
def overtakes(views: np.ndarray, actions: np.ndarray) -> int:
    """Tricks that the partner had for certain and the last seat took from it.

    Neither of the partners has bid nil, and the trick is worth points to the team: one
    that has enough may well unload its ace on a trick that it takes anyway.
    """
    count = 0
    for i in range(len(views)):
        view = views[i]
        card = actions[i]
        if view.bid[0] <= 0 or view.bid[2] <= 0 or view.phase == BIDDING:
            continue
        if view.step & 3 == 3 and view.best_seat == 2:
            best = int(view.best_card)
            beats = card > best and (card >= 39 or card // 13 == best // 13)
            under = view.legal & ((np.int64(1) << best) - 1)
            wanted = hard.stake(view, count_cards(view.hand)) > 0
            count += beats and under != 0 and wanted
    return count


def test_hard_never_takes_the_partners_sure_trick() -> None:
    views = random_views(4000, seed=10, bot=HARD)
    actions = decide(HARD, views)
    assert overtakes(views, actions) == 0


# Strength


def test_normal_beats_easy() -> None:
    result = arena.play(
        RuleBot("normal"), RuleBot("easy"), pairs=50_000, seed=SEED, workers=1
    )
    assert result.ci99[0] > 26


def test_hard_beats_easy() -> None:
    result = arena.play(
        RuleBot("hard"), RuleBot("easy"), pairs=50_000, seed=SEED, workers=1
    )
    assert result.ci99[0] > 34


def test_hard_beats_normal() -> None:
    result = arena.play(
        RuleBot("hard"), RuleBot("normal"), pairs=50_000, seed=SEED, workers=1
    )
    assert result.ci99[0] > 8


def test_hard_against_itself() -> None:
    result = arena.play(
        RuleBot("hard"), RuleBot("hard"), pairs=20_000, seed=SEED, workers=1
    )
    side = result.behaviour_a
    assert 0.04 <= side.set_rate <= 0.12
    assert side.bags <= 1.5
    assert 0.05 <= side.nil_rate <= 0.15
    assert side.nil_success >= 0.7
    assert 10 <= result.table_bids <= 11.5


@jit
def nil_too_often(views: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        if view.phase == BIDDING:
            weak = expected_tricks(view.hand) < 300
            actions[i] = BID if weak else BID + hard.bid(view)
        else:
            actions[i] = hard.play(view)


class NilTooOften(Bot):
    """Hard, but nil with every hand below three sure tricks."""

    name = "nil-too-often"

    def act_batch(
        self, views: np.ndarray, keys: np.ndarray, actions: np.ndarray
    ) -> None:
        nil_too_often(views, actions)


def test_nil_with_every_weak_hand_loses() -> None:
    result = arena.play(
        NilTooOften(), RuleBot("hard"), pairs=10_000, seed=SEED, workers=1
    )
    assert result.behaviour_a.nil_rate > 0.3
    assert result.ci99[1] < -20


# Speed


def test_legal_cards_of_a_view_are_not_touched() -> None:
    """Bots read views and leave them as they are."""
    views = random_views(20, seed=11)
    before = views.tobytes()
    for bot in BOTS.values():
        decide(bot, views)
    assert views.tobytes() == before
    assert all(cards_of(int(v["hand"])) for v in views)
