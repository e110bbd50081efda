"""Deals and games as text: they replay to the same records, and errors are clear."""

import random
import re

import numpy as np
import pytest
from replay import advance, members, new_game, random_deal, random_hands, random_rules

from spades_env import (
    BID,
    BIDDING,
    GAME,
    GAME_OVER,
    PLAY,
    STANDARD,
    Rules,
    format_deal,
    format_game,
    parse_deal,
    parse_game,
)
from spades_env.game import apply, legal_cards, next_deal, phase_of, start_game

FIELDS = "seed=7 deal=0 dealer=2 score=12:-30 bags=2:0"
HANDS = "hands=JT63.A932.73.A92 Q98742.K54.A95.Q 5.T87.KQJ86.J764 AK.QJ6.T42.KT853"
BIDS = "bids=3:4-3-nil-3"
PLAYS = "plays=3:5C-9C-QC-JC 1:KH-8H-6H-2H 1:4H-7H"
TEXT = f"{FIELDS} {HANDS} {BIDS} {PLAYS}"


def play_game(seed, rules, deals=100):
    """The records of a random game after each of its deals."""
    rng = random.Random(seed)
    games = np.zeros(1, GAME)
    start_game(games[0], np.uint64(seed))
    records = np.zeros(deals, GAME)
    for number in range(deals):
        while phase_of(games[0]) == BIDDING:
            apply(games[0], rules.array[0], BID + rng.randrange(6))
        while phase_of(games[0]) == PLAY:
            card = rng.choice(members(legal_cards(games[0])))
            apply(games[0], rules.array[0], card)
        records[number] = games[0]
        if phase_of(games[0]) == GAME_OVER:
            return records[: number + 1]
        next_deal(games[0])
    return records


def test_a_deal_by_hand():
    """What each part of the text means."""
    games, rules = parse_deal(TEXT)
    assert rules == STANDARD
    assert games.dtype == GAME
    assert games.shape == (1,)
    game = games[0]
    assert (game.seed, game.deal, game.dealer) == (7, 0, 2)
    assert game.score.tolist() == [12, -30]
    assert game.bags.tolist() == [2, 0]
    assert game.bid.tolist() == [3, 0, 3, 4]  # seat 3 bid first: 4, 3, nil, 3
    assert game.won.tolist() == [0, 2, 0, 0]
    assert game.leader[:4].tolist() == [3, 1, 1, -1]
    assert game.turn == 3
    assert game.step == 14
    assert format_deal(game) == TEXT


def test_fields_in_any_order_and_case():
    """People write by hand; what is printed has one form."""
    parts = [PLAYS.lower(), HANDS.lower(), FIELDS, BIDS]
    games, _ = parse_deal("  \n".join(parts) + "\n")
    assert format_deal(games[0]) == TEXT
    shuffled_hand = TEXT.replace("Q98742.", "2Q7948.")
    assert format_deal(parse_deal(shuffled_hand)[0][0]) == TEXT


@pytest.mark.parametrize("seed", range(20))
def test_round_trip_at_every_point(seed):
    """Byte for byte, from no bid to the end of a deal, with any rules."""
    rng = random.Random(seed)
    rules = random_rules(rng) if seed % 2 else STANDARD
    games, actions = random_deal(rng, rules)
    for action in [*actions, None]:
        text = format_deal(games[0], rules)
        parsed, parsed_rules = parse_deal(text)
        assert parsed.tobytes() == games.tobytes()
        assert parsed_rules == rules
        assert format_deal(parsed[0], parsed_rules) == text
        if action is not None:
            advance(games, rules.array, np.array([action]))


def test_bags_before_an_emptied_count():
    """`bags_carried=False` hides the old count; the text gives the same record."""
    rules = Rules(bags_carried=False)
    rng = random.Random(1)
    emptied = 0
    for _ in range(200):
        games, actions = random_deal(rng, rules, "sound")
        advance(games, rules.array, np.array(actions))
        emptied += games[0].deal_penalties.sum()
        assert parse_deal(format_deal(games[0], rules))[0].tobytes() == games.tobytes()
    assert emptied > 20


def test_text_survives_copying():
    """One line of printable ASCII, with nothing that a shell would take apart."""
    rng = random.Random(2)
    for _ in range(20):
        rules = random_rules(rng)
        games, actions = random_deal(rng, rules)
        advance(games, rules.array, np.array(actions))
        text = format_deal(games[0], rules)
        assert re.fullmatch(r"[A-Za-z0-9 ._:=-]+", text)
        assert "  " not in text
        assert len(text) < 700


def test_only_changed_rules_are_written():
    """A line of the standard game names no rule; each change has its words."""
    games = new_game(random_hands(random.Random(0)), 1)
    assert "rules" not in format_deal(games[0])
    rules = Rules(floor=None, bags_carried=False, failed_nil="partner", target=250)
    text = format_deal(games[0], rules)
    assert (
        " rules=target:250 floor:none bags_carried:no failed_nil:partner hands=" in text
    )


