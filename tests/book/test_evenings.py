"""Evenings as tables of text: what is sent, what is answered, and what everybody then has.

A line is a command, two spaces or more, the verdict (``recorded``, or the code of the refusal), and after two more
spaces what must then be so: ``ann=5`` is a balance, ``pool=3`` the pool, ``/words/`` stand in the refusal. Every
command is previewed first; the preview must say the same, and write nothing. ``runner`` reads the lines.
"""

from __future__ import annotations

import inspect
import re
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from ledger import errors
from ledger.commands import CLUB_COMMANDS, NIGHT_COMMANDS
from ledger.errors import BatchTooLarge
from ledger.stores import SqliteStore
from ledger.words import Words
from tests.book.kit import THE_CLUB, Book, check, check_verified, dump
from tests.book.runner import MEMBERS, Evening, played
from tests.book.test_money_evenings import EVENINGS as WITH_MONEY
from tests.fuzz.nights import rulebook_data

EVENINGS = {
    "the auction": """
        game rockets-peep-nap
        open ann bob cal dot            recorded                dealer=ann turn=- hand=1 phase=not_begun
        peek 1 bob                      recorded                bob=-1 pool=1 turn=bob phase=auction
        peek 1 bob                      already_peeked
        peek 1 eve                      not_seated
        bid 1 eve nap                   not_seated
        bid 1 cal two                   not_your_turn           /bob's turn/
        pass 1 cal                      not_your_turn
        bid 1 bob three                 recorded                turn=cal
        bid 1 bob four                  own_bid
        bid 1 cal two                   bid_too_low             /two does not beat three/
        bid 1 cal three                 bid_too_low
        bid 1 cal abundance             bid_unknown
        bid 1 cal wellington            bid_needs_nap
        bid 1 cal blucher               bid_needs_wellington
        pass 1 cal                      recorded
        bid 1 cal four                  already_spoken
        pass 1 cal                      already_spoken
        peek 1 cal                      recorded                cal=-1 pool=2
        outcome 1 made                  auction_open            /dot has not spoken/
        bid 1 dot nap                   recorded                turn=ann
        bid 1 ann wellington            recorded                turn=- phase=play
        bid 1 bob blucher               already_spoken
        bid 1 ann blucher               own_bid
        peek 1 ann                      recorded                pool=3
        outcome 1                       result_missing
        outcome 1 made                  recorded                ann=62 bob=-21 cal=-21 dot=-20 pool=0
        outcome 1 made                  hand_settled
        bid 1 bob one                   hand_settled
        """,
    "nothing beats a Blücher": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        bid 1 bob nap                   recorded
        bid 1 cal wellington            recorded
        bid 1 dot blucher               recorded                phase=play
        bid 1 ann blucher               auction_over
        bid 1 ann nap                   auction_over
        pass 1 ann                      recorded
        outcome 1 tricks=6              out_of_range
        outcome 1 tricks=4 made         result_clash
        outcome 1 tricks=4              recorded                dot=-45 ann=15 bob=15 cal=15 pool=0
        """,
    "a Nap bidder who may raise": """
        game rockets-peep-nap nap_may_raise=true
        open ann bob cal dot            recorded
        bid 1 bob nap                   recorded
        bid 1 cal wellington            recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded                turn=bob
        bid 1 bob blucher               recorded                phase=play
        outcome 1 made                  recorded                bob=90 cal=-30
        """,
    "the last pass ends a hand": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        pass 1 bob                      recorded
        pass 1 cal                      recorded
        peek 1 bob                      recorded
        take 1 yes                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded                bob=-1 pool=1 hand=2 dealer=bob undo=Pass
        outcome 1 made                  hand_settled            /passed out/
        undo                            recorded                turn=ann hand=1 pool=1
        bid 1 ann one                   recorded
        outcome 1 failed                recorded                ann=-3 bob=0 cal=1 dot=1
        """,
    "the dealer must bid": """
        game foster-napoleon
        open ann bob cal                recorded
        record 1 passed                 forced_bid              /ann must bid/
        record 1 passed bids=bob:pass,cal:pass,ann:pass         forced_bid
        pass 1 bob                      recorded
        peek 1 bob                      no_peeks
        buy 1 bob 2                     no_purchases
        pass 1 cal                      recorded
        pass 1 ann                      forced_bid
        bid 1 ann one                   recorded
        outcome 1 failed took_widow     no_widow
        outcome 1 failed revoke=dot     not_seated
        outcome 1 failed revoke=bob foul=both     facts_clash
        outcome 1 failed                recorded                ann=-2 bob=1 cal=1
        """,
    "a bid falls to eldest": """
        game rockets-peep-nap all_pass="eldest_min"
        open ann bob cal dot            recorded
        pass 1 bob                      recorded
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded                phase=play
        outcome 1 made                  recorded                bob=3
        record 2 passed                 forced_bid              /cal must bid/
        """,
    "a dealer who sits out": """
        game foster-peep-nap
        open ann bob cal dot eve        recorded
        peek 1 ann                      sits_out
        bid 1 ann one                   sits_out
        pass 1 ann                      sits_out
        pass 1 bob                      recorded                pool=10
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 eve                      forced_bid
        bid 1 eve one                   recorded
        outcome 1 made revoke=ann       sits_out
        outcome 1 made                  recorded                eve=2 ann=-3 bob=-3 cal=-3 dot=-3
        record 2 cal nap failed peeks=bob     sits_out
        record 2 bob nap failed         sits_out
        record 2 cal nap failed         recorded                cal=-35 bob=0 ann=2 dot=2 eve=7 pool=24
        """,
    "cards that are bought": """
        game rockets-purchase-nap
        open dot ann bob cal            recorded
        buy 1 ann 5                     recorded                ann=-1 pool=1
        buy 1 ann 1                     already_bought
        buy 1 cal 0                     recorded                cal=0 pool=1
        buy 1 cal 2                     already_bought
        buy 1 bob 6                     out_of_range
        buy 1 bob 1                     recorded
        bid 1 ann four                  recorded
        pass 1 bob                      recorded
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        outcome 1 made                  recorded                ann=11 bob=-5 cal=-4 dot=-4 pool=2
        """,
    "a widow": """
        game foster-widow-nap
        open ann bob cal dot            recorded
        record 1 bob four failed took_widow   widow_needs_nap
        record 1 bob nap failed took_widow    recorded          bob=-15
        """,
    "a misdeal in mid-auction": """
        game foster-peep-nap
        open ann bob cal dot            recorded
        peek 1 bob                      recorded                bob=-3 pool=9
        bid 1 bob three                 recorded
        misdeal 1                       recorded                bob=-2 pool=8 dealer=ann hand=2
        misdeal 1                       hand_settled            /misdeal/
        misdeal 3                       hand_not_next
        peek 2 cal                      recorded                ann=-2 bob=-2 cal=-3 pool=9
        record 2 cal four made          recorded                cal=10 ann=-6 pool=8
        misdeal 3                       recorded                dealer=bob bob=-8 pool=10
        """,
    "a hand told whole over one begun step by step": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        peek 1 bob                      recorded                bob=-1
        bid 1 bob two                   recorded
        record 1 cal nap failed @tablet-2     recorded          bob=5 cal=-15 pool=0
        record 1 cal nap made           hand_settled            /cal bid nap, failed, by tablet-2/
        record 3 cal nap made           hand_not_next           /that is 2/
        bid 2 cal two                   recorded
        record 3 cal two made           hand_open
        bid 3 dot three                 hand_open
        """,
    "two tablets, one hand": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob three made @tablet-1 #first     recorded   bob=9 ann=-3
        again #first @tablet-2          duplicate               bob=9
        record 1 bob three made @tablet-2     hand_settled      /bob bid three, made, by tablet-1/
        peek 1 dot @tablet-2            hand_settled
        correct 2 bob three made        hand_unknown
        void 2                          hand_unknown
        outcome 2 made                  hand_not_begun
        reuse #first record 1 bob four made   command_id_reused
        reuse #first peek 2 ann         command_id_reused
        """,
    "a tablet behind the times": """
        game rockets-peep-nap
        open ann bob cal dot #open      recorded
        record 1 bob three made v=1 #one      recorded
        record 2 cal three made v=1     wrong_version           /at version 2, not 1/
        record 1 bob three made v=1     wrong_version
        again #one                      duplicate
        record 2 cal three made v=2     recorded
        close v=2                       wrong_version
        close v=3                       recorded
        """,
    "facts that clash": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob three made misdeal       facts_clash
        record 1 misdeal passed         facts_clash
        record 1 misdeal out=dot        facts_clash
        record 1 bob three              result_missing
        record 1 made                   bidder_missing
        record 1 bob three made surrendered   facts_clash
        record 1 bob three made bids=bob:pass,cal:three,dot:pass,ann:pass     facts_clash
        record 1 made bids=bob:pass,cal:three  auction_open
        record 1 eve three made         not_seated
        record 1 bob three made led=eve  not_seated
        record 1 bob three made out=eve  not_seated
        record 1 bob three made out=bob  not_seated
        record 1 bob three made dealer=eve    not_seated
        record 1 bob three made players=bob,zed     member_unknown
        record 1 bob three made players=bob   too_few_players
        record 1 bob three made peeks=cal,cal  already_peeked
        record 1 bob three made colour=blue   unknown_key
        record 1 bob three made tricks=2      result_clash
        record 1 bob three made out=dot  recorded                bob=6 dot=0 seats=ann,bob,cal,dot
        """,
    "who comes and who goes": """
        game foster-pool-nap
        open ann bob cal dot            recorded
        seat ann                        already_seated
        seat zed                        member_unknown
        seat eve 7                      bad_value
        record 1 bob two made           recorded                bob=4 ann=-4 cal=-4 dot=-4 pool=8
        seat eve 2                      recorded                seats=ann,eve,bob,cal,dot eve=0
        unseat dot                      recorded                seats=ann,eve,bob,cal
        unseat dot                      not_seated
        record 2 cal one made           recorded                cal=-1 bob=3 eve=-5 ann=-5 dot=-4 pool=12 dealer=bob
        """,
    "a late-comer, and one who comes back": """
        game rockets-pool-nap
        open ann bob cal                recorded
        record 1 bob one made           recorded                pool=6 bob=0 ann=-3
        seat eve                        recorded
        record 2 bob one made           recorded                pool=10 eve=-3
        unseat eve                      recorded
        record 3 bob one made           recorded                pool=12 eve=-3
        seat eve 1                      recorded                seats=eve,ann,bob,cal
        record 4 bob one made           recorded                pool=14 eve=-6
        """,
    "a leaver in mid-hand": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        bid 1 bob three                 recorded
        unseat cal                      recorded                seats=ann,bob,dot
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded
        outcome 1 made                  recorded                bob=9 cal=-3
        record 2 cal three made         not_seated
        record 2 dot three made         recorded                dot=3 cal=-3 bob=6
        buyin cal 3                     recorded                cal=-3
        """,
    "a guest": """
        game rockets-peep-nap
        open ann bob cal                recorded
        member zoe Zoë                  recorded
        member zoe Another              member_exists
        member yan Yan number=1         number_taken
        seat zoe                        recorded                seats=ann,bob,cal,zoe
        record 1 zoe one made           recorded                zoe=3
        """,
    "whoever is named in a hand is in the next too": """
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 bob one made players=ann,bob,cal,dot           recorded        dot=-1 seats=ann,bob,cal,dot
        record 2 dot one made           recorded                dot=2
        record 3 dot one made players=dot,ann                   recorded        dot=3 bob=2 seats=dot,ann
        correct 3 dot one made players=dot,ann,bob              recorded        dot=4 bob=1 seats=dot,ann,bob
        archive fay                     recorded
        record 4 fay one made players=fay,ann                   member_archived
        """,
    "who deals": """
        game rockets-peep-nap
        open ann bob cal dot            recorded                dealer=ann
        dealer eve                      not_seated
        dealer dot                      recorded                dealer=dot
        peek 1 ann                      recorded                turn=ann
        dealer cal                      recorded                dealer=dot
        misdeal 1                       recorded                dealer=cal
        unseat cal                      recorded                dealer=dot
        peek 2 ann                      recorded                dealer=dot
        record 2 ann one made           recorded                dealer=ann
        record 3 dot one made dealer=dot     recorded           dealer=ann
        """,
    "another order of seats": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        reseat ann bob cal              seats_differ            /ann, bob, cal, dot/
        reseat ann bob cal eve          seats_differ
        reseat ann cal bob dot          recorded                seats=ann,cal,bob,dot
        record 1 cal one made bids=cal:one,bob:pass,dot:pass,ann:pass     recorded     dealer=cal
        reseat ann bob cal dot from=3   hand_not_next
        reseat ann bob cal dot from=2   recorded                seats=ann,bob,cal,dot
        record 2 cal two made bids=cal:two,dot:pass,ann:pass,bob:pass     recorded     cal=9 dealer=cal
        reseat dot cal bob ann from=1   recorded                seats=dot,cal,bob,ann review=1,2 cal=9
        """,
    "another order of seats in mid-hand": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 passed                 recorded
        bid 2 cal one                   recorded                turn=dot
        pass 2 dot                      recorded                turn=ann
        reseat ann dot cal bob from=1   recorded                review=- turn=ann hand=2 seats=ann,dot,cal,bob
        pass 2 ann                      recorded
        pass 2 bob                      recorded
        outcome 2 made                  recorded                cal=3 review=- dealer=ann
        """,
    "the dealer was not there": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob one made           recorded                dealt:1=ann
        record 2 bob one made           recorded                dealt:2=bob
        record 3 bob one made           recorded                dealt:3=cal
        dealer ann                      recorded
        correct 1 cal one made players=bob,cal,dot    recorded  dealt:1=bob dealt:3=cal ann=-2 cal=0
        correct 2 cal one made out=bob  recorded                dealt:2=cal
        """,
    "an order of seats that was recorded wrongly": """
        game rockets-peep-nap all_pass="eldest_min"
        open ann bob cal dot            recorded
        record 1 made bids=bob:pass,cal:pass,dot:pass,ann:pass    recorded     bob=3
        reseat ann bob cal dot from=1   recorded                bob=3
        correct 1 cal one made          recorded                cal=3 bob=-1
        reseat ann cal bob dot from=1   recorded                cal=3 dealer=cal
        """,
    "in doubt until somebody looks": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob three made         recorded
        record 2 cal nap made bids=cal:nap,dot:pass,ann:pass,bob:pass peeks=ann     recorded   cal=28 pool=0
        reseat ann dot cal bob from=2   recorded                review=2 cal=28
        correct 1 bob three failed      recorded                review=2 bob=-19 cal=34
        correct 2 cal nap made bids=cal:nap,dot:pass,ann:pass,bob:pass peeks=ann    recorded   review=- cal=34
        correct 1 bob three made        recorded                review=- cal=28
        correct 2 cal nap failed        recorded                review=- cal=-18
        """,
    "a correction that changes what a later hand won": """
        # Faults, B18: truth is that bob made his Nap, so cal's won four, not ten.
        game rockets-peep-nap
        open ann bob cal dot pool=6     recorded
        record 1 bob nap failed         recorded                bob=-15 pool=6
        record 2 misdeal                recorded                pool=6
        record 3 passed peeks=ann,bob,cal,dot     recorded      pool=10
        record 4 cal nap made           recorded                cal=44 pool=0
        correct 1 bob nap made          recorded                cal=23 pool=0 changes=ann-15,bob+51,cal-21,dot-15
        """,
    "void and revived": """
        game foster-pool-nap
        open ann bob cal dot            recorded
        record 1 bob two made           recorded                bob=4 pool=8
        record 2 cal nap failed         recorded                pool=20 bob=7 cal=-29
        void 1                          recorded                bob=3 cal=-25 pool=16 played=1
        void 1                          hand_void
        correct 1 bob two made          recorded                bob=7 cal=-29 pool=20 played=2
        void 2                          recorded                bob=4 pool=8 dealer=bob hand=3
        record 2 cal one made           hand_settled            /void/
        record 3 cal one made           recorded                cal=-1 pool=10
        """,
    "rules that change in mid-night": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        peek 1 bob                      recorded                bob=-1
        rules stake=2                   recorded
        peek 1 cal                      recorded                cal=-1
        record 1 dot one made peeks=bob,cal     recorded        dot=3 pool=2
        peek 2 cal                      recorded                cal=-4 pool=4
        record 2 cal one made peeks=cal  recorded                cal=2 pool=4
        rules                           bad_value
        rules rulebook=rockets-pepper   other_family
        rules rulebook=whist            rulebook_unknown
        rules jokers=2                  house_rule_unknown
        rules chips=2                   house_rule_ambiguous
        rules peek=-1                   house_rule_invalid
        rules peek=3                    recorded
        record 3 dot one made peeks=dot  recorded                dot=1 pool=10
        rules rulebook=rockets-napoleon  recorded
        record 4 dot one made peeks=dot  no_peeks
        record 4 dot one made           recorded                dot=7 pool=10
        correct 3 dot one made          recorded                dot=13 pool=4
        correct 1 dot one failed peeks=bob,cal     recorded     dot=7 bob=-6 pool=4
        """,
    "chips that are counted": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob three made peeks=cal,dot     recorded      bob=9 cal=-4 dot=-4 ann=-3 pool=2
        buyin ann 10                    recorded                ann=-3
        count ann=7 pool=5 leave        recorded                pool=2 shortage=0 ann=-3
        count ann=6 pool=1 shortage     recorded                pool=1 ann=-4 shortage=2
        count eve=1 leave               not_seated
        count pool=-1 shortage          bad_value
        count leave                     bad_value
        correct 1 bob three made peeks=ann,cal,dot     recorded     ann=-5 pool=1 shortage=3
        record 2 cal nap made           recorded                cal=27 pool=0
        peek 3 dot                      recorded
        count pool=1 shortage           hand_open
        """,
    "chips that change hands": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        buyin ann 50                    recorded                ann=0 stack:ann=50
        buyin eve 50                    not_seated
        buyin ann 0                     out_of_range
        buyin ann 50 paid=500           money_not_kept
        cashout ann 20                  recorded                stack:ann=30
        transfer ann bob 5              recorded                stack:ann=25 stack:bob=5 bob=0
        transfer ann ann 5              bad_value
        transfer ann eve 5              not_seated
        transfer eve ann 5              not_seated
        cashout ann 100                 recorded                stack:ann=-75
        undo                            recorded                stack:ann=25 changes=-
        """,
    "a hand in dispute": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 bob three made         recorded
        dispute 2                       hand_unknown
        resolve 1                       not_disputed
        dispute 1 it was four           recorded                disputed=1 bob=9
        dispute 1                       recorded                disputed=1
        resolve 1 three it was          recorded                disputed=-
        resolve 1                       not_disputed
        note the lamp went out          recorded
        note hand=1 the lamp went out   recorded
        note hand=2 the lamp went out   hand_unknown
        close                           recorded
        dispute 1                       recorded                disputed=1
        resolve 2                       hand_unknown
        """,
    "undo": """
        game rockets-peep-nap
        open ann bob cal dot #open      recorded
        undo                            nothing_to_undo
        undo #open                      nothing_to_undo
        peek 1 bob #peek                recorded                bob=-1 pool=1 version=3
        bid 1 bob three #bid            recorded                undo=Bid
        undo #peek                      not_newest
        undo version=2                  not_newest
        undo version=9                  not_newest
        undo nothing                    missing_key
        undo version=4                  recorded                turn=bob bob=-1 undo=Peek
        undo #bid                       not_newest
        undo version=2                  recorded                bob=0 pool=0 phase=not_begun version=6
        undo                            nothing_to_undo
        seat eve                        recorded                seats=ann,bob,cal,dot,eve
        undo                            recorded                seats=ann,bob,cal,dot
        bid 1 bob nap                   recorded
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded
        outcome 1 made                  recorded                bob=30
        undo                            recorded                bob=0 phase=play
        outcome 1 failed                recorded                bob=-15
        correct 1 bob nap made          recorded                bob=30
        undo                            recorded                bob=-15
        void 1                          recorded                bob=0
        undo                            recorded                bob=-15
        count ann=0 shortage            recorded                ann=0 shortage=5
        undo                            recorded                ann=5 shortage=0
        rules stake=3                   recorded
        undo                            recorded
        dispute 1 #said                 recorded
        undo #said                      recorded                disputed=-
        record 2 cal one made           recorded                cal=8
        """,
    "a dispute is passed over where it is not named": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        peek 1 bob #peek                recorded                bob=-1
        bid 1 bob three                 recorded
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded
        outcome 1 made #outcome         recorded                bob=8 disputed=-
        dispute 1 #first                recorded                disputed=1 undo=RecordOutcome
        peek 2 cal #later               recorded                cal=-4
        undo #first                     not_newest
        dispute 1 #second               recorded                disputed=1 undo=Peek
        undo #later                     recorded                cal=-3 disputed=1
        undo #first                     recorded                disputed=1
        undo #second                    recorded                disputed=-
        dispute 1                       recorded                disputed=1
        undo #outcome                   recorded                bob=-1 hand=1 disputed=1
        undo                            recorded                turn=ann
        undo                            recorded                turn=dot
        undo                            recorded                turn=cal
        undo                            recorded                turn=bob
        undo #peek                      recorded                bob=0 disputed=-
        undo                            nothing_to_undo
        """,
    "undo across the end of a game of Pepper": """
        # Faults, B21: at 38 a team bids Four, it was recorded as made, and was short.
        game rockets-pepper per_game=2 per_point=1
        open ann bob cal dot            recorded
        record 1 bob big_pepper tricks=6      recorded          bob+dot=14 ann+cal=-14
        record 2 bob big_pepper tricks=6      recorded          bob+dot=28
        record 3 bob six tricks=6       recorded                bob+dot=34 ann+cal=-34
        record 4 dot four tricks=4      recorded                bob+dot=38 ann+cal=-32
        record 5 dot four tricks=4      recorded                bob+dot=42 games=1 chips:bob=74 chips:ann=-74
        undo                            recorded                bob+dot=38 games=0 chips:bob=0
        record 5 dot four tricks=3      recorded                bob+dot=34 ann+cal=-29 games=0
        record 6 dot big_pepper tricks=6      recorded          bob+dot=48 games=1 chips:bob=93
        record 7 ann one tricks=1       recorded                bob+dot=5 ann+cal=1 games=1
        correct 6 dot big_pepper tricks=5     recorded          bob+dot=25 ann+cal=-14 games=0 chips:bob=0
        correct 6 dot big_pepper tricks=6     recorded          bob+dot=5 ann+cal=1 games=1 chips:bob=93
        count pool=3 shortage           bad_value
        """,
    "pepper": """
        game rockets-pepper
        open ann bob cal dot pool=3     bad_value
        open ann bob cal                recorded
        record 1 bob four tricks=4      too_few_players
        seat dot                        recorded
        seat eve                        recorded
        record 1 bob four tricks=4      too_many_players
        unseat eve                      recorded
        record 1 bob four made          result_missing
        record 1 bob four tricks=7      out_of_range
        record 1 bob four granted=1     grant_refused
        record 1 bob four surrendered tricks=4      facts_clash
        record 1 bob four surrendered   recorded                bob+dot=4 ann+cal=0
        rules dirty_clubs=true          recorded
        record 2 bob four surrendered   surrender_refused
        record 2 bob four surrendered trumps=clubs  surrender_refused
        record 2 bob four surrendered trumps=spades  recorded    bob+dot=8
        peek 3 ann                      no_peeks
        """,
    "wolf's pepper round": """
        game wolf-pepper
        open ann bob cal dot            recorded
        bid 1 bob five                  forced_bid
        pass 1 bob                      forced_bid
        bid 1 bob four                  recorded
        pass 1 cal                      recorded
        pass 1 dot                      recorded
        pass 1 ann                      recorded
        outcome 1 tricks=3              recorded                bob+dot=-4 ann+cal=3
        record 2 passed                 forced_bid
        """,
    "a hand that a correction made impossible": """
        # In the first four hands of a game of Wolf's eldest has bid Four; hand 5 was the fifth, and is the second.
        game wolf-pepper target=12
        open ann bob cal dot            recorded
        record 1 bob four tricks=4      recorded                bob+dot=4 ann+cal=2
        record 2 bob four tricks=4      recorded                bob+dot=8 ann+cal=4
        record 3 bob four tricks=3      recorded                bob+dot=4 ann+cal=7
        record 4 bob four tricks=4      recorded                bob+dot=8 ann+cal=9
        record 5 tricks=3 bids=bob:pass,cal:four,dot:pass,ann:pass    recorded  bob+dot=11 ann+cal=5 games=0
        correct 3 bob four tricks=4     recorded                bob+dot=7 ann+cal=-2 games=1 review=5
        correct 5 tricks=3 bids=bob:pass,cal:four,dot:pass,ann:pass   recorded  bob+dot=7 ann+cal=-2 review=-
        correct 3 bob four tricks=3     recorded                bob+dot=11 ann+cal=5 games=0 review=-
        """,
    "a hand in progress that a correction made impossible": """
        game wolf-pepper target=12
        open ann bob cal dot            recorded
        record 1 bob four tricks=4      recorded
        record 2 bob four tricks=4      recorded
        record 3 bob four tricks=3      recorded
        record 4 bob four tricks=4      recorded                bob+dot=8 ann+cal=9
        pass 5 bob                      recorded
        bid 5 cal four                  recorded
        correct 3 bob four tricks=4     recorded                bob+dot=4 ann+cal=2 games=1 review=5
        pass 5 dot                      forced_bid
        record 5 cal four tricks=4      recorded                bob+dot=6 ann+cal=6 review=-
        """,
    "the pool at the close": """
        game foster-pool-nap
        open ann bob cal                recorded
        record 1 bob two made           recorded                pool=6 bob=2 ann=-4 cal=-4
        record 2 cal one made           recorded                pool=8 bob=-1 ann=-5 cal=-2
        peek 3 ann                      no_peeks
        pass 3 ann                      recorded                pool=10
        close                           hand_open               /Hand 3/
        undo                            recorded                pool=8
        close to=eve                    not_seated
        close maybe                     bad_value
        close split                     recorded                ann=-2 bob=1 cal=1 pool=0 member:ann=-2 state=closed
        close                           night_closed
        record 3 bob two made           late
        peek 3 bob                      night_closed
        seat dot                        night_closed
        seat zed                        night_closed
        rules stake=2                   night_closed
        correct 1 bob two failed        night_closed
        void 1                          night_closed
        buyin ann 3                     night_closed
        count pool=0 leave              night_closed
        """,
    "odd chips, from the last dealer's left": """
        game rockets-peep-nap
        open bob ann cal dot            recorded
        record 1 bob one made peeks=ann,bob,cal,dot     recorded
        record 2 bob one made peeks=ann,bob     recorded        pool=6 dealer=cal
        close split                     recorded                cal=-1 dot=-1 ann=-3 bob=5
        """,
    "a pool that one player takes, or that is drawn for": """
        game rockets-peep-nap at_close="draw"
        open ann bob cal                recorded
        record 1 bob one made peeks=ann  recorded                pool=1
        close                           draw_needed
        close to=cal                    recorded                cal=0 pool=0
        undo                            recorded                cal=-1 pool=1
        close carry                     recorded                pool=1 pool:tue=1
        """,
    "a pool that carries on to the next night": """
        # Faults, B34: nothing is lost between two nights.
        game rockets-peep-nap
        open ann bob cal pool=4         recorded                pool=4
        record 1 bob nap failed peeks=ann,bob,cal     recorded  pool=7
        open ann bob cal                table_busy              /tue-2026-11-26/
        close                           recorded                pool=7 pool:tue=7 state=closed
        next day
        open dot ann bob                recorded                pool=7
        record 1 ann nap made           recorded                ann=27 pool=0 pool:tue=0
        close                           recorded                member:ann=31 member:bob=-21
        next day
        open dot ann bob night=tue-2026-11-26       night_exists
        open dot ann bob dealer=cal     not_seated
        open dot zed bob                member_unknown
        open wed: dot ann bob           table_unknown
        open dot ann bob rulebook=rockets-pepper    other_family
        open dot ann bob v=7            wrong_version
        open dot ann bob v=0            recorded                version=1 pool=0
        """,
    "opened again": """
        game rockets-peep-nap
        open ann bob cal                recorded
        reopen                          night_open
        record 1 bob one made           recorded                bob=2
        close                           recorded                revision=1 superseded=0 member:bob=2
        reopen                          recorded                revision=2 superseded=1 member:bob=0 state=open bob=2
        record 2 bob one made           recorded                bob=4
        close split                     recorded                revision=2 superseded=1 member:bob=4
        undo                            recorded                revision=3 superseded=2 state=open
        undo                            recorded                bob=2 revision=3
        close                           recorded                revision=3 superseded=2 member:bob=2
        reopen                          recorded                revision=4
        undo                            recorded                revision=3 superseded=2 state=closed member:bob=2
        reopen                          recorded                revision=4 superseded=3
        close                           recorded                revision=4
        next day
        open ann bob cal                recorded
        on tue-2026-11-26
        reopen                          later_night             /tue-2026-11-27/
        undo                            later_night
        """,
    "a hand that comes in late": """
        # Faults, B09: tablet 2 was offline; hand 2 was played before the close.
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 bob one made @tablet-1  recorded                bob=2
        close                           recorded                member:bob=2
        record 1 bob one made @tablet-2  hand_settled            /bob bid one, made, by tablet-1/
        record 2 cal nap made peeks=ann @tablet-2 #two          late       member:cal=-1
        again #two                      late
        record 3 cal one made #three    late
        record 4 cal one made players=cal,zed #four             late
        refuse #three                   recorded
        refuse #three                   late_hand_unknown
        admit #three                    late_hand_unknown
        admit #four                     member_unknown
        admit #two                      recorded                member:cal=20 cal=-1 changes=ann-11,bob-10,cal+21
        admit #two                      late_hand_unknown
        reopen                          night_corrected
        undo                            night_corrected
        """,
    "a late hand, and the night opened again": """
        game rockets-peep-nap
        open ann bob cal                recorded
        close                           recorded
        record 1 cal one made #one      late
        reopen                          recorded
        admit #one                      night_open
        record 1 cal one made           recorded                cal=2
        """,
    "a closed night corrected: the pool reaches": """
        # Faults, B26: a failed Nap was made, with a pool of four.
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 passed peeks=ann,bob,cal,dot     recorded      pool=4
        record 2 bob nap failed         recorded                bob=-16 pool=4
        close-correct 2 bob nap made    night_open
        close                           recorded                member:bob=-16 pool:tue=4
        close-correct 3 bob nap made    hand_unknown
        close-correct 2 bob nap made night=n9     night_unknown
        close-correct 2 bob nap         result_missing
        close-correct 2 bob nap made    recorded                pool:tue=0 changes=ann-15,bob+49,cal-15,dot-15
        close-correct 2 bob nap failed  recorded                member:bob=-16 member:ann=4 pool:tue=4
        """,
    "a closed night corrected: into the next, which is open": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 passed peeks=ann,bob,cal,dot     recorded
        record 2 bob nap failed         recorded
        close                           recorded                pool:tue=4
        next day
        open ann bob cal                recorded                pool=4
        record 1 passed peeks=cal       recorded                pool=5
        peek 2 ann                      recorded                pool=6
        close-correct 2 bob nap made night=tue-2026-11-26       hand_open
        misdeal 2                       recorded                pool=5
        close-correct 2 bob nap made night=tue-2026-11-26       recorded    pool=1 pool:tue=1 member:bob=33
        undo                            recorded                pool=2
        undo                            recorded                pool=1
        undo                            recorded                pool=0
        undo                            nothing_to_undo
        record 1 passed peeks=cal,bob   recorded                pool=2
        void 1                          recorded                pool=0
        """,
    "a closed night corrected: the pool does not reach": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 passed peeks=ann,bob,cal,dot     recorded
        record 2 bob nap failed         recorded
        close                           recorded                pool:tue=4
        next day
        open ann bob cal dot            recorded
        record 1 cal nap made           recorded                pool=0
        close-correct 2 bob nap made night=tue-2026-11-26       recorded    pool=0 member:bob=33 shortage=-4 cal=34
        close                           recorded                member:cal=23
        close-correct 2 bob nap failed night=tue-2026-11-26     recorded    member:bob=-26 pool:tue=0 shortage=0
        """,
    "a closed night corrected: a pool that was shared out": """
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 bob nap failed peeks=ann,bob,cal     recorded  pool=3 bob=-11
        close split                     recorded                member:bob=-10 member:ann=5 member:cal=5
        close-correct 1 bob nap made peeks=ann,bob,cal          recorded    member:bob=22 member:ann=-11 member:cal=-11
        close-correct 1 bob one made peeks=ann,bob              recorded    changes=ann+9,bob-20,cal+11
        """,
    "a closed night corrected: behind a count": """
        # The pool was counted after the hand, so what the correction adds is missing, not in the pool.
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 bob one made peeks=cal  recorded                pool=1
        count pool=2 shortage           recorded                pool=2 shortage=-1
        close                           recorded                pool:tue=2
        close-correct 1 bob one made peeks=cal,ann     recorded     member:ann=-2 pool:tue=2 shortage=0
        """,
    "a correction between two openings": """
        # The second night is the last; the first is corrected while it is closed; then it is opened again.
        game rockets-peep-nap
        open ann bob cal pool=3         recorded
        record 1 bob nap failed         recorded
        close                           recorded
        next day
        open ann bob cal                recorded                pool=3
        record 1 passed peeks=ann       recorded                pool=4
        close                           recorded                pool:tue=4
        close-correct 1 bob nap made night=tue-2026-11-26       recorded    pool:tue=1 member:bob=23
        reopen                          recorded                pool=1 pool:tue=1
        undo                            recorded                state=closed pool:tue=1
        reopen                          recorded                pool=1
        close-correct 1 bob nap failed night=tue-2026-11-26     recorded    pool=4 pool:tue=4 member:bob=-10
        undo                            nothing_to_undo
        close-correct 1 bob nap made night=tue-2026-11-26       recorded    pool=1
        record 2 cal nap made           recorded                cal=21 pool=0
        close                           recorded                pool:tue=0
        """,
    "a correction, and the close of the next night undone": """
        game rockets-peep-nap
        open ann bob cal pool=3         recorded
        record 1 bob nap failed         recorded
        close                           recorded
        next day
        open ann bob cal                recorded                pool=3
        record 1 passed peeks=ann       recorded                pool=4
        close                           recorded                pool:tue=4
        close-correct 1 bob nap made night=tue-2026-11-26       recorded    pool:tue=1
        undo                            recorded                pool=1 pool:tue=1 state=open
        undo                            recorded                pool=0 pool:tue=0
        """,
    "a correction of a closed night, and what it took was won before": """
        game rockets-peep-nap
        open ann bob cal pool=4         recorded
        record 1 bob nap failed         recorded
        close                           recorded                pool:tue=4
        next day
        open ann bob cal                recorded                pool=4
        record 1 cal nap failed         recorded                pool=4
        close-correct 1 bob nap made night=tue-2026-11-26       recorded    pool=0 shortage=0 member:bob=24
        correct 1 cal nap made          recorded                pool=0 cal=24 shortage=-4
        correct 1 cal nap failed        recorded                pool=0 cal=-10 shortage=0
        """,
    "a correction of a closed night, and the end of a hand undone": """
        game rockets-peep-nap
        open ann bob cal pool=4         recorded
        record 1 bob nap failed         recorded
        close                           recorded
        next day
        open ann bob cal                recorded                pool=4
        record 1 cal nap made           recorded                pool=0
        peek 2 ann                      recorded
        peek 2 cal                      recorded
        peek 2 bob                      recorded
        bid 2 cal one                   recorded
        pass 2 ann                      recorded
        pass 2 bob                      recorded
        buyin ann 5                     recorded
        outcome 2 made                  recorded                pool=3
        close-correct 1 bob nap made night=tue-2026-11-26       recorded    pool=0 shortage=-1 member:bob=24
        undo                            recorded                pool=3 phase=play shortage=-4
        outcome 2 failed                recorded                pool=0 shortage=-1
        """,
    "somebody who sat after all": """
        game rockets-peep-nap
        open ann bob                    recorded
        record 1 ann one made           recorded
        close                           recorded                member:bob=-1
        archive eve                     recorded
        close-correct 1 ann one made players=ann,bob,eve        recorded    member:ann=2 member:eve=-1
        close-correct 1 ann one made players=ann,bob,zed        member_unknown
        merge eve ann                   both_at_table
        merge fay ann                   recorded
        """,
    "members": """
        member hal Hal                  recorded
        member hal Hal                  member_exists
        member pool Pool                bad_value
        rename zed Zed                  member_unknown
        rename hal Henry                recorded
        restore hal                     member_not_archived
        archive hal                     recorded
        archive hal                     member_archived
        game rockets-peep-nap
        open ann bob hal                member_archived
        restore hal                     recorded
        open ann bob hal                recorded
        archive hal                     recorded
        seat hal                        member_archived
        """,
    "archived with a balance": """
        # Faults, B44: he is hidden, and his debt is not.
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 ann three made         recorded                cal=-3
        archive cal                     recorded                cal=-3
        close                           recorded                member:cal=-3
        next day
        open ann bob cal                member_archived
        open ann bob                    recorded
        seat cal                        member_archived
        restore cal                     recorded
        seat cal                        recorded
        """,
    "one person twice": """
        # Faults, B42.
        member ann2 Ann_W.              recorded
        game rockets-peep-nap
        open ann bob cal                recorded
        record 1 ann three made         recorded                ann=6
        merge ann ann                   same_member
        merge ann zed                   member_unknown
        merge ann bob                   both_at_table           /tue-2026-11-26/
        merge ann ann2                  member_seated
        close                           recorded
        merge ann bob                   both_at_table
        merge ann2 ann                  recorded
        merge ann2 ann                  same_member
        merge ann ann2                  same_member
        merge bob ann2                  both_at_table
        next day
        open bob ann2 ann               already_seated
        open bob ann2                   recorded                seats=bob,ann
        seat ann2                       already_seated
        reseat bob ann ann2             seats_differ
        record 1 ann2 one made peeks=ann2     recorded          ann=0 pool=1
        peek 2 ann2                     recorded
        bid 2 bob one                   recorded
        pass 2 ann2                     recorded
        outcome 2 revoke=ann2           recorded                ann=-2
        count ann2=-2 leave             recorded
        close to=ann2                   recorded                ann=0
        close-correct 1 ann2 three failed night=tue-2026-11-26       recorded    member:ann=-6
        rename ann2 Anne                recorded                name:ann=Anne
        archive ann2                    recorded
        archive ann                     member_archived
        """,
    "tables": """
        table tue rockets-peep-nap      recorded
        table tue rockets-peep-nap      table_exists
        table wed whist                 rulebook_unknown
        table wed rockets-peep-nap jokers=1   house_rule_unknown
        change-table wed stake=2        table_unknown
        change-table tue stake=2        recorded
        change-table tue rulebook=rockets-pepper    other_family
        open ann bob cal                recorded
        record 1 bob one made peeks=bob  recorded                bob=2 pool=2
        close-table tue                 table_busy
        close                           recorded                pool:tue=2
        change-table tue rulebook=foster-pool-nap stake=1       recorded
        next day
        open ann bob cal                recorded                pool=2
        record 1 bob one made           recorded                bob=2 pool=4
        close                           recorded
        close-table tue carry           bad_value
        close-table tue to=zed          member_unknown
        close-table tue                 recorded                pool:tue=0 member:ann=-4 member:bob=6 member:cal=-2
        close-table tue                 table_closed
        open ann bob                    table_closed
        reopen                          table_closed
        change-table tue stake=1        table_closed
        """,
    "a table of no nights": """
        table tue rockets-peep-nap      recorded
        close-table tue                 recorded
        """,
    "seasons, and a club that is founded once": """
        season spring Spring            recorded
        season spring Spring            season_exists
        season Autumn                   recorded
        end-season autumn               season_unknown
        end-season spring               recorded
        end-season spring               season_ended
        found                           club_exists
        change-club                     bad_value
        change-club zone=Europe/London cut_off=06:00    bad_value
        change-club zone=Mars/Olympus   bad_value
        change-club Fridays cut_off=04:00       recorded
        """,
    "who fed the pool": """
        game rockets-peep-nap
        open ann bob cal pool=2         recorded                pool=2 fed=- since=-
        record 1 passed peeks=ann,bob   recorded                fed=ann:1,bob:1
        peek 2 cal                      recorded                fed=ann:1,bob:1,cal:1
        misdeal 2                       recorded                fed=ann:1,bob:1
        record 3 bob nap made peeks=bob  recorded               fed=- since=- pool=0
        record 4 passed                 recorded                since=-
        record 5 passed peeks=cal       recorded                fed=cal:1 since=5
        rules bids.nap.on_fail_pool="double" ante=1             recorded
        record 6 bob nap failed         recorded                fed=ann:1,bob:5,cal:2 since=5 pool=8
        """,
    "in doubt, and the pool is short": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        record 1 passed peeks=ann,bob,cal,dot     recorded      pool=4
        record 2 cal nap made bids=cal:nap,dot:pass,ann:pass,bob:pass     recorded    pool=0 cal=33
        reseat ann dot cal bob from=2   recorded                review=2
        correct 1 passed peeks=ann      recorded                review=2 pool=0 cal=34 shortage=-3
        correct 1 passed peeks=ann,bob  recorded                review=2 pool=0 cal=34 shortage=-2
        correct 2 cal nap made          recorded                review=- pool=0 cal=32 shortage=0
        """,
    "a void hand leaves the table as it was": """
        game rockets-peep-nap
        open ann bob cal dot            recorded
        dealer dot                      recorded                dealer=dot
        record 1 ann one made players=ann,bob,dot         recorded      dealer=ann seats=ann,bob,dot
        void 1                          recorded                dealer=dot seats=ann,bob,cal,dot
        correct 1 ann one made          recorded                dealer=ann seats=ann,bob,dot
        void 1                          recorded                dealer=dot
        record 2 ann one made           recorded                dealer=ann ann=3
        """,
    "a hundred chips among three": """
        # Faults, B29: nothing is lost, nothing is made.
        game rockets-peep-nap
        open ann bob cal pool=100       recorded                pool=100
        close split                     recorded                ann=33 bob=34 cal=33 pool=0
        """,
    "what cannot be read": """
        game rockets-peep-nap
        open ann bob cal                recorded
        raw {"type": "Shuffle", "data": {}}                     command_unknown
        raw {"type": "Peek", "data": {"hand": 1}}               missing_key
        raw {"type": "Peek", "data": {"hand": true, "player": "ann"}}      bad_value
        raw {"type": "Peek", "data": {"hand": 1, "player": "pool"}}        bad_value
        raw {"type": "Peek", "data": {"hand": 0, "player": "ann"}}         out_of_range
        raw {"type": "BuyIn", "data": {"player": "ann", "chips": 1000000001}}      out_of_range
        raw {"type": "BuyIn", "data": {"player": "ann", "chips": 1000000000}}      recorded     stack:ann=1000000000
        raw {"type": "BuyIn", "data": {"player": "ann", "chips": 5.0}}     recorded
        raw {"type": "BuyIn", "data": {"player": "ann", "chips": "5"}}     bad_value
        raw {"type": "Peek", "data": {"hand": 1, "player": "ann"}, "night": null}  wrong_stream
        raw {"type": "AddMember", "data": {"name": "X"}}        wrong_stream
        raw {"type": "AddMember", "data": {"name": " "}, "night": null}    bad_name
        raw {"type": "Peek", "data": {"hand": 1, "player": "ann"}, "id": "1"}      bad_value
        raw {"type": "Peek", "data": {"hand": 1, "player": "ann"}, "at": "tonight"}        bad_value
        raw {"type": "Peek", "data": {"hand": 1, "player": "ann"}, "colour": 1}    unknown_key
        raw {"type": "Peek", "data": {"hand": 1, "player": "ann"}, "night": "n9"}  night_unknown
        raw {"type": "CloseNight", "data": {"expected_version": 2}}        wrong_version
        raw {"type": "CloseNight", "data": {"expected_version": 3}}        recorded     state=closed
        """,
}


