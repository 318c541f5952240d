"""Evenings with money, as tables of text (see ``test_evenings``): every figure was worked out with a pencil.

Amounts are minor units: a chip of ``GBP:10`` is worth 10p. ``member:ann`` is Ann's account, ``paid:ann`` what she paid
tonight less what she was paid, ``open:ann`` what she has open in all, ``open:night:ann`` of tonight. Rules are those of
Peep Nap (Rockets): no stakes, a peek is 1, Two pays 2 either way, Three 3, a Nap gets 10 and the pool, or pays 5.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ledger.stores import SqliteStore
from ledger.values import TOTAL_LIMIT
from tests.book.kit import Book, check, check_verified, dump
from tests.book.runner import MEMBERS, Evening, played

EVENINGS = {
    "paid at the table": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded        unit=chips:tue.1
        buyin ann 40 paid=400                   recorded        stack:ann=40 paid:ann=400 cash=-400 member:ann=0
        buyin bob 40                            recorded        stack:bob=40 paid:bob=0 cash=-400
        buyin cal 20 paid=150                   recorded        paid:cal=150 cash=-550
        buyin cal 20 paid=-1                    out_of_range
        buyin cal 20 paid=1000000001            out_of_range
        record 1 bob three made peeks=ann       recorded        ann=-4 bob=9 cal=-3 dot=-3 pool=1
        transfer bob cal 10 paid=100            recorded        paid:bob=-100 paid:cal=250 stack:bob=39 cash=-550
        cashout ann 36 paid=300                 recorded        paid:ann=100 stack:ann=0 cash=-250
        undo                                    recorded        paid:ann=400 stack:ann=36 cash=-550
        cashout ann 36 paid=360                 recorded        paid:ann=40 stack:ann=0 cash=-190
        # ann -40 + 40, bob 90 - 100, cal -30 + 250, dot -30; the till holds the pool's 10 and 190 in the box
        close                                   recorded        member:ann=0 member:bob=-10 member:cal=220
        also                                                    member:dot=-30
        undo                                    recorded        member:bob=0 member:cal=0 paid:cal=250 exchange=0
        also                                                    cash=-190
        close                                   recorded        exchange=10 exchange@chips:tue.1=-1 cash=-190
        also                                                    open:till=-180
        on tue-2026-11-26                                       open:night:till=-180 open:night:cal=220 state=closed
        pay bob till 10                         recorded        open:bob=0 cash=-200 changes=bob+10,till-10
        pay dot till 30                         recorded        open:dot=0 cash=-230 state=closed
        pay till cal 220                        recorded        open:cal=0 cash=-10 open:till=0 state=settled
        """,
    "what was paid at the table is taken back": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal                        recorded
        buyin ann 20 paid=200                   recorded        cash=-200
        undo                                    recorded        cash=0 paid:ann=0 stack:ann=0
        buyin ann 20 paid=200                   recorded
        transfer ann bob 5 paid=45              recorded        paid:ann=155 paid:bob=45 cash=-200 stack:bob=5
        undo                                    recorded        paid:ann=200 paid:bob=0 cash=-200 stack:bob=0
        cashout ann 20 paid=210                 recorded        paid:ann=-10 cash=10
        undo                                    recorded        paid:ann=200 cash=-200
        undo                                    recorded        paid:ann=0 cash=0
        close                                   recorded        member:ann=0 state=closed
        """,
    "a banker who left": """
        game rockets-peep-nap money=GBP:10 banker=gus
        archive gus                             recorded
        open ann bob cal                        member_archived  /gus/
        open ann bob cal banker=till            recorded        open:till=0
        close                                   recorded        state=closed
        change-table tue banker=dot             recorded
        next day
        open ann bob cal                        recorded
        """,
    "chips alone are no money": """
        game rockets-peep-nap
        open ann bob cal                        recorded
        buyin ann 20 paid=200                   money_not_kept  /paid/
        transfer ann bob 5 paid=1               money_not_kept
        cashout ann 5 paid=1                    money_not_kept
        buyin ann 20 paid=0                     recorded        stack:ann=20
        cash 100                                money_not_kept  /amount/
        """,
    "the banker plays": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal banker=ann             recorded
        buyin bob 20 paid=200                   recorded        paid:bob=200 cash=0
        buyin ann 20 paid=200                   recorded        paid:ann=0 stack:ann=20
        buyin cal 10                            recorded
        record 1 bob three made peeks=cal       recorded        bob=6 ann=-3 cal=-4 pool=1
        transfer bob ann 5 paid=50              recorded        paid:ann=50 paid:bob=150
        cashout ann 10 paid=100                 recorded        paid:ann=50
        cashout bob 10 paid=100                 recorded        paid:bob=50
        # she has 200 - 100 - 50 = 50, lost 30 and holds the pool's 10: she should have -20, so she gives 70
        close                                   recorded        member:bob=110 member:ann=-80 member:cal=-40 cash=0
        on tue-2026-11-26                                       open:night:ann=-70 open:ann=-70 open:bob=110 open:till=0
        pay ann bob 70                          recorded        open:ann=0 open:bob=40 member:ann=-10
        pay cal bob 40                          recorded        open:bob=0 open:cal=0 state=settled cash=0
        undo                                    night_paid
        """,
    "the banker does not play, and is another the next night": """
        game rockets-peep-nap money=GBP:10 banker=gus
        open ann bob cal                        recorded
        buyin ann 20 paid=200                   recorded        cash=0
        record 1 bob three made peeks=ann       recorded        ann=-4 bob=6 cal=-3 pool=1
        # gus has 200 of Ann's and keeps 10 of it for the pool
        close                                   recorded        member:gus=-200 open:gus=-190 open:till=0
        on tue-2026-11-26                                       member:ann=160 member:bob=60 member:cal=-30 cash=0
        next day
        change-table tue banker=cal             recorded
        open ann bob cal                        recorded        pool=1
        record 1 bob two made peeks=bob         recorded        ann=-2 bob=3 cal=-2 pool=2
        # cal: -20, the pool grew by 10, and gus has to hand her 10
        close                                   recorded        open:night:cal=0 open:night:gus=-10 open:night:bob=30
        on tue-2026-11-27                                       member:cal=-50 open:cal=-30 open:gus=-200
        also                                                    member:gus=-200
        undo                                    recorded        open:gus=-190 open:cal=-30 state=open
        close                                   recorded        open:gus=-200
        reopen                                  recorded        open:gus=-190
        close                                   recorded        open:gus=-200 open:night:gus=-10
        next day
        change-table tue banker=till            recorded
        open bob ann cal                        recorded        pool=2
        close                                   recorded        open:night:cal=-20 open:night:till=20 open:cal=-50
        close-table tue to=ann                  recorded        member:ann=160 open:till=0 pool:tue=0 open:ann=160
        pay gus ann 160                         recorded        open:ann=0 open:gus=-40
        open gus ann                            table_closed
        """,
    "the banker is seated when the night is under way": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal banker=gus             recorded
        buyin ann 20 paid=200                   recorded
        seat gus                                recorded
        record 1 gus two made                   recorded        gus=6 ann=-2
        transfer ann gus 5 paid=40              recorded        paid:gus=40 paid:ann=160
        cashout gus 5 paid=50                   recorded        paid:gus=40
        close                                   recorded        member:gus=-100 member:ann=140 open:gus=-100
        """,
    "the till feeds a pool that a member holds": """
        game rockets-peep-nap money=GBP:10 banker=gus
        open ann bob cal pool=7                 recorded        pool=7
        record 1 bob nap made                   recorded        bob=27 ann=-10 cal=-10 pool=0
        close                                   recorded        open:till=-70 open:gus=0 open:bob=270 open:ann=-100
        next day
        open ann bob cal pool=5                 recorded        pool=5
        record 1 bob one made peeks=cal         recorded        bob=2 cal=-2 pool=6
        close                                   recorded        open:night:gus=60 open:night:till=-50 member:gus=0
        """,
    "who pays for which night": """
        game rockets-peep-nap money=GBP:1
        open ann bob cal dot                    recorded
        record 1 bob three made                 recorded
        close                                   recorded        member:bob=9 member:cal=-3 state=closed
        next day
        open ann bob cal dot                    recorded
        record 1 bob nap failed                 recorded        ann=5 bob=-15
        correct 1 ann nap made                  recorded        ann=30 bob=-10 cal=-10 dot=-10
        close                                   recorded        member:ann=27 member:bob=-1 member:cal=-13
        also                                                    member:dot=-13
        pay cal till 5 #one                     recorded        open:tue-2026-11-26:cal=0 open:night:cal=-8
        also                                                    member:cal=-8
        on tue-2026-11-27                                       open:tue-2026-11-26:till=-3 open:night:till=-2 cash=-5
        # dot owes 3 and 10; bob is owed 6 more in the first night; 1 is left on account
        pay dot bob 20 #two                     recorded        open:tue-2026-11-26:dot=6 open:tue-2026-11-26:bob=0
        on tue-2026-11-27                                       open:night:dot=0 open:night:bob=-20 open:dot=7
        also                                                    member:dot=7
        on tue-2026-11-27                                       open:bob=-21 member:bob=-21
        reopen                                  night_paid
        reverse #one                            recorded        open:cal=-13 open:night:cal=-10 cash=0
        also                                                    changes=cal-5,till+5
        reverse #one                            payment_reversed
        reverse 00000000-0000-0000-0000-0000000000ff      payment_unknown
        reopen                                  night_paid
        reverse #two                            recorded        open:dot=-13 open:bob=-1
        reopen                                  recorded        state=open open:dot=-3 open:bob=9
        undo                                    recorded        state=closed open:dot=-13
        on tue-2026-11-26
        reopen                                  later_night
        pay till bob 9                          recorded        open:night:bob=0 open:bob=-10 open:night:till=9 cash=9
        again #one                              duplicate
        """,
    "a payment of a night that is open, and one that names its night": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal                        recorded
        pay cal till 50 night=tue-2026-11-26 #one     recorded        open:cal=50 open:night:cal=50 cash=-50 state=open
        record 1 bob three made                 recorded
        close                                   recorded        open:night:cal=20 open:night:till=-50 open:night:bob=60
        undo                                    night_paid
        reopen                                  night_paid
        pay ann bob 30 night=tue-2026-11-26 method=cash date=2026-11-25   recorded     open:night:ann=0
        also                                                    open:night:bob=30
        pay ann bob 30 night=tue-2026-11-27     night_unknown
        pay ann bob 30 date=2026-02-30          bad_value
        pay ann bob 30 date=9999-12-31          bad_value
        pay ann bob 0                           out_of_range
        pay ann bob 1000000001                  out_of_range
        pay ann ann 1                           same_party
        pay till till 1                         same_party
        pay zed till 1                          member_unknown
        pay till zed 1                          member_unknown
        pay pool till 1                         bad_value
        pay shortage bob 30                     recorded        open:bob=0 open:shortage=30 shortage@GBP=30
        reverse #one                            recorded        open:cal=-30
        pay cal bob 30                          recorded        open:bob=-30 open:cal=0
        """,
    "adjustments": """
        club GBP:10
        game rockets-peep-nap
        open ann bob cal                        recorded        unit=chips:tue.1
        record 1 bob three made                 recorded
        adjust ann bob 7 night=tue-2026-11-26 hand=1  recorded  open:night:ann=-7 open:night:bob=7 member:bob=7
        also                                                    changes=ann-7,bob+7
        adjust ann bob 7 night=tue-2026-11-26 hand=2  hand_unknown
        adjust ann bob 7 hand=1                 missing_key     /night/
        adjust ann bob 7 unit=EUR               unit_unknown
        adjust ann bob 7 unit=chips:tue.1       unit_unknown
        adjust ann bob 7 unit=pence             bad_value
        adjust ann bob 7 night=tue-2026-11-26 unit=EUR      bad_value
        adjust ann bob 3 night=tue-2026-11-26 unit=GBP      recorded        open:night:ann=-10
        adjust ann ann 7                        same_party
        adjust ann zed 7                        member_unknown
        adjust ann bob -7                       out_of_range
        adjust ann bob 7 night=n9               night_unknown
        close                                   recorded        open:night:ann=-40 open:night:bob=70 open:night:cal=-30
        reopen                                  recorded        open:night:ann=-10
        close                                   recorded        open:night:ann=-40
        adjust till cal 100                     recorded        open:cal=70 till@GBP=-100 cash=0 open:night:cal=-30
        also                                                    open:till=-100
        adjust cal shortage 20 unit=GBP         recorded        open:cal=50 shortage@GBP=20
        record 2 bob nap made #late             late
        admit #late                             recorded        member:bob=270
        adjust bob cal 5 night=tue-2026-11-26 hand=2        recorded        member:bob=265
        adjust bob cal 5 night=tue-2026-11-26 hand=3        hand_unknown
        """,
    "table money": """
        club GBP:10
        game rockets-peep-nap
        open ann bob cal                        recorded
        charge tonight 50                       recorded        charges=150 open:ann=-50 member:ann=-50 open:till=150
        also                                                    open:night:till=150
        seat dot                                recorded
        record 1 bob three made                 recorded        dot=-3
        close                                   recorded        open:night:ann=-80 open:night:bob=40 open:night:dot=-30
        charge tonight 1                        recorded        charges=154 open:dot=-31 open:night:till=154
        also                                                    changes=ann-1,bob-1,cal-1,dot-1,till+4
        charge n9 50                            night_unknown
        charge tonight 0                        out_of_range
        charge tonight 1000000001               out_of_range
        reopen                                  recorded        open:night:ann=-51 charges=154
        close                                   recorded        open:night:ann=-81
        pay ann till 81                         recorded        open:ann=0 cash=-81
        """,
    "the cash box is counted": """
        club GBP:10
        game rockets-peep-nap
        open ann bob                            recorded        cash=0
        buyin ann 50 paid=500                   recorded        cash=-500
        cash 480                                recorded        cash=-480 shortage@GBP=-20 changes=shortage-20,till+20
        also                                                    open:till=20
        cash 480                                recorded        cash=-480 shortage@GBP=-20 changes=-
        cash 485                                recorded        cash=-485 shortage@GBP=-15 open:till=15
        also                                                    open:shortage=-15
        cash 0                                  recorded        cash=0 shortage@GBP=-500
        cash -1                                 out_of_range
        cashout bob 10 paid=100                 recorded        cash=100
        cash 0                                  recorded        cash=0 shortage@GBP=-400
        close                                   recorded        member:ann=500 member:bob=-100 open:till=0
        also                                                    open:shortage=-400
        """,
    "a chip is worth something else": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob three made peeks=ann,cal,dot     recorded  pool=3 bob=9 ann=-4
        change-table tue money=GBP:20           table_busy
        close                                   recorded        member:bob=90 member:ann=-40 exchange=30 open:till=30
        change-table tue money=GBP:20           pool_undecided  /3 chips/
        change-table tue pool=split             bad_value
        change-table tue money=GBP:10 pool=split      bad_value
        change-table tue money=XYZ:10           bad_value       /ISO/
        change-table tue money=GBP:0            out_of_range
        change-table tue money=GBP:20 pool=melt  bad_value
        open ann bob cal dot money=GBP:20       pool_undecided
        change-table tue money=GBP:20 pool=convert    recorded  pool:tue=3 till@GBP=-30 exchange=60 open:till=30
        also                                                    pool:tue@chips:tue.1=0
        reopen                                  money_changed
        # 60p are 8 chips of 7p; the till keeps 4p
        change-table tue money=GBP:7 pool=keep_worth  recorded  pool:tue=8 till@GBP=-26 exchange=56 open:till=30
        change-table tue money=EUR:7 pool=keep_worth  worth_unknown
        # 8 chips of 7p among four
        change-table tue money=EUR:1 pool=split       recorded  pool:tue=0 member:bob=104 member:ann=-26 exchange=0
        also                                                    open:till=-26
        change-table tue money=JPY:100          recorded        pool:tue=0
        change-table tue money=JPY:50 pool=keep_worth       recorded        pool:tue=0
        next day
        open ann bob cal                        recorded        unit=chips:tue.6 pool=0
        record 1 ann two made                   recorded
        close                                   recorded        member:ann=200 member:ann@GBP=-26 member:bob@GBP=104
        """,
    "a table of chips begins to play for money, and its pool is split oddly": """
        game rockets-peep-nap
        open ann bob cal                        recorded
        record 1 bob three made peeks=ann,cal,bob     recorded  pool=3
        record 2 cal one made peeks=ann         recorded        pool=4
        close                                   recorded        member:ann=-6 member:bob=4 member:cal=-2 open:till=4
        change-table tue money=GBP:10           pool_undecided
        change-table tue money=GBP:10 pool=keep_worth       worth_unknown
        # the last dealer is Bob: the odd chip goes to Cal
        change-table tue money=GBP:10 pool=split      recorded  member:ann=-5 member:bob=5 member:cal=0 open:till=0
        next day
        open ann bob cal                        recorded        unit=chips:tue.2
        record 1 bob one made                   recorded
        close                                   recorded        member:bob=20 member:bob@chips:tue.1=5
        """,
    "a pool of chips gets a worth": """
        game rockets-peep-nap
        open ann bob cal                        recorded
        record 1 bob three made peeks=ann       recorded        pool=1
        close                                   recorded        open:till=1
        # in chips the till gives one away, in money it gives 10
        change-table tue money=GBP:10 pool=convert    recorded  pool:tue=1 till@chips:tue.1=1 open:till=1 till@GBP=-10
        also                                                    open:till@GBP=0
        """,
    "a member holds the pool of a table whose chip changes": """
        game rockets-peep-nap money=GBP:10 banker=gus
        open ann bob cal                        recorded
        record 1 bob three made peeks=ann,bob   recorded        pool=2
        close                                   recorded        open:gus=20 member:gus=0
        change-table tue money=GBP:25 pool=convert    recorded  open:gus=50 open:till=-30 till@GBP=-30 member:gus=0
        change-table tue money=GBP:20 pool=keep_worth  recorded  open:gus=40 open:till=-20 pool:tue=2 member:gus=0
        change-table tue money=EUR:5 pool=convert     recorded  open:gus=0 open:till=20 open:gus@EUR=10
        also                                                    open:till@EUR=-10
        change-table tue money=EUR:10 pool=split      recorded  pool:tue=0 open:gus@EUR=0 open:ann=-40 member:ann=-40
        also                                                    member:bob@EUR=5
        """,
    "a night says that a chip is worth something else": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal money=GBP:10           recorded        unit=chips:tue.1
        close                                   recorded
        open ann bob cal money=EUR:5 night=n2   recorded        unit=chips:tue.2
        record 1 bob three made                 recorded
        close                                   recorded        member:bob=30 member:ann=-15
        open ann bob cal night=n3               recorded        unit=chips:tue.2
        close                                   recorded
        open ann bob cal money=EUR:6 night=n4 pool=10  recorded  unit=chips:tue.3 pool=10
        record 1 bob nap made                   recorded        bob=30
        # the till gave 10 chips of 6 to the pool, and Bob had them
        close                                   recorded        member:bob=210 open:till=-60 pool:tue=0
        """,
    "two currencies": """
        table gb rockets-peep-nap money=GBP:10  recorded
        table eu rockets-peep-nap money=EUR:5  recorded
        open gb: ann bob cal night=g1           recorded        unit=chips:gb.1
        record 1 bob three made                 recorded
        close                                   recorded        member:bob=60 member:ann=-30
        open eu: ann bob dot night=e1           recorded        unit=chips:eu.1
        record 1 bob three failed               recorded
        close                                   recorded        member:bob=-30 member:ann=15 member:bob@GBP=60
        pay ann till 30                         recorded        member:ann@GBP=0 cash@GBP=-30 cash@EUR=0
        pay bob dot 15                          recorded        open:e1:bob=-15 open:e1:dot=0 open:dot=0
        pay bob cal 15                          recorded        open:e1:bob=0 member:cal@EUR=-15 member:cal@GBP=-30
        # cal owes in both now
        pay cal till 15                         unit_unclear    /EUR, GBP/
        pay cal till 15 night=e1                recorded        open:e1:cal=0 open:cal=0
        pay cal till 15                         recorded        member:cal@GBP=-15
        adjust ann bob 5                        unit_unclear
        adjust ann bob 5 unit=EUR               recorded        member:ann=10 member:ann@GBP=0
        pay fay till 5                          unit_unclear
        charge g1 5                             recorded        charges@GBP=15 charges=0
        cash 5                                  money_not_kept
        """,
    "two currencies, one of them the club's": """
        club GBP:10
        table gb rockets-peep-nap  recorded
        table jp rockets-peep-nap money=JPY:100  recorded
        open jp: ann bob cal night=j1           recorded
        record 1 bob three made                 recorded
        buyin ann 10 paid=1000                  recorded        cash=-1000 cash@GBP=0
        close                                   recorded        member:ann=700
        open gb: ann bob cal night=g1           recorded
        record 1 bob three made                 recorded
        close                                   recorded        member:ann=-30 member:cal=-30 member:cal@JPY=-300
        pay cal till 30                         unit_unclear    /GBP, JPY/
        pay cal till 30 night=g1                recorded        open:g1:cal=0 open:cal@JPY=-300
        pay cal till 300                        recorded        open:j1:cal=0 cash@JPY=-1300
        pay fay till 10                         recorded        member:fay=10
        cash 40                                 recorded        cash=-40 cash@JPY=-1300
        adjust ann fay 10                       recorded        member:fay=20
        """,
    "a club of chips alone": """
        game rockets-peep-nap
        pay ann till 5                          missing_key     /night/
        adjust ann bob 5                        missing_key     /unit/
        open ann bob cal                        recorded
        record 1 bob three made peeks=ann       recorded
        close                                   recorded        member:ann=-4 open:till=1
        pay ann till 3                          recorded        member:ann=-1 cash=-3 open:night:ann=-1
        also                                                    open:night:till=-2
        charge tonight 1                        recorded        charges=3 open:night:till=1
        adjust ann bob 1                        recorded        member:bob=6
        table wed rockets-peep-nap  recorded
        open wed: ann bob cal night=w1          recorded
        record 1 bob three made                 recorded
        close                                   recorded        member:ann=-3 unit=chips:wed.1 open:ann@chips:tue.1=-3
        pay ann till 3                          unit_unclear    /chips:tue.1, chips:wed.1/
        pay ann till 3 night=w1                 recorded        open:ann=0
        pay ann till 3                          recorded        open:ann@chips:tue.1=0 cash@chips:tue.1=-6 cash=-3
        adjust ann bob 1                        unit_unclear
        adjust ann bob 1 unit=chips:tue.1       recorded        member:bob@chips:tue.1=7
        adjust ann bob 1 unit=chips:tue.2       unit_unknown
        """,
    "a closed hand is corrected: the pool has it": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob nap failed peeks=ann       recorded        ann=4 bob=-15 pool=1
        close                                   recorded        member:ann=40 member:bob=-150 member:cal=50 open:till=10
        pay till ann 40 #paid                   recorded        open:night:ann=0
        close-correct 1 bob nap made peeks=ann  recorded        member:bob=310 member:ann=-150 member:cal=-100
        also                                                    pool:tue=0
        on tue-2026-11-26                                       open:night:till=40 open:night:ann=-150 exchange=0
        also                                                    shortage=0
        reopen                                  night_corrected
        reverse #paid                           recorded        open:night:ann=-110 open:night:till=0
        close-correct 1 bob nap failed peeks=ann      recorded  member:bob=-150 pool:tue=1 open:night:till=10
        also                                                    exchange=10
        """,
    "a closed hand is corrected: the pool is gone": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob nap failed peeks=ann       recorded
        close                                   recorded
        next day
        open ann bob cal dot banker=eve         recorded        pool=1
        record 1 cal nap made                   recorded        cal=31 pool=0
        close                                   recorded        member:bob=-250 open:night:till=-10 open:night:eve=0
        on tue-2026-11-26
        close-correct 1 bob nap made peeks=ann  recorded        member:bob=210 shortage=-1 pool:tue=0 exchange=-10
        on tue-2026-11-26                                       open:night:shortage=-10 open:night:till=10
        also                                                    open:night:bob=310
        close-correct 1 bob nap failed peeks=ann      recorded  member:bob=-250 shortage=0 pool:tue=0 exchange=0
        """,
    "a closed hand is corrected into the night that is open": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob nap failed peeks=ann,cal,dot     recorded  pool=3 ann=4 bob=-15
        close                                   recorded        open:till=30
        next day
        open ann bob cal dot banker=eve         recorded        pool=3
        record 1 ann two made peeks=ann         recorded        pool=4 ann=5
        # 3 of the pool were Bob's: eve, who will have the pool's money from the till, is the one that loses it
        close-correct 1 bob nap made peeks=ann,cal,dot night=tue-2026-11-26    recorded    pool=1 member:bob=330
        also                                                    member:ann=-110
        on tue-2026-11-27                                       open:tue-2026-11-26:eve=-30 open:tue-2026-11-26:till=30
        record 2 cal nap made                   recorded        pool=0 cal=29
        # the till hands over 30; the pool of 4 went to Bob, 3, and to Cal, 1
        close                                   recorded        open:night:eve=30 open:night:till=-30 open:eve=0
        also                                                    open:till=0
        """,
    "a closed hand is corrected: its table is closed": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob nap failed peeks=ann       recorded
        close                                   recorded
        close-table tue to=dot                  recorded        member:dot=60 open:till=0
        close-correct 1 bob nap made peeks=ann  recorded        member:bob=310 member:dot=-90 shortage=-1
        also                                                    open:shortage=-10
        on tue-2026-11-26                                       open:night:till=10 open:till=0 open:night:bob=310
        """,
    "a closed hand is corrected: a chip is worth something else now": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 bob nap failed peeks=ann       recorded
        close                                   recorded        exchange=10
        change-table tue money=GBP:20 pool=convert    recorded  exchange=20 open:till=10
        close-correct 1 bob nap made peeks=ann  recorded        member:bob=310 shortage=-1 pool:tue=1 exchange=10
        on tue-2026-11-26                                       open:shortage=-10 open:night:till=10
        close-correct 1 bob nap failed peeks=ann      recorded  member:bob=-150 shortage=0 exchange=20
        """,
    "a late hand is worth money": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal dot                    recorded
        record 1 passed                         recorded
        close                                   recorded        state=closed
        record 2 cal three made peeks=ann #late  late            member:cal=0
        record 2 cal two made #other            late
        admit #late                             recorded        member:cal=90 member:ann=-40 member:dot=-30 pool:tue=1
        also                                                    state=closed
        on tue-2026-11-26                                       open:night:till=10 open:night:cal=90 exchange=10
        refuse #other                           recorded        member:cal=90
        admit #other                            late_hand_unknown
        """,
    "one person twice, who pays": """
        game rockets-peep-nap money=GBP:10
        member ann2 Annie                       recorded
        open ann2 bob cal                       recorded
        record 1 bob two made                   recorded
        close                                   recorded        member:ann2=-20
        pay ann2 till 5 #one                    recorded        member:ann2=-15 open:night:ann2=-15
        pay ann2 ann 1 #between                 recorded        member:ann=-1 open:night:ann2=-14 open:night:ann=-1
        merge ann2 ann                          recorded        open:ann=-15 open:ann2=0 open:night:ann=-15
        also                                                    member:ann2=-14
        pay ann2 ann 5                          same_party
        pay ann2 till 6                         recorded        member:ann=5 member:ann2=-14 open:ann=-9
        also                                                    open:night:ann=-9
        charge tonight 2                        recorded        member:ann2=-16 open:night:ann=-11
        reverse #one                            recorded        open:ann=-16 member:ann2=-21 member:ann=5
        reverse #between                        recorded        open:ann=-16 member:ann2=-22 member:ann=6
        adjust till ann2 16                     recorded        open:ann=0 member:ann=22
        next day
        open ann2 bob cal banker=ann2           recorded        seats=ann,bob,cal
        buyin ann2 10 paid=100                  recorded        paid:ann=0
        buyin bob 10 paid=100                   recorded        paid:bob=100
        close                                   recorded        open:night:ann=-100 open:night:bob=100
        """,
    "a banker who is another, too": """
        game rockets-peep-nap money=GBP:10
        member ann2 Annie                       recorded
        open ann bob cal banker=ann2            recorded
        buyin ann 10 paid=100                   recorded        paid:ann=100
        merge ann2 ann                          recorded
        buyin ann 10 paid=100                   recorded
        record 1 bob one made peeks=cal         recorded        pool=1
        close                                   recorded        open:ann=0 open:bob=20 open:cal=-20
        """,
    "who left, or was forgotten, pays his debt": """
        game rockets-peep-nap money=GBP:10
        open ann bob cal                        recorded
        record 1 bob three made                 recorded
        archive ann                             recorded
        close                                   recorded        member:ann=-30
        erase cal                               recorded        member:cal=-30
        pay ann till 30                         recorded        member:ann=0 open:ann=0
        pay cal bob 30 #cal                     recorded        member:cal=0 open:bob=30
        reverse #cal                            recorded        member:cal=-30
        charge tonight 5                        recorded        member:cal=-35 member:ann=-5
        adjust till cal 35                      recorded        member:cal=0
        next day
        open ann bob cal                        member_archived
        open dot bob eve banker=ann             member_archived
        open dot bob eve banker=cal             member_erased
        close-correct 1 cal two made night=tue-2026-11-26   recorded        member:cal=70
        """,
    "two players called Sam": """
        game rockets-peep-nap money=GBP:1
        member sam Sam                          recorded
        member sam2 Sam                         recorded
        open sam sam2                           recorded
        record 1 sam four made                  recorded
        record 2 sam four made                  recorded
        record 3 sam four made                  recorded
        close                                   recorded        open:sam=12 open:sam2=-12
        pay sam2 sam 12                         recorded        open:sam=0 open:sam2=0 state=settled
        """,
}