def test_records_from_a_file(tmp_path):
    """A record that lost its attribute access on the way is formatted alike."""
    games, _ = parse_deal(TEXT)
    np.save(tmp_path / "games.npy", games)
    loaded = np.load(tmp_path / "games.npy")
    assert format_deal(loaded[0]) == TEXT
    assert format_game(loaded) == TEXT


def test_a_record_that_holds_no_deal():
    """An empty record is refused."""
    with pytest.raises(ValueError, match="no deal of four hands"):
        format_deal(np.zeros(1, GAME)[0])


REPLACED = {
    "bad card in a hand": ("Q98742", "Q9874X", "'X'", "23456789TJQKA"),
    "bad suit count": ("AK.QJ6.T42", "AK.QJ6T42", "of seat 3", "four suits"),
    "12 cards": ("Q98742", "Q9874", "of seat 1 has 12 cards", "13"),
    "14 cards": ("Q98742.", "Q987421.", "'1'", "ranks are"),
    "a card twice": ("Q98742", "Q98743", "3S", "dealt already"),
    "a card twice in a hand": ("Q98742", "QQ8742", "QS", "dealt already"),
    "three hands": (" AK.QJ6.T42.KT853", "", "four seats", "3"),
    "unknown field": ("bags=", "sacks=", "'sacks'", "bags"),
    "missing field": ("bags=2:0", "", "'bags'", "missing"),
    "field twice": ("deal=0", "deal=0 deal=0", "'deal'", "twice"),
    "no field": ("seed=7", "7 seed=7", "'7'", "seed=7"),
    "two values": ("deal=0", "deal=0 1", "one value", "'0 1'"),
    "bad seed": ("seed=7", "seed=x", "'x'", "0 to 18446744073709551615"),
    "seed too large": ("seed=7", f"seed={2**64}", str(2**64), "0 to"),
    "seed below zero": ("seed=7", "seed=-1", "'-1'", "0 to"),
    "number in other digits": ("seed=7", "seed=७", "'७'", "0 to"),
    "bad deal": ("deal=0", "deal=1.5", "'1.5'", "0 to"),
    "bad dealer": ("dealer=2", "dealer=4", "'4'", "0 to 3"),
    "one score": ("12:-30", "12", "'12'", "two numbers"),
    "bad score": ("12:-30", "12:x", "'x'", "-1000000000 to"),
    "finished game": ("12:-30", "12:-230", "12:-230", "finished"),
    "bags": ("bags=2:0", "bags=2:10", "'10'", "0 to 9"),
    "wrong first bidder": ("bids=3:", "bids=0:", "seat 3 bids first", "R4"),
    "bid of 14": ("3:4-3-nil-3", "3:4-14-nil-3", "'14'", "nil or 1 to 13"),
    "bid of 0": ("3:4-3-nil-3", "3:4-3-0-3", "'0'", "nil or 1 to 13"),
    "five bids": ("3:4-3-nil-3", "3:4-3-nil-3-3", "'3:4-3-nil-3-3'", "one to four"),
    "bids twice": ("3:4-3-nil-3", "3:4-3 nil-3", "'3:4-3 nil-3'", "one value"),
    "no seat": ("3:5C-9C", "5C-9C", "'5C-9C-QC-JC'", "seat 0 to 3"),
    "three bids": ("3:4-3-nil-3", "3:4-3-nil", "3 of 4", "plays"),
    "bad card": ("3:5C-9C", "3:5C-9X", "'9X'", "23456789TJQKA"),
    "short trick": ("3:5C-9C-QC-JC", "3:5C-9C-QC", "trick 1 has 3", "last"),
    "wrong leader": ("1:KH-8H", "2:KH-8H", "trick 2 is led by seat 1", "not 2"),
    "revoke": ("1:KH-8H-6H", "1:KH-8H-TD", "trick 2, card 3: seat 3", "6H JH QH"),
    "card of another": ("3:5C-9C", "3:5C-2H", "seat 0 may not play 2H", "2C 9C AC"),
    "card again": ("1:4H-7H", "1:KH-7H", "seat 1 may not play KH", "legal: 5D"),
    "spade unbroken": ("1:4H-7H", "1:QS", "trick 3, card 1", "legal: 5D"),
    "unknown rule": ("hands=", "rules=goal:250 hands=", "'goal:250'", "target"),
    "rule without value": ("hands=", "rules=target hands=", "'target'", "name:value"),
    "rule twice": ("hands=", "rules=target:2 target:3 hands=", "'target'", "twice"),
    "rule value": ("hands=", "rules=target:0 hands=", "Rules.target", "1 to 1000000"),
    "rule type": ("hands=", "rules=target:no hands=", "Rules.target", "an int"),
    "rule word": ("hands=", "rules=set_team:x hands=", "'x'", "minus, zero"),
    "rule not working": ("hands=", "rules=jokers:yes hands=", "jokers", "only False"),
}