@pytest.mark.parametrize("title", EVENINGS)
def test_an_evening(title: str) -> None:
    played(EVENINGS[title])


# The table is whole

SECTIONS = ("Hands", "The auction", "Commands", "A night", "A club")
"""Parts of ``ledger.errors``."""

BELOW = {"amount_too_large", "batch_too_large", "event_unknown"}
"""Refusals that tests below come to, or those of history."""


def all_evenings() -> list[Evening]:
    return [played(text) for text in (*EVENINGS.values(), *WITH_MONEY.values())]


def test_every_refusal_of_nights_and_clubs_has_its_line() -> None:
    parts = [part.partition("\n") for part in inspect.getsource(errors).split("\n# ")]
    wanted = "".join(rest for title, _line, rest in parts if title in SECTIONS)
    known = {code for code in re.findall(r'^    code = "(\w+)"$', wanted, re.MULTILINE) if code != "bid_needs"}
    assert known - BELOW - set().union(*(evening.verdicts for evening in all_evenings())) == set()


def test_every_command_is_carried_out_somewhere() -> None:
    recorded = set().union(*(evening.recorded for evening in all_evenings()))
    assert {*NIGHT_COMMANDS, *CLUB_COMMANDS} - recorded == {"FoundClub", "PublishRulebook"}


