"""Positions for the habits that players complain about in Spades bots.

For each complaint at least four positions, derived by thinking, with the actions that a
good player would accept. Hard must find one of them in every position. What Normal does
is printed (`pytest -s`); it need not pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from baselines import hard, normal
from spades_env import BIDDING, VIEW
from spades_env.cards import card_text
from spades_env.notation import parse_deal
from spades_env.view import look

COMPLAINTS = {
    1: "trumps or overtakes a trick that the partner is winning for sure",
    2: "covers the partner's nil badly, or is set while covering",
    3: "bids low because the partner bid nil",
    4: "bids nil after the partner's nil, or where its own bid wins the game",
    5: "chases a nil at the cost of its own contract",
    6: "takes bags that it need not take, or keeps them from the opponents",
    7: "does not take the extra trick that sets the opponents",
    8: "leads trumps always; wins with a higher card than it needs",
    9: "third hand: an honour under an unseen ace, or not high where it must be",
    10: "bids as if the score were 0:0",
    11: "second hand throws an ace on a trick it need not win",
}


class Position(NamedTuple):
    """A deal up to a decision, and the actions that a good player would accept."""

    complaint: int
    why: str
    accept: str
    deal: str


POSITIONS = (
    Position(
        1,
        "the partner's ace has the trick: a low side card, no spade",
        "2C 6C 7C 9C 2D 5D 8D",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=964.-.K852.QJ9762 "
        "82.KT42.T9643.T4 KQ3.AJ973.AQJ7.8 AJT75.Q865.-.AK53 bids=2:4-3-3-3 "
        "plays=2:AH-5H",
    ),
    Position(
        1,
        "last, and the partner's king has the trick",
        "2C 5C",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=A85.Q94.KJ62.A52 "
        "KQT742.-.A3.QJ987 963.KJ653.T87.K6 J.AT872.Q954.T43 bids=1:3-3-3-4 "
        "plays=1:7C-KC-3C",
    ),
    Position(
        1,
        "last, and the partner has ruffed: no overruff, no high card",
        "4H 7H 3C 5C 6C 8C",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=Q82.AK74.-.KT8653 "
        "KJ.J92.A9642.Q72 AT975.T8653.-.A94 643.Q.KQJT8753.J bids=1:3-3-3-4 "
        "plays=1:9D-5S-3D",
    ),
    Position(
        1,
        "the partner's ace of spades has the trick for certain",
        "2S 7S",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=K72.AK74.-.KT8653 "
        "-.Q82.AKQ9764.J74 AT985.JT653.-.A92 QJ643.9.JT8532.Q bids=1:3-4-3-3 "
        "plays=1:9D-5S-3D-3C 2:AS-3S",
    ),
    Position(
        1,
        "last, and the partner has ruffed a king: follow low",
        "2H 5H",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=A96.AQ52.K84.J73 "
        "72.KJ9743.AQ32.5 KJ543.-.T976.AT84 QT8.T86.J5.KQ962 bids=1:3-3-3-4 "
        "plays=1:KH-4S-6H",
    ),
    Position(
        2,
        "second hand high: the partner's nil plays after the next opponent",
        "AH KH",
        "seed=0 deal=0 dealer=2 score=0:0 bags=0:0 hands=AK73.AK4.A85.Q92 "
        "84.J753.KQ976.K5 J5.QT86.T432.A83 QT962.92.J.JT764 bids=3:4-5-3-nil "
        "plays=3:9H",
    ),
    Position(
        2,
        "leads high, so that the partner can stay under",
        "AH KH AD",
        "seed=0 deal=0 dealer=3 score=0:0 bags=0:0 hands=AK73.AK4.A85.Q92 "
        "J96.QJ532.K43.A4 T54.86.J6.KJT765 Q82.T97.QT972.83 bids=0:5-3-nil-4",
    ),
    Position(
        2,
        "the nil is safe in this trick, and the contract needs the ace",
        "AD",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=AQ732.KJ4.A85.K2 "
        "KT54.A53.K7.T976 9.Q987.J964.AQJ8 J86.T62.QT32.543 bids=1:4-nil-4-5 "
        "plays=1:KD-4D-2D",
    ),
    Position(
        2,
        "the nil has the trick: the cheapest card that takes it away",
        "TC",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=KJ73.AJ4.A85.AT2 "
        "4.KT63.JT9.KJ763 AQT98.Q8.KQ6.Q94 652.9752.7432.85 bids=1:4-nil-4-5 "
        "plays=1:3C-9C-5C",
    ),
    Position(
        2,
        "the nil has the trick, and an opponent still plays: cover it",
        "JH KH AH",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=KQ73.AKJ2.A85.92 "
        "T9.T9.KQ763.AQ76 J54.Q63.JT2.KJT4 A862.8754.94.853 bids=2:nil-3-5-4 "
        "plays=2:6H-4H",
    ),
    Position(
        2,
        "a ruff takes the trick away from the nil",
        "2S 3S 7S",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=K732.AKJ42.-.K962 "
        "AQ6.653.KQT3.AQT J98.T987.9862.83 T54.Q.AJ754.J754 bids=1:4-nil-4-5 "
        "plays=1:3D-9D-5D",
    ),
    Position(
        3,
        "eight tricks beside a nil",
        "7 8",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=AKQJ4.AK7.A85.92 "
        "652.QT94.KT72.A6 T8.J853.Q6.KJT53 973.62.J943.Q874 bids=2:nil-2",
    ),
    Position(
        3,
        "six tricks beside a nil",
        "5 6 7",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=AQ95.AK6.KQ4.A83 "
        "T8.9.AJ98763.KQ7 KJ73.T8532.T2.T9 642.QJ74.5.J6542 bids=2:nil-3",
    ),
    Position(
        3,
        "long spades and two aces beside a nil",
        "6 7 8",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=KQJ862.A5.A94.73 "
        "543.JT8.T75.KJ98 -.KQ943.J863.QT65 AT97.762.KQ2.A42 bids=2:nil-2",
    ),
    Position(
        3,
        "aces and kings beside a nil",
        "5 6 7",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=AK73.AQ5.AK92.64 "
        "Q62.K86432.83.J5 T94.JT9.JT76.A98 J85.7.Q54.KQT732 bids=2:nil-2",
    ),
    Position(
        4,
        "the partner has bid nil: nobody covers two",
        "1 2",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=94.8532.J74.T653 "
        "AK72.AK9.KQT.A98 J86.QJ64.532.QJ4 QT53.T7.A986.K72 bids=2:nil-4",
    ),
    Position(
        4,
        "the partner has bid nil",
        "1 2",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=T63.742.9853.Q62 "
        "KQJ.AQ65.Q4.KJ43 98752.J.KJT2.T85 A4.KT983.A76.A97 bids=2:nil-5",
    ),
    Position(
        4,
        "one trick wins the game: no nil",
        "1 2",
        "seed=0 deal=0 dealer=1 score=462:310 bags=2:0 hands=42.9643.852.J753 "
        "T3.J7.AQJ64.AKT8 Q87.52.KT73.Q642 AKJ965.AKQT8.9.9 bids=2:4-3",
    ),
    Position(
        4,
        "one trick wins the game, however safe the nil",
        "1 2",
        "seed=0 deal=0 dealer=1 score=470:301 bags=0:1 hands=43.9752.8632.754 "
        "QJ852.AKQ4.T7.J3 AK97.T6.AJ4.KQ96 T6.J83.KQ95.AT82 bids=2:3-3",
    ),
    Position(
        5,
        "needs all four tricks that are left: the king of spades is sure",
        "KS",
        "seed=12197126776081193697 deal=0 dealer=3 score=0:0 bags=0:0 "
        "hands=J963.5.Q76.KT543 KT4.AJ84.J9542.A 5.T9762.8.QJ9872 AQ872.KQ3.AKT3.6 "
        "bids=0:3-4-nil-6 plays=0:KC-AC-QC-6C 1:AH-TH-3H-5H 1:2D-8D-KD-6D "
        "3:AD-7D-4D-JC 3:KH-3S-4H-9H 0:QD-5D-9C-3D 0:JS-4S-5S-QS 3:AS-6S-TS-8C "
        "3:TD-9S-9D-7C 0:TC",
    ),
    Position(
        5,
        "needs all four tricks that are left: ruffs",
        "7S JS",
        "seed=17137220217284130586 deal=0 dealer=3 score=0:0 bags=0:0 "
        "hands=9.AKJ94.KT9.JT54 QT852.-.AJ853.K62 AKJ7643.862.Q7.9 "
        "-.QT753.642.AQ873 bids=0:2-5-6-nil plays=0:AH-2S-2H-QH 1:AD-7D-6D-9D "
        "1:KC-9C-QC-4C 1:QS-KS-AC-9S 2:AS-TH-4H-5S 2:QD-4D-KD-3D 0:TD-JD-3S-2D "
        "2:4S-8C-5C-8S 1:TS-6S-7C-9H 1:8D",
    ),
    Position(
        5,
        "needs all four tricks that are left: ruffs with the nil still to play",
        "JS KS",
        "seed=67729849450204611 deal=0 dealer=0 score=0:0 bags=0:0 "
        "hands=AQ3.QT2.KQ2.K872 7.AKJ85.A.AJT965 KJ9642.9.JT984.Q T85.7643.7653.43 "
        "bids=1:3-5-nil-4 plays=1:AD-4D-7D-2D 1:AH-9H-7H-2H 1:AC-QC-4C-2C "
        "1:KH-2S-6H-TH 2:8D-6D-QD-7S 1:JH-4S-4H-QH 2:6S-5S-AS-5H 0:7C-JC-9S-3C "
        "2:9D-5D-KD-5C 0:8C-TC",
    ),
    Position(
        5,
        "needs all five tricks that are left: a spade over the five",
        "7S 8S JS",
        "seed=9346182578447319676 deal=0 dealer=3 score=0:0 bags=0:0 "
        "hands=J87432.7.K6.J864 -.Q8543.QJ532.A52 KQT96.AKJ9.94.93 "
        "A5.T62.AT87.KQT7 bids=0:4-nil-5-3 plays=0:7H-5H-KH-2H 2:AH-6H-4C-QH "
        "2:9H-TH-2S-8H 0:6C-5C-9C-TC 3:AD-6D-QD-4D 3:AS-3S-AC-6S 3:KC-8C-2C-3C "
        "3:QC-JC-JD-9S 2:JH-5S",
    ),
    Position(
        5,
        "needs all five tricks that are left: ruffs",
        "9S JS QS",
        "seed=17450558902657659424 deal=0 dealer=1 score=0:0 bags=0:0 "
        "hands=65.AKQ6.JT74.A95 QJ94.J943.AQ63.T 72.75.952.QJ7642 AKT83.T82.K8.K83 "
        "bids=2:nil-5-3-4 plays=2:2D-KD-4D-3D 3:8D-JD-AD-9D 1:TC-7C-KC-AC "
        "0:AH-3H-7H-2H 0:KH-4H-5H-8H 0:QH-9H-QC-TH 0:TD-6D-5D-3S 3:AS-5S-4S-7S "
        "3:3C-9C",
    ),
    Position(
        6,
        "contract made, nine bags: stay under the ten",
        "9H 4H 2H",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=A85.K942.Q73.Q92 "
        "93.AQ865.9852.75 KT76.J3.AKJ.AT64 QJ42.T7.T64.KJ83 bids=1:2-1-2-1 "
        "plays=1:5C-AC-3C-2C 2:KD-4D-3D-5D 2:3H-TH",
    ),
    Position(
        6,
        "contract made, nine bags: leads what others beat",
        "2H 4H 3D 9C",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=A85.K942.Q73.Q92 "
        "K74.Q653.J4.J854 QT932.7.AK85.AK6 J6.AJT8.T962.T73 bids=1:2-1-2-1 "
        "plays=1:5C-AC-3C-2C 2:7H-8H-KH-5H",
    ),
    Position(
        6,
        "contract made, nine bags: throws what would win a trick",
        "KD KC QD QC",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=A85.-.KQ732.KQ932 "
        "KQ.Q985.T965.JT5 T73.J742.AJ8.A86 J9642.AKT63.4.74 bids=1:2-1-2-1 "
        "plays=1:5C-AC-4C-2C 2:AD-4D-3D-5D 2:4H-KH",
    ),
    Position(
        6,
        "both contracts made, nine bags there: leaves them the trick",
        "2H 4H",
        "seed=0 deal=0 dealer=0 score=280:339 bags=0:9 hands=J85.AK42.Q73.Q92 "
        "973.95.AKJ85.KT5 AQ.QJ763.T64.A74 KT642.T8.92.J863 bids=1:1-1-1-1 "
        "plays=1:5C-AC-3C-2C 2:7H-8H-KH-5H 0:3D-JD-4D-2D 1:KC-4C-6C-9C 1:9H-3H-TH",
    ),
    Position(
        7,
        "the ace sets their eleven",
        "AD",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=T52.K942.A76.Q92 "
        "AQ98.JT53.KQ.JT5 64.A76.843.A8764 KJ73.Q8.JT952.K3 bids=1:7-1-4-1 "
        "plays=1:5C-AC-3C-2C 2:7H-8H-KH-5H 0:6D-QD-3D-2D 1:KD-4D-5D",
    ),
    Position(
        7,
        "a ruff sets their eleven",
        "2S 5S TS",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=T52.K942.-.Q98642 "
        "4.A65.KJ87652.K5 Q9863.Q73.T43.A7 AKJ7.JT8.AQ9.JT3 bids=1:7-1-4-1 "
        "plays=1:5C-AC-3C-2C 2:7H-8H-KH-5H 0:2H-6H-3H-TH 3:AD",
    ),
    Position(
        7,
        "second hand, and the ace sets their eleven",
        "AH",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=T52.AK92.A76.Q98 "
        "J7.853.Q9852.K54 KQ863.764.JT3.AT A94.QJT.K4.J7632 bids=1:7-1-4-1 "
        "plays=1:5C-AC-3C-8C 2:7H-TH-KH-5H 0:6D-2D-3D-KD 3:QH",
    ),
    Position(
        7,
        "third hand, and the king, now high, sets their eleven",
        "KH",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=T52.K942.A76.Q92 "
        "KQ7.85.K543.KJ65 4.AQT76.QJT.AT87 AJ9863.J3.982.43 bids=1:7-1-4-1 "
        "plays=1:5C-AC-3C-2C 2:AH-3H-4H-5H 2:6H-JH",
    ),
    Position(
        8,
        "last: the jack is enough",
        "JH",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=K95.AJ2.Q873.K64 "
        "AQT63.Q93.A642.7 J74.K87654.5.932 82.T.KJT9.AQJT85 bids=1:3-3-3-4 "
        "plays=1:9H-4H-TH",
    ),
    Position(
        8,
        "last: the lowest spade is enough",
        "2S",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=K952.AJ62.-.K9642 "
        "A4.T853.K852.JT5 QJ3.Q4.A943.AQ87 T876.K97.QJT76.3 bids=1:3-3-3-4 "
        "plays=1:KD-3D-7D",
    ),
    Position(
        8,
        "last: the lowest spade that overruffs",
        "8S",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=AQ83.AJ62.-.K9642 "
        "J.K9.AKT9876.T73 972.83.QJ5432.QJ KT654.QT754.-.A85 bids=1:3-3-3-4 "
        "plays=1:KD-5D-6S",
    ),
    Position(
        8,
        "spades are broken, but the side suit has the winners",
        "AH KH",
        "seed=0 deal=0 dealer=3 score=0:0 bags=0:0 hands=Q5.AK63.A97.AJ62 "
        "A93.52.KQJ432.93 87.QT97.T865.K54 KJT642.J84.-.QT87 bids=0:4-3-3-3 "
        "plays=0:AD-4D-6D-2S 3:7C-AC-3C-4C",
    ),
    Position(
        8,
        "last on a trick in spades: the queen is enough",
        "QS",
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0 hands=AQ4.AK63.874.763 "
        "982.Q97.AQJ952.A K653.J854.-.JT852 JT7.T2.KT63.KQ94 bids=1:3-3-3-3 "
        "plays=1:9D-5S-3D-8D 2:2C-KC-3C-AC 1:8S-3S-JS",
    ),
    Position(
        9,
        "no king on the partner's queen while the ace is out",
        "4D 7D",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=K95.AJ2.K74.K964 "
        "J8763.63.J86.Q87 A42.KQT4.Q5.T532 QT.9875.AT932.AJ bids=2:3-3-4-3 "
        "plays=2:QD-3D",
    ),
    Position(
        9,
        "the partner's low card needs the ace",
        "AD",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=K95.J72.A94.K964 "
        "T7642.Q85.K53.QT 83.K93.T72.A8753 AQJ.AT64.QJ86.J2 bids=2:3-3-3-3 "
        "plays=2:2D-6D",
    ),
    Position(
        9,
        "the partner's low card needs the queen or the jack",
        "JH QH",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=K95.QJ2.K74.K964 "
        "AQ63.974.932.T83 J42.AK3.AQ5.J752 T87.T865.JT86.AQ bids=2:3-3-3-3 "
        "plays=2:3H-5H",
    ),
    Position(
        9,
        "no king on the partner's jack while the ace is out",
        "3C 6C",
        "seed=0 deal=0 dealer=1 score=0:0 bags=0:0 hands=K95.AJ2.A974.K63 "
        "AQ3.K64.K5.QT985 T76.Q875.T82.AJ4 J842.T93.QJ63.72 bids=2:3-3-4-3 "
        "plays=2:JC-2C",
    ),
    Position(
        10,
        "42 points win: five tricks, not four",
        "2 3",
        "seed=0 deal=0 dealer=1 score=458:431 bags=8:1 hands=K74.A83.Q952.J63 "
        "QJ983.KQT9.-.AK42 A65.J742.86.Q985 T2.65.AKJT743.T7 bids=2:3-3",
    ),
    Position(
        10,
        "trailing 465:472, their bids bring 522: six tricks beat it",
        "3",
        "seed=0 deal=0 dealer=0 score=465:472 bags=5:2 hands=K74.A83.Q952.J63 "
        "AJT9.54.AKT7.K95 Q853.K9.J4.AQ742 62.QJT762.863.T8 bids=1:3-3-2",
    ),
    Position(
        10,
        "their bids win the game: a doubtful nil is the only answer",
        "nil",
        "seed=0 deal=0 dealer=0 score=395:470 bags=5:0 hands=963.QT4.9752.964 "
        "Q54.J853.KQT8.A3 KT.AK972.64.JT72 AJ872.6.AJ3.KQ85 bids=1:3-4-3",
    ),
    Position(
        10,
        "a set would end the game at -200: one trick of safety",
        "1 2",
        "seed=0 deal=0 dealer=1 score=-170:120 bags=0:0 hands=KQ5.A83.K952.J63 "
        "87.642.QJ84.QT92 A94.KQT97.T7.A74 JT632.J5.A63.K85 bids=2:4-3",
    ),
    Position(
        10,
        "nine bags: a trick more rather than a tenth bag",
        "3",
        "seed=0 deal=0 dealer=3 score=309:200 bags=9:0 hands=KT5.A83.K952.T63 "
        "QJ93.4.J764.J754 7642.QJ7.T83.K92 A8.KT9652.AQ.AQ8",
    ),
    Position(
        11,
        "contract made, nine bags: the ace stays home",
        "2H 6H",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=J85.A62.K73.Q942 "
        "T962.QJT53.JT4.5 AQ.97.A652.AKJ87 K743.K84.Q98.T63 bids=1:2-1-2-1 "
        "plays=1:5C-AC-3C-2C 2:6D-9D-KD-4D 0:3D-JD-5D-QD 3:4H",
    ),
    Position(
        11,
        "contract made: not even the king draws the ace",
        "2H 6H",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=J85.A62.K73.Q942 "
        "AK32.T73.JT4.T65 T74.QJ984.652.A7 Q96.K5.AQ98.KJ83 bids=1:2-1-2-1 "
        "plays=1:5C-AC-3C-2C 2:6D-9D-KD-4D 0:3D-JD-5D-QD 3:KH",
    ),
    Position(
        11,
        "contract made, nine bags, another suit",
        "4C 6C",
        "seed=0 deal=0 dealer=0 score=309:250 bags=9:0 hands=J85.Q942.K73.A64 "
        "AT9742.85.J4.Q95 KQ.A7.AT65.KJT73 63.KJT63.Q982.82 bids=1:2-1-2-1 "
        "plays=1:5H-AH-3H-2H 2:6D-9D-KD-4D 0:3D-JD-5D-QD 3:2C",
    ),
    Position(
        11,
        "the ace of spades cannot be lost, and the partner plays last",
        "3S 7S",
        "seed=0 deal=0 dealer=2 score=0:0 bags=0:0 hands=A73.K962.Q84.J73 "
        "8.T53.K763.T9652 JT9654.AQ87.-.Q84 KQ2.J4.AJT952.AK bids=3:3-3-3-4 "
        "plays=3:9D-4D-6D-5S 2:4C-KC-3C-6C 3:2S",
    ),
)


def view_of(deal: str) -> Any:
    """What the seat to act sees."""
    games, rules = parse_deal(deal)
    views = np.zeros(1, VIEW)
    look(games[0], rules.array[0], int(games[0].turn), views[0])
    return views[0]


def action(bot: Any, view: Any) -> str:
    """The bot's bid or card as text."""
    if view.phase == BIDDING:
        return str(int(bot.bid(view)) or "nil")
    return card_text(int(bot.play(view)))


def test_every_complaint_has_four_positions() -> None:
    for complaint in COMPLAINTS:
        assert sum(p.complaint == complaint for p in POSITIONS) >= 4


@pytest.mark.parametrize("position", POSITIONS, ids=lambda p: f"{p.complaint}: {p.why}")
def test_hard_finds_an_action(position: Position) -> None:
    assert action(hard, view_of(position.deal)) in position.accept.split()


def test_table_of_normal() -> None:
    print("\nPositions that Normal passes:")
    for complaint, text in COMPLAINTS.items():
        marks = ""
        for position in POSITIONS:
            if position.complaint == complaint:
                found = action(normal, view_of(position.deal))
                marks += "+" if found in position.accept.split() else "-"
        print(f"{complaint:3} {marks:7} {text}")
