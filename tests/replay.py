"""The engine and the reference, played through the same deals and written down alike.

Both sides fill rows of `ROW`: what the table looks like before every decision and
after the last one. Tests compare the rows, so a disagreement has a place.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import numpy as np
from reference import (
    FIRST_BID,
    ReferenceGame,
    ReferenceRules,
    winning_team,
)

from spades_env import GAME, OBSERVATION_SIZE, STANDARD, STATE_SIZE, VIEW, Rules
from spades_env.game import (
    BID,
    DECISIONS,
    NUM_ACTIONS,
    NUM_SEATS,
    apply,
    is_legal,
    leader_of,
    phase_of,
    start_deal,
)
from spades_env.jit import jit
from spades_env.observation import encode, encode_mask, encode_state
from spades_env.view import look

ROW = np.dtype(
    (
        np.record,
        [
            ("legal_cards", np.int64),
            ("legal_bids", np.int64),
            ("table", np.int64),
            ("voids", np.int64),
            ("hand", np.int64, 4),
            ("bid", np.int8, 4),
            ("won", np.int8, 4),
            ("turn", np.int8),
            ("phase", np.int8),
            ("leader", np.int8),
            ("led_suit", np.int8),
            ("best_card", np.int8),
            ("best_seat", np.int8),
            ("broken", np.int8),
        ],
    )
)


def mask(cards: Sequence[int] | set[int]) -> int:
    """Set bits, written without the engine's help."""
    return sum(1 << int(card) for card in cards)


def members(bits: int) -> list[int]:
    """Numbers of the set bits."""
    return [place for place in range(int(bits).bit_length()) if int(bits) >> place & 1]


# Starting positions.


def new_game(hands, dealer, score=(0, 0), bags=(0, 0), seed=0, deal=0):
    """Array of one `GAME` record at the start of a deal with given hands."""
    games = np.zeros(1, GAME)
    game = games[0]
    game.seed = seed
    game.deal = deal
    game.dealer = dealer
    game.score = score
    game.bags = bags
    game.winner = -1
    for seat in range(NUM_SEATS):
        game.hand[seat] = mask(hands[seat])
    start_deal(game)
    return games


def random_hands(rng: random.Random) -> list[list[int]]:
    """Four hands; one deal in four has long suits, so that voids come early."""
    deck = list(range(52))
    if rng.random() < 0.25:
        spread = rng.choice((10, 20, 40))
        deck.sort(key=lambda card: card + spread * rng.random())
        turn = rng.randrange(52)
        deck = deck[turn:] + deck[:turn]
    else:
        rng.shuffle(deck)
    return [deck[13 * seat : 13 * seat + 13] for seat in range(4)]


def random_rules(rng: random.Random) -> Rules:
    """Rules with any of the switches that work, and any numbers."""
    return Rules(
        target=rng.choice((100, 250, 500, 777)),
        floor=rng.choice((None, -50, -200, -500)),
        trick_points=rng.choice((10, 10, 7, 0)),
        nil_points=rng.choice((100, 50, 0, 200)),
        bag_points=rng.choice((1, 0, -3, 10)),
        bags_limit=rng.choice((10, 5, 1, 13)),
        bag_penalty=rng.choice((100, 50, 0, 99)),
        bags_carried=rng.random() < 0.5,
        failed_nil=rng.choice(("bags", "partner", "nothing")),
        set_team=rng.choice(("minus", "zero")),
    )


def random_start(rng: random.Random, rules: Rules = STANDARD) -> np.ndarray:
    """A deal about to begin, at scores -400 to 600 of a game that is not finished."""
    reference_rules = reference_rules_of(rules)
    while True:
        score = [rng.randint(-400, 600), rng.randint(-400, 600)]
        if rng.random() < 0.1:
            score[1] = score[0]  # R20: goes on at any height
        if winning_team(reference_rules, score) is None:
            break
    return new_game(
        random_hands(rng),
        dealer=rng.randrange(4),
        score=score,
        bags=[rng.randrange(rules.bags_limit) for _ in range(2)],
        seed=rng.getrandbits(64),
        deal=rng.randrange(1000),
    )


def random_bid(rng: random.Random, style: str) -> int:
    """A bid of one of the strata."""
    if style == "nil":
        return rng.choice((0, 0, 0, rng.randrange(14)))
    if style == "thirteen":
        return rng.choice((13, 13, 12, rng.randrange(14)))
    if style == "sound":
        return rng.choice((0, 1, 2, 3, 3, 4, 5))
    return rng.randrange(14)


BID_STYLES = ("any", "nil", "thirteen", "sound")


# The reference's side.


def reference_rules_of(rules: Rules) -> ReferenceRules:
    """The same rules for the reference."""
    return ReferenceRules(
        target=rules.target,
        floor=rules.floor,
        trick_points=rules.trick_points,
        nil_points=rules.nil_points,
        bag_points=rules.bag_points,
        bags_limit=rules.bags_limit,
        bag_penalty=rules.bag_penalty,
        bags="carry" if rules.bags_carried else "empty",
        failed_nil=rules.failed_nil,
        set_team=rules.set_team,
    )


def reference_game_of(game, rules: Rules = STANDARD) -> ReferenceGame:
    """The reference at the start of the same deal."""
    assert game["step"] == 0
    return ReferenceGame(
        [members(hand) for hand in game["hand"]],
        int(game["dealer"]),
        reference_rules_of(rules),
        game["score"].tolist(),
        game["bags"].tolist(),
    )