# On SQLite, to the byte


@pytest.mark.parametrize(
    "title", ["undo", "opened again", "a closed night corrected: into the next, which is open", "one person twice"]
)
def test_previews_and_refusals_leave_a_file_as_it_was(title: str, tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    with SqliteStore(path, create=True) as store:
        Evening(store, lambda: "\n".join(sqlite3.connect(path).iterdump())).run(EVENINGS[title])
        assert dump(store) == dump(played(EVENINGS[title]).store), "the two stores differ"


# Batches


def opened() -> Book:
    book = Book(members=MEMBERS)
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
    book.done("OpenNight", table="tue", night="n1", players=["ann", "bob", "cal", "dot"], dealer="ann")
    return book


def test_one_unreadable_command_is_refused_alone() -> None:
    book = opened()
    good = book.request("Peek", "n1", data={"hand": 1, "player": "bob"})
    bad = book.request("Peek", "n1", data={"hand": 1})
    late = book.request("Bid", "n1", data={"hand": 1, "player": "cal", "bid": "one"})
    answers = book.carry_out(good, bad, late, {**good, "id": book.new_id()})
    assert [answer.get("code", answer["status"]) for answer in answers] == [
        "recorded", "missing_key", "not_your_turn", "already_peeked",
    ]  # fmt: skip
    check(book)


def test_an_id_twice_in_one_batch_is_a_duplicate() -> None:
    book = opened()
    peek = book.request("Peek", "n1", data={"hand": 1, "player": "bob"})
    other = {**peek, "data": {"hand": 1, "player": "cal"}}
    first, again, reused = book.carry_out(peek, peek, other)
    assert (first["status"], again["status"], reused["code"]) == ("recorded", "duplicate", "command_id_reused")
    assert [again[key] for key in ("version", "position", "events", "changes")] == [
        first[key] for key in ("version", "position", "events", "changes")
    ]
    assert book.night("n1").pool == 1


def test_the_answer_to_a_repeated_command_has_the_balances_of_now() -> None:
    book = opened()
    hand = book.request("RecordHand", "n1", data={"hand": 1, "bidder": "bob", "bid": "one", "made": True})
    (first,) = book.carry_out(hand)
    book.done("RecordHand", "n1", hand=2, bidder="bob", bid="one", made=True)
    (again,) = book.carry_out(hand)
    assert again["changes"] == first["changes"] == {"ann": -1, "bob": 3, "cal": -1, "dot": -1}
    assert (first["balances"]["bob"], again["balances"]["bob"]) == (3, 6)
    assert (again["version"], again["balances_version"]) == (2, 3)


def test_previews_of_a_batch_build_on_those_before() -> None:
    book = opened()
    hands = [
        book.request("RecordHand", "n1", data={"hand": hand, "bidder": "bob", "bid": "one", "made": True})
        for hand in (1, 2, 2)
    ]
    before = dump(book.store)
    answers = book.carry_out(*hands, dry_run=True)
    assert [answer.get("code", answer["status"]) for answer in answers] == ["preview", "preview", "hand_settled"]
    assert [answer["version"] for answer in answers[:2]] == [1, 2]
    assert [answer["balances"]["bob"] for answer in answers[:2]] == [3, 6]
    assert dump(book.store) == before


def test_a_preview_behind_a_command_that_was_carried_out_knows_it() -> None:
    book = opened()
    one, two, three = (
        book.request("RecordHand", "n1", data={"hand": hand, "bidder": "bob", "bid": bid, "made": True})
        for hand, bid in ((1, "one"), (1, "four"), (2, "one"))
    )
    answers = book.carry_out({**one, "dry_run": True}, two, {**three, "dry_run": True})
    assert [answer["status"] for answer in answers] == ["preview", "recorded", "preview"]
    assert answers[2]["balances"]["bob"] == 15
    assert answers[2]["version"] == 2


def test_booking_what_was_previewed() -> None:
    """The version of a preview is what to expect; it no longer holds when somebody was quicker."""
    book = opened()
    hand = {"hand": 1, "bidder": "bob", "bid": "nap", "made": True}
    (preview,) = book.carry_out(book.request("RecordHand", "n1", data=hand), dry_run=True)
    book.done("AddNote", "n1", note="a moment")
    late = book.request("RecordHand", "n1", data=hand, expected_version=preview["version"])
    assert book.carry_out(late)[0]["code"] == "wrong_version"
    data = {"table": "tue", "night": "n2", "players": ["eve", "fay"], "dealer": "eve"}
    book.done("CloseNight", "n1")
    (preview,) = book.carry_out(book.request("OpenNight", data=data), dry_run=True)
    opening = book.request("OpenNight", data=data, expected_version=preview["version"])
    assert book.carry_out(opening)[0]["status"] == "recorded"


def test_a_preview_of_a_correction_shows_every_hand_that_it_changes() -> None:
    book = opened()
    book.done("RecordHand", "n1", hand=1, bidder="bob", bid="nap", made=False, peeks=["ann"])
    book.done("RecordHand", "n1", hand=2, bidder="cal", bid="nap", made=True)
    facts = {"bidder": "bob", "bid": "nap", "made": True, "peeks": ["ann"]}
    request = book.request("CorrectHand", "n1", data={"hand": 1, "facts": facts, "reason": "he made it"})
    (preview,) = book.carry_out(request, dry_run=True)
    first, second = preview["hands"]
    assert first["before"] == {"result": "failed", "changes": {"ann": 4, "bob": -15, "cal": 5, "dot": 5}, "pool": 1}
    assert first["after"] == {"result": "made", "changes": {"ann": -11, "bob": 31, "cal": -10, "dot": -10}, "pool": 0}
    assert (second["before"]["changes"]["cal"], second["after"]["changes"]["cal"]) == (31, 30)
    book.done("CloseNight", "n1")
    closed = {"night": "n1", "hand": 1, "facts": facts, "reason": "he made it"}
    (later,) = book.carry_out(book.request("CorrectClosedHand", data=closed), dry_run=True)
    assert later["hands"] == preview["hands"]
    assert later["changes"] == preview["changes"]
    assert (later["pool_change"], later["shortage"]) == (0, 0)


def test_points_are_told_of_the_teams_that_play() -> None:
    """A substitute makes another team; the old one is named when its hands are corrected, and not before."""
    book = Book(members=MEMBERS)
    book.done("OpenTable", table="wed", name="Wednesday", rulebook="rockets-pepper")
    book.done("OpenNight", table="wed", night="n1", players=["ann", "bob", "cal", "dot"], dealer="ann")
    book.done("RecordHand", "n1", hand=1, bidder="bob", bid="four", tricks=4)
    seats = ["ann", "eve", "cal", "dot"]
    told = book.done("RecordHand", "n1", hand=2, bidder="eve", bid="one", tricks=1, players=seats)
    assert told["changes"] == {"ann+cal": 5, "eve+dot": 1}
    assert told["balances"] == {"ann+cal": 7, "eve+dot": 5}
    facts = {"bidder": "bob", "bid": "four", "tricks": 3}
    told = book.done("CorrectHand", "n1", hand=1, facts=facts, reason="three it was")
    assert told["changes"] == {"ann+cal": 1, "eve+dot": 0, "bob+dot": -8}
    assert told["balances"] == {"ann+cal": 8, "eve+dot": -3}


def test_a_batch_has_its_limit() -> None:
    book = opened()
    notes = [book.request("AddNote", "n1", data={"note": "x"}) for _ in range(101)]
    with pytest.raises(BatchTooLarge):
        book.carry_out(*notes)
    assert {answer["status"] for answer in book.carry_out(*notes[:100])} == {"recorded"}


def test_nobody_owes_more_than_can_be_counted() -> None:
    """Failed Naps double the pool; a debt that nobody could count is refused, and the night is not stuck."""
    book = Book(members=MEMBERS)
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="foster-pool-nap", stake=1_000_000)
    book.done("OpenNight", table="tue", night="n1", players=["ann", "bob"], dealer="ann", pool=1_000_000_000)
    hand, refused = 1, ["", ""]
    for what in (0, 1):
        while (answer := book.send("RecordHand", "n1", hand=hand, bidder="ann", bid="nap", made=False)).get("events"):
            hand += 1
        assert answer["code"] == "amount_too_large"
        refused[what] = answer["detail"]
        book.done("RecordHand", "n1", hand=hand, bidder="bob", bid="nap", made=True)
        hand += 1
    assert refused[0].startswith("the pool")
    assert refused[1].startswith("the balance of")
    book.done("CloseNight", "n1")
    check(book)
    check_verified(book)