@pytest.mark.parametrize("title", EVENINGS)
def test_an_evening(title: str) -> None:
    played(EVENINGS[title])


@pytest.mark.parametrize("title", ["paid at the table", "who pays for which night", "a chip is worth something else"])
def test_previews_and_refusals_leave_a_file_as_it_was(title: str, tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    with SqliteStore(path, create=True) as store:
        Evening(store, lambda: "\n".join(sqlite3.connect(path).iterdump())).run(EVENINGS[title])
        assert dump(store) == dump(played(EVENINGS[title]).store), "the two stores differ"


# Currencies


def test_the_decimals_of_a_currency_are_kept_with_it() -> None:
    """What a table was played for before still has its decimals when the table is played for something else."""
    book = Book(members=MEMBERS, money={"currency": "KWD", "chip": 250})
    book.done("OpenTable", table="kw", name="Dinars", rulebook="rockets-peep-nap")
    book.done("OpenTable", table="jp", name="Yen", rulebook="rockets-peep-nap", money={"currency": "JPY", "chip": 100})
    assert book.club().money == {"currency": "KWD", "chip": 250, "exponent": 3}
    assert book.club().tables["kw"].money == {"currency": "KWD", "chip": 250, "exponent": 3}
    assert book.club().tables["jp"].money == {"currency": "JPY", "chip": 100, "exponent": 0}
    book.done("ChangeTable", table="jp", money={"currency": "GBP", "chip": 10, "exponent": 2})
    assert book.club().exponents() == {"KWD": 3, "JPY": 0, "GBP": 2}
    wrong = book.send("ChangeTable", table="jp", money={"currency": "GBP", "chip": 10, "exponent": 3})
    assert (wrong["code"], wrong["field"]) == ("bad_value", "money.exponent")


# Amounts near the bounds

DEAR = {"currency": "GBP", "chip": 1_000_000_000}


def dear(**table: object) -> Book:
    book = Book(members=MEMBERS)
    book.done(
        "OpenTable", None, table="tue", name="Tuesday", **{"rulebook": "rockets-peep-nap", "money": DEAR, **table}
    )
    return book


def opened(book: Book, night: str = "n1", **more: object) -> None:
    book.done("OpenNight", table="tue", night=night, players=["ann", "bob", "cal", "dot"], dealer="ann", **more)


def refused(book: Book, kind: str, night: str | None = None, **data: object) -> str:
    """Send what must be too large, and return what is said of it; nothing has changed then."""
    before = dump(book.store)
    answer = book.send(kind, night, **data)
    assert (answer["status"], answer.get("code")) == ("refused", "amount_too_large"), answer
    assert dump(book.store) == before
    return str(answer["detail"])


def whole(book: Book) -> None:
    check(book)
    check_verified(book)


def test_the_dearest_chip_there_is() -> None:
    book = dear()
    opened(book)
    book.done("BuyIn", "n1", player="ann", chips=1_000_000_000, paid=1_000_000_000)
    book.done("RecordHand", "n1", hand=1, bidder="bob", bid="nap", made=True)
    book.done("CloseNight", "n1")
    assert book.balance("member:bob", "GBP") == 30_000_000_000
    assert book.balance("member:ann", "GBP") == -9_000_000_000
    whole(book)


@pytest.mark.parametrize("close", ["carry", "split", {"to": "ann"}])
def test_a_count_that_could_not_be_settled_is_refused_when_it_is_made(close: object) -> None:
    """What each has might be counted, and what is missing by it in all could not: then nobody could close the night."""
    book = dear()
    opened(book)
    most = TOTAL_LIMIT // 8 // 1_000_000_000
    book.done("CountChips", "n1", counts={"ann": most - 1}, gap="shortage")
    assert refused(book, "CountChips", "n1", counts={"bob": 9_000_000}, gap="shortage")
    assert refused(book, "CountChips", "n1", counts={"bob": 2}, gap="shortage").startswith("the balance of ann")
    assert refused(book, "CountChips", "n1", counts={"pool": 1_000_000_000}, gap="shortage").startswith("the pool")
    book.done("CountChips", "n1", counts={"pool": 1}, gap="shortage")
    assert refused(book, "Peek", "n1", hand=1, player="bob")
    book.done("CloseNight", "n1", pool=close)
    whole(book)


def test_chips_that_are_counted_away_again_and_again() -> None:
    """A balance that is counted down to nothing leaves what is missing behind."""
    book = dear()
    opened(book)
    for _ in range(4):
        book.done("CountChips", "n1", counts={"ann": 300_000, "bob": 300_000, "cal": 300_000}, gap="shortage")
        book.done("CountChips", "n1", counts={"ann": 0, "bob": 0, "cal": 0}, gap="shortage")
    book.done("ChangeRules", "n1", stake=1_000_000_000)
    assert refused(book, "RecordHand", "n1", hand=1, bidder="ann", bid="nap", made=True)
    book.done("CloseNight", "n1")
    whole(book)


def test_a_pool_that_doubles_till_it_cannot() -> None:
    book = dear(rulebook="foster-pool-nap", stake=1000)
    opened(book, pool=1000)
    hand = 1
    while (last := book.send("RecordHand", "n1", hand=hand, bidder="bob", bid="nap", made=False)).get("events"):
        hand += 1
        book.done("RecordHand", "n1", hand=hand, misdeal=True)
        hand += 1
    assert last["code"] == "amount_too_large"
    book.done("CloseNight", "n1", pool="split")
    opened(book, "n2")
    book.done("CloseNight", "n2")
    whole(book)


def test_a_pool_of_chips_may_not_get_a_worth_that_nobody_can_count() -> None:
    book = dear(money=None)
    opened(book, pool=1_000_000_000)
    book.done("CloseNight", "n1")
    assert refused(book, "ChangeTable", table="tue", money=DEAR, pool="convert").startswith("what the pool is worth")
    book.done("ChangeTable", table="tue", money={**DEAR, "chip": 1_000_000}, pool="convert")
    whole(book)


def test_accounts_that_grow_from_night_to_night_are_never_beyond_what_can_be_counted() -> None:
    book = dear()
    limit = TOTAL_LIMIT // 8 // 1_000_000_000
    for night in range(7):
        opened(book, f"n{night}")
        book.done("CountChips", f"n{night}", counts={"ann": limit}, gap="shortage")
        book.done("CloseNight", f"n{night}")
    assert book.balance("member:ann", "GBP") == 7 * limit * 1_000_000_000
    for _ in range(2):
        book.done("PostAdjustment", from_="bob", to="ann", amount=1_000_000_000, reason="more")
    whole(book)


def test_corrections_move_twice_what_a_night_may_come_to() -> None:
    book = dear(stake=10_000)
    opened(book)
    book.done("RecordHand", "n1", hand=1, bidder="bob", bid="nap", made=True)
    book.done("CloseNight", "n1")
    data = {"night": "n1", "hand": 1, "facts": {"bidder": "bob", "bid": "nap", "made": False}, "reason": "no"}
    (told,) = book.carry_out(book.request("CorrectClosedHand", data=data))
    assert told["status"] == "recorded"
    assert book.balance("member:bob", "GBP") == -150_000 * 1_000_000_000
    whole(book)