def reference_row(game: ReferenceGame, legal: list[int]) -> tuple:
    """One `ROW` of the reference."""
    bids = [action - FIRST_BID for action in legal if action >= FIRST_BID]
    cards = [action for action in legal if action < FIRST_BID]
    best = game.best_so_far()
    if game.deal_over:
        leader = -1
    elif game.trick:
        leader = game.trick[0][0]
    else:
        leader = game.turn if None not in game.bids else (game.dealer + 1) % 4
    voids = 0
    for seat in range(4):
        for suit in game.voids[seat]:
            voids |= 1 << (4 * seat + suit)
    if game.deal_over:
        phase = 2 if game.winner is None else 3
    else:
        phase = 0 if None in game.bids else 1
    return (
        mask(cards),
        mask(bids),
        mask([card for _, card in game.trick]),
        voids,
        [mask(hand) for hand in game.hands],
        [-1 if bid is None else bid for bid in game.bids],
        list(game.tricks_won),
        -1 if game.turn is None else game.turn,
        phase,
        leader,
        game.trick[0][1] // 13 if game.trick else -1,
        best[1] if best else -1,
        best[0] if best else -1,
        game.broken,
    )


def play_reference(
    game: ReferenceGame, rng: random.Random, style: str = "any"
) -> tuple[list[int], list[tuple]]:
    """Play the deal to its end at random: the 56 actions and 57 rows."""
    actions = []
    rows = []
    for _ in range(56):
        legal = game.legal_actions()
        rows.append(reference_row(game, legal))
        action = rng.choice(legal) if legal[0] < 52 else 52 + random_bid(rng, style)
        game.apply(action)
        actions.append(action)
    rows.append(reference_row(game, game.legal_actions()))
    return actions, rows


# The engine's side.


@jit
def write_row(game, row):
    """One `ROW` of the engine."""
    row.legal_cards = 0
    row.legal_bids = 0
    for action in range(NUM_ACTIONS):
        if is_legal(game, action):
            if action < BID:
                row.legal_cards |= 1 << action
            else:
                row.legal_bids |= 1 << (action - BID)
    row.table = game.table
    row.voids = game.voids
    for seat in range(NUM_SEATS):
        row.hand[seat] = game.hand[seat]
        row.bid[seat] = game.bid[seat]
        row.won[seat] = game.won[seat]
    row.turn = game.turn
    row.phase = phase_of(game)
    row.leader = leader_of(game)
    row.led_suit = game.led_suit
    row.best_card = game.best_card
    row.best_seat = game.best_seat
    row.broken = game.broken


@jit
def play_engine(games, rules, actions, rows):
    """Play every game through its 56 actions, each by its own rules.

    Shapes: games (n,), rules (n,), actions (n, 56), rows (n, 57).
    """
    for i in range(len(games)):
        for k in range(DECISIONS):
            write_row(games[i], rows[i, k])
            apply(games[i], rules[i], int(actions[i, k]))
        write_row(games[i], rows[i, DECISIONS])


@jit
def advance(games, rules, actions):
    """Take the given actions in the first game."""
    for k in range(len(actions)):
        apply(games[0], rules[0], int(actions[k]))


@jit
def look_at(games, rules, seat, views):
    """The seat's View of the first game."""
    look(games[0], rules[0], seat, views[0])


@jit
def observe_at(games, rules, seat, observation, action_mask, state):
    """The seat's observation, mask and state of the first game."""
    views = np.zeros(1, VIEW)
    look(games[0], rules[0], seat, views[0])
    encode(views[0], observation)
    encode_mask(views[0], action_mask)
    encode_state(games[0], rules[0], seat, views[0], state)


def view_of(games, rules: Rules, seat: int) -> np.ndarray:
    """Array of one `VIEW` record."""
    views = np.zeros(1, VIEW)
    look_at(games, rules.array, seat, views)
    return views


def observation_of(games, rules: Rules, seat: int):
    """Observation, action mask and state."""
    # Filled with a value that never stands there: every place has to be written.
    observation = np.full(OBSERVATION_SIZE, 99, np.int8)
    action_mask = np.full(NUM_ACTIONS, 99, np.int8)
    state = np.full(STATE_SIZE, 99, np.int8)
    observe_at(games, rules.array, seat, observation, action_mask, state)
    return observation, action_mask, state


def random_deal(
    rng: random.Random, rules: Rules = STANDARD, style: str | None = None
) -> tuple[np.ndarray, list[int]]:
    """A random start and 56 actions that are legal from there, by the reference."""
    games = random_start(rng, rules)
    style = rng.choice(BID_STYLES) if style is None else style
    actions, _ = play_reference(reference_game_of(games[0], rules), rng, style)
    return games, actions


def digest(seed: int, deals: int) -> str:
    """SHA-256 of records, views, observations, masks and states of random deals."""
    rng = random.Random(seed)
    total = hashlib.sha256()
    for number in range(deals):
        rules = random_rules(rng) if number % 2 else STANDARD
        games, actions = random_deal(rng, rules)
        for action in [*actions, None]:
            total.update(games.tobytes())
            for seat in range(NUM_SEATS):
                total.update(view_of(games, rules, seat).tobytes())
                for vector in observation_of(games, rules, seat):
                    total.update(vector.tobytes())
            if action is not None:
                advance(games, rules.array, np.array([action]))
    return total.hexdigest()