# Names


def test_who_is_erased_leaves_no_name_behind(tmp_path: Path) -> None:
    """Amounts, the chain and his number stay; no file, answer or fingerprint holds a name of his."""
    path = tmp_path / "book.db"
    names = ["Dorothea", "Dorothea Quill", "Dotty Quillon"]
    with SqliteStore(path, create=True) as store:
        book = Book(store, members=["ann", "bob"])
        book.done("AddMember", member="dot", name=names[0], number=14)
        renamed = book.request("RenameMember", data={"member": "dot", "name": names[1]})
        book.carry_out(renamed)
        book.done("AddMember", member="dotty", name=names[2])
        book.done("MergeMembers", from_="dotty", into="dot")
        book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
        book.done("OpenNight", table="tue", night="n1", players=["ann", "bob", "dot"], dealer="ann")
        book.done("RecordHand", "n1", hand=1, bidder="dot", bid="three", made=False)
        book.done("EraseMember", member="dotty")
        with store.read(THE_CLUB) as reader:
            words = Words(book.club(), reader)
            assert [words.member(member) for member in ("dot", "dotty")] == ["member 14", "member 14"]
        assert book.night("n1").purses["dot"].balance == -6
        assert book.send("RenameMember", member="dot", name="Back")["code"] == "member_erased"
        assert book.send("SeatPlayer", "n1", player="dotty")["code"] == "member_erased"
        others = [
            book.request("ArchiveMember", data={"member": "ann"}, id=renamed["id"]),
            book.request("AddMember", data={"name": "Another"}, id=renamed["id"]),
        ]
        again, *reused = book.carry_out(renamed, *others)
        assert again["status"] == "duplicate"
        assert [answer["code"] for answer in reused] == ["command_id_reused"] * 2
        check(book)
        check_verified(book)
        whole = "\n".join(sqlite3.connect(path).iterdump())
    assert not any(name in whole for name in names)