@pytest.mark.parametrize("name", REPLACED)
def test_errors_of_a_deal(name):
    """The error names what stands there and what is allowed."""
    old, new, *named = REPLACED[name]
    assert TEXT.count(old) == 1
    with pytest.raises(ValueError) as error:
        parse_deal(TEXT.replace(old, new))
    for words in named:
        assert words in str(error.value)


@pytest.mark.parametrize("text", ["", " \n", "hello", "=", "seed", "seed="])
def test_no_deal_at_all(text):
    """Whatever else is given is a ValueError too."""
    with pytest.raises(ValueError, match=r"missing|begins with|unknown field"):
        parse_deal(text)


def test_damaged_texts_never_pass_silently():
    """A text with a character changed is refused, or is another deal."""
    rng = random.Random(3)
    for _ in range(1500):
        place = rng.randrange(len(TEXT))
        letter = rng.choice("0123456789AKQJT.:-= nilCDHSxé")
        damaged = TEXT[:place] + letter + TEXT[place + 1 :]
        try:
            games, rules = parse_deal(damaged)
        except ValueError:
            continue
        again, _ = parse_deal(format_deal(games[0], rules))
        assert again.tobytes() == games.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_whole_games(seed):
    """One line for each deal; the records come back byte for byte."""
    rules = Rules(bags_carried=False, bag_penalty=20) if seed % 2 else STANDARD
    records = play_game(seed, rules)
    text = format_game(records, rules)
    assert len(text.splitlines()) == len(records)
    parsed, parsed_rules = parse_game(text + "\n\n")
    assert parsed.tobytes() == records.tobytes()
    assert parsed_rules == rules
    # Each line stands for itself too.
    for line, record in zip(text.splitlines(), records, strict=True):
        assert parse_deal(line)[0].tobytes() == record.tobytes()


def test_game_in_progress():
    """The last deal of a text may be at any point."""
    records = play_game(9, STANDARD, deals=2)
    games = np.zeros(1, GAME)
    games[0] = records[1]
    next_deal(games[0])
    advance(games, STANDARD.array, np.array([55, 55]))
    text = format_game([*records, games[0]])
    parsed, _ = parse_game(text)
    assert parsed.tobytes() == records.tobytes() + games.tobytes()
    with pytest.raises(ValueError, match=r"line 4: .*not over"):
        parse_game(text + "\n" + text.splitlines()[-1])


def game_texts():
    """The lines of a game of at least four deals that has ended."""
    for seed in range(10, 100):
        records = play_game(seed, STANDARD)
        if len(records) >= 4 and records[-1].winner >= 0:
            return format_game(records).splitlines()
    raise AssertionError


@pytest.mark.parametrize(
    ("pattern", "replacement", "message"),
    [
        (r"seed=\d+", "seed=999", "seed=999; .* must be"),
        (r"deal=\d+", "deal=17", "deal=17; .* must be 2"),
        (r"score=\S+", "score=1:2", "score=1:2; .* must be"),
        (r"bags=\S+", "bags=1:2", "bags=1:2; .* must be"),
        (r"hands=", "rules=target:400 hands=", "rules differ"),
    ],
)
def test_errors_of_a_game(pattern, replacement, message):
    """R3, R17: a line that does not follow is named, and what must stand there."""
    lines = game_texts()
    lines[2] = re.sub(pattern, replacement, lines[2])
    with pytest.raises(ValueError, match="line 3: .*" + message):
        parse_game("\n".join(lines))


def test_dealer_must_rotate():
    """R3: the deal passes one seat clockwise."""
    lines = game_texts()
    dealer = int(re.search(r"dealer=(\d)", lines[1])[1])
    # A line that is right in itself: the bids of that dealer, no plays.
    lines[2] = re.sub(r"dealer=\d", f"dealer={dealer}", lines[2])
    lines[2] = lines[2].split(" bids=")[0]
    message = f"line 3: dealer={dealer}; .* must be {(dealer + 1) % 4}"
    with pytest.raises(ValueError, match=message):
        parse_game("\n".join(lines[:3]))


def test_no_deal_after_the_end():
    """R19: a game that is over has no further deal."""
    lines = game_texts()
    extra = re.sub(r"score=\S+", "score=0:0", lines[-1])
    extra = re.sub(r"bags=\S+", "bags=0:0", extra)
    with pytest.raises(ValueError, match=f"line {len(lines) + 1}: .*ended the game"):
        parse_game("\n".join([*lines, extra]))


def test_errors_name_the_line():
    """An error inside a deal tells its line; a text without a deal is refused."""
    lines = game_texts()
    with pytest.raises(ValueError, match="line 2: unknown field 'x'"):
        parse_game("\n".join([lines[0], lines[1] + " x=1"]))
    with pytest.raises(ValueError, match="no deal"):
        parse_game("\n \n")
