"""A View says what the reference says, counted from the viewer."""

import random

import numpy as np
import pytest
from reference import team_of
from replay import (
    advance,
    mask,
    random_deal,
    random_rules,
    reference_game_of,
    view_of,
)

from spades_env import RULES, STANDARD, VIEW
from spades_env.game import apply
from spades_env.jit import jit
from spades_env.rules import NO_FLOOR
from spades_env.view import look


def expected_view(reference, rules, deal, seat):
    """Every field of the seat's View, from the reference."""

    def relative(other):
        return -1 if other is None else (other - seat) % 4

    order = [(seat + k) % 4 for k in range(4)]
    plays = [play for trick in reference.tricks for play in trick.plays]
    plays += reference.trick
    leaders = [relative(trick.leader) for trick in reference.tricks]
    first = (reference.dealer + 1) % 4
    lead_seat = -1
    if not reference.deal_over:
        if reference.trick:
            lead_seat = relative(reference.trick[0][0])
        else:
            lead_seat = relative(reference.turn if plays else first)
        leaders.append(lead_seat)
    best = reference.best_so_far()
    legal = reference.legal_actions() if reference.turn == seat else []
    if reference.deal_over:
        phase = 2 if reference.winner is None else 3
    else:
        phase = 0 if None in reference.bids else 1
    teams = [team_of(seat), 1 - team_of(seat)]
    bids = [-1 if reference.bids[s] is None else reference.bids[s] for s in order]
    expected = {
        "hand": mask(reference.hands[seat]),
        "legal": mask([action for action in legal if action < 52]),
        "unseen": mask(set.union(*(reference.hands[s] for s in order[1:]))),
        "played": [mask([card for s, card in plays if s == other]) for other in order],
        "table": mask([card for _, card in reference.trick]),
        "voids": sum(
            1 << (4 * k + suit)
            for k, other in enumerate(order)
            for suit in reference.voids[other]
        ),
        "score": [reference.scores[team] for team in teams],
        "bags": [reference.bags[team] for team in teams],
        "deal": deal,
        "plays": [card for _, card in plays] + [-1] * (52 - len(plays)),
        "leader": leaders + [-1] * (13 - len(leaders)),
        "bid": bids,
        "won": [reference.tricks_won[other] for other in order],
        "dealer": relative(reference.dealer),
        "turn": relative(reference.turn),
        "phase": phase,
        "step": len(plays) + sum(bid >= 0 for bid in bids),
        "lead_seat": lead_seat,
        "led_suit": reference.trick[0][1] // 13 if reference.trick else -1,
        "best_card": best[1] if best else -1,
        "best_seat": relative(best[0]) if best else -1,
        "broken": int(reference.broken),
        "target": rules.target,
        "floor": NO_FLOOR if rules.floor is None else rules.floor,
        "trick_points": rules.trick_points,
        "nil_points": rules.nil_points,
        "bag_points": rules.bag_points,
        "bags_limit": rules.bags_limit,
        "bag_penalty": rules.bag_penalty,
        "bags_carried": int(rules.bags_carried),
        "failed_nil": ("bags", "partner", "nothing").index(rules.failed_nil),
        "set_team": ("minus", "zero").index(rules.set_team),
    }
    assert set(expected) == set(VIEW.names)
    return expected


@pytest.mark.parametrize("seed", range(12))
def test_every_field(seed):
    """A1: all fields, for all four seats, at all 57 points of a deal."""
    rng = random.Random(seed)
    rules = random_rules(rng) if seed % 2 else STANDARD
    games, actions = random_deal(rng, rules)
    reference = reference_game_of(games[0], rules)
    for action in [*actions, None]:
        for seat in range(4):
            view = view_of(games, rules, seat)[0]
            found = {name: view[name].tolist() for name in VIEW.names}
            expected = expected_view(reference, rules, int(games[0].deal), seat)
            assert found == expected
        if action is not None:
            advance(games, rules.array, np.array([action]))
            reference.apply(action)


@jit
def look_without_history(games, rules, views):
    look(games[0], rules[0], 2, views[0], False)


def test_history_can_be_left_out():
    """`history=False` leaves `plays` and `leader` as they were, and nothing else."""
    rng = random.Random(0)
    games, actions = random_deal(rng)
    for action in actions[:30]:
        apply(games[0], STANDARD.array[0], action)
    views = np.zeros(1, VIEW)
    views["plays"], views["leader"] = 7, 8
    look_without_history(games, STANDARD.array, views)
    assert (views["plays"] == 7).all()
    assert (views["leader"] == 8).all()
    whole = view_of(games, STANDARD, 2)
    for name in set(VIEW.names) - {"plays", "leader"}:
        assert (views[name] == whole[name]).all()


def test_rules_stand_in_the_view():
    """Whoever decides from a View knows the rules of the table."""
    for name in RULES.names:
        assert VIEW[name] == RULES[name]