# Rulebooks of the club's own


def test_a_night_goes_by_the_rulebook_that_was_pinned_when_it_was_opened() -> None:
    book = Book(members=MEMBERS)
    own = {**rulebook_data("rockets-peep-nap"), "id": "house-nap"}
    book.done("PublishRulebook", rulebook=own)
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="house-nap")
    book.done("OpenNight", table="tue", night="n1", players=["ann", "bob"], dealer="ann")
    dearer = {**own, "pool": {"peek": 3}}
    book.done("PublishRulebook", rulebook=dearer)
    book.done("Peek", "n1", hand=1, player="ann")
    assert book.night("n1").pool == 1
    book.done("ChangeTable", table="tue", rulebook="house-nap")
    book.done("Peek", "n1", hand=1, player="bob")
    assert book.night("n1").pool == 2
    book.done("DeclareMisdeal", "n1", hand=1)
    book.done("ChangeRules", "n1", stake=2)
    book.done("Peek", "n1", hand=2, player="ann")
    assert book.night("n1").pool == 2
    book.done("DeclareMisdeal", "n1", hand=2)
    book.done("ChangeRules", "n1", rulebook="house-nap")
    book.done("Peek", "n1", hand=3, player="ann")
    assert book.night("n1").pool == 6
    check(book)
    check_verified(book)


# Days


@pytest.mark.parametrize(
    ("zone", "now", "date"),
    [
        ("Europe/London", "2026-09-01T00:40", "2026-08-31"),  # faults, B60: past midnight, and still August
        ("Europe/London", "2026-09-01T04:59", "2026-08-31"),  # 05:59 in summer
        ("Europe/London", "2026-09-01T05:00", "2026-09-01"),
        ("America/Los_Angeles", "2026-07-04T03:00", "2026-07-03"),  # faults, B59: eight in the evening
        ("Asia/Kathmandu", "2026-11-26T00:14", "2026-11-25"),
        ("Asia/Kathmandu", "2026-11-26T00:15", "2026-11-26"),
        ("Pacific/Kiritimati", "2026-01-01T15:59", "2026-01-01"),
        ("Pacific/Kiritimati", "2026-01-01T16:00", "2026-01-02"),
        ("Europe/London", "2026-10-25T00:30", "2026-10-24"),  # half past one, for the first time
        ("Europe/London", "2026-10-25T01:30", "2026-10-24"),  # and for the second
        ("Europe/London", "2026-03-29T05:00", "2026-03-29"),  # six, in an hour that came early
    ],
)
def test_a_night_is_of_the_day_that_it_began_on_in_its_zone(zone: str, now: str, date: str) -> None:
    book = Book(members=MEMBERS, zone=zone)
    book.done("OpenTable", table="tue", name="Tuesday", rulebook="rockets-peep-nap")
    book.now = datetime.fromisoformat(f"{now}:00+00:00")
    book.done("OpenNight", table="tue", players=["ann", "bob"], dealer="ann")
    (night,) = book.club().nights.values()
    assert (night.id, night.date) == (f"tue-{date}", date)
    book.done("CloseNight", night.id)
    book.done("OpenNight", table="tue", players=["ann", "bob"], dealer="ann")
    assert [*book.club().nights] == [f"tue-{date}", f"tue-{date}-2"]
