"""What every key of a rulebook means: for those who read a payment table, change it, or write one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple


class Key(NamedTuple):
    """A key of a rulebook's file, in words.

    ``path`` is dotted, with ``*`` for the id of a bid. ``default`` is the value that holds where the key is left
    out, as TOML; where no value says that, ``absent`` does in words, and ``sample`` is a value to begin with.
    ``family`` is the one in which the key means something; a ``switch`` may be set by house rules.
    """

    path: str
    says: str
    values: str = ""
    default: str = ""
    absent: str = ""
    sample: str = ""
    family: Literal["both", "nap", "pepper"] = "both"
    switch: bool = True


_CHIPS: Final = "0 or more"
_FLAG: Final = "true, false"
_EFFECT: Final = '"none", "double", "per_player", { fixed = chips }'
NEEDED: Final = "needed"

KEYS: Final = (
    Key("id", "What sheets and tables call this rulebook; the file is named after it.", absent=NEEDED, switch=False),
    Key("title", "What people call it, by language.", default="{}", switch=False),
    Key("family", "Chips against one bidder, or points for two pairs.", '"nap", "pepper"', absent=NEEDED, switch=False),
    Key("source", "The book or page it is from.", default='""', switch=False),
    Key("notes", "What the source leaves open, and how it is read here.", default='""', switch=False),
    # The table
    Key(
        "table.players",
        "The fewest and the most players of a hand, the dealer included even when he sits out.",
        "two numbers from 2 to 20",
        default="[2, 10]",
        family="nap",
    ),
    Key("table.tricks", "Tricks of a hand.", "1 to 26", absent="5, in Pepper 6", sample="5"),
    Key(
        "table.dealer_sits_out_from",
        "With this many players or more the dealer takes no cards.",
        "3 to 20",
        absent="he never sits out",
        sample="5",
        family="nap",
    ),
    Key(
        "table.dealer_out_pays",
        "Whether a dealer who sits out pays and is paid like the others; if not, he still owes the dealer's stake.",
        _FLAG,
        default="true",
        family="nap",
    ),
    # The auction
    Key(
        "auction.all_pass",
        "When everybody passes: the next dealer deals, or the same; the lowest bid falls to the dealer, or to eldest; "
        "or what bids collect and pay is doubled until one is made.",
        '"redeal_next", "redeal_same", "dealer_min", "eldest_min", "double_next"',
        default='"redeal_next"',
    ),
    Key(
        "auction.minimum_bid",
        "The lowest bid that may be made; in Pepper the dealer must make it when the others pass.",
        "the id of a bid",
        absent="the lowest of the ladder, and in Pepper nobody must bid",
    ),
    Key(
        "auction.nap_may_raise",
        "Whether the Nap bidder may speak again when Wellington is bid over him.",
        _FLAG,
        default="false",
        family="nap",
    ),
    Key(
        "auction.rounds",
        "Whether each speaks once, or the auction goes round until all but one have passed.",
        '1, "until_passed"',
        default="1",
    ),
    # The ladder
    Key("bids.*.id", "What sheets and the log call the bid.", absent=NEEDED, switch=False),
    Key("bids.*.title", "What people call it, by language.", default="{}", switch=False),
    Key("bids.*.tricks", "Tricks that make it: so many or more.", "0 to table.tricks", absent=NEEDED),
    Key("bids.*.exactly", "Whether it needs that number and no more, as Misère does.", _FLAG, default="false"),
    Key(
        "bids.*.collects",
        "What each payer pays the bidder when it is made; in Pepper its points.",
        _CHIPS,
        absent=NEEDED,
    ),
    Key(
        "bids.*.pays",
        "What the bidder pays each payer when it fails; in Pepper the points lost.",
        _CHIPS,
        absent="what it collects; in Pepper what score.fail says",
    ),
    Key("bids.*.takes_pool", "Whether it takes the whole pool when made.", _FLAG, default="false", family="nap"),
    Key(
        "bids.*.on_fail_pool",
        "What the bidder puts into the pool when it fails: nothing, as much as it holds, `pays` for every payer and "
        "himself, or a fixed number of chips.",
        _EFFECT,
        default='"none"',
        family="nap",
    ),
    Key(
        "bids.*.pays_players",
        "Whether a failed bid pays the players; if not, it pays the pool only.",
        _FLAG,
        default="true",
        family="nap",
    ),
    Key("bids.*.over", "The only bid that it may be made over.", "the id of a lower bid", absent="over any lower bid"),
    Key("bids.*.trumps", "Whether it is played with trumps. Moves no chips.", _FLAG, default="true"),
    Key(
        "bids.*.defenders",
        "Points of defenders who take a trick against it.",
        _CHIPS,
        absent="one for each trick",
        family="pepper",
    ),
    Key(
        "bids.*.unattested",
        "Whether the row is rebuilt because the source's own is lost. Shown with it.",
        _FLAG,
        default="false",
        switch=False,
    ),
    # The pool
    Key(
        "pool.opening_stake",
        "What every payer stakes to open a pool: when a deal finds it empty and no stakes waiting.",
        _CHIPS,
        default="0",
        family="nap",
    ),
    Key("pool.ante", "What each payer stakes at every deal.", _CHIPS, default="0", family="nap"),
    Key(
        "pool.dealer_stake",
        "What the dealer stakes at every deal, unless opening stakes have just opened the pool.",
        _CHIPS,
        default="0",
        family="nap",
    ),
    Key(
        "pool.peek",
        "What a look at the peep card costs.",
        _CHIPS,
        absent="there are no peeks",
        sample="1",
        family="nap",
    ),
    Key(
        "pool.buy",
        "What bought cards cost: each, or the purchase whatever their number.",
        '{ price = chips, per = "card" } or per = "hand"',
        absent="no cards are sold",
        sample='{ price = 1, per = "card" }',
        family="nap",
    ),
    Key("pool.buy.price", "The price.", _CHIPS, absent=NEEDED, family="nap"),
    Key("pool.buy.per", "What it buys.", '"card", "hand"', default='"card"', family="nap"),
    Key(
        "pool.widow",
        "Five spare cards; who takes them must bid Nap. What he pays each payer when he fails, and what the pool.",
        "{ fail_pays = chips, on_fail_pool = … }",
        absent="there is no widow",
        sample='{ fail_pays = 5, on_fail_pool = "none" }',
        family="nap",
    ),
    Key("pool.widow.fail_pays", "What a failed taker pays each payer.", _CHIPS, absent=NEEDED, family="nap"),
    Key("pool.widow.on_fail_pool", "What he puts into the pool.", _EFFECT, default='"none"', family="nap"),
    Key(
        "pool.join_fee",
        "What a player who comes after the night's first hand stakes at his first deal of a running pool: the opening "
        "stake, nothing, or his share of it (rounded up).",
        '"opening", "none", "fair_share"',
        default='"opening"',
        family="nap",
    ),
    Key(
        "pool.stakes_stand_when_passed",
        "Whether the stakes of a passed-out deal stand for the next, so that nobody stakes again.",
        _FLAG,
        default="false",
        family="nap",
    ),
    Key(
        "pool.failed_pot",
        "After a failed bid: the pool carries over, or everybody gets his own stakes of the deal back.",
        '"carry", "refund"',
        default='"carry"',
        family="nap",
    ),
    Key(
        "pool.at_close",
        "When a night is closed: the pool stays for the next, is split equally, or goes to who draws for it.",
        '"carry", "split", "draw"',
        default='"carry"',
        family="nap",
    ),
    Key(
        "pool.refund_on_misdeal",
        "Whether peeks and purchases of a misdealt hand go back.",
        _FLAG,
        default="true",
        family="nap",
    ),
    Key(
        "pool.revoke_awards_pool",
        "Whether a bid that takes the pool also takes it through an opponent's revoke.",
        _FLAG,
        default="true",
        family="nap",
    ),
    # Fines
    Key("fines.revoke", "A revoke.", default="{ pool = 0 }", family="nap", switch=False),
    Key("fines.revoke.pool", "What the revoker pays the pool, besides the hand.", _CHIPS, default="0", family="nap"),
    Key(
        "fines.led_out_of_turn",
        "A lead out of turn. Paid to the pool it fines the bidder too, paid to the bidder only his opponents.",
        default='{ chips = 3, to = "bidder" }',
        family="nap",
    ),
    Key("fines.led_out_of_turn.chips", "What a lead out of turn costs.", _CHIPS, default="3", family="nap"),
    Key("fines.led_out_of_turn.to", "Whom it goes to.", '"bidder", "pool"', default='"bidder"', family="nap"),
    Key(
        "fines.played_out_of_turn",
        "A card played, not led, out of turn; fines the bidder's opponents only.",
        default='{ chips = 3, to = "bidder" }',
        family="nap",
    ),
    Key("fines.played_out_of_turn.chips", "What playing out of turn costs.", _CHIPS, default="3", family="nap"),
    Key("fines.played_out_of_turn.to", "Whom it goes to.", '"bidder", "pool"', default='"bidder"', family="nap"),
    Key("fines.misdeal", "A misdeal.", default="{ pool = 0 }", family="nap", switch=False),
    Key("fines.misdeal.pool", "What the dealer pays the pool for a misdeal.", _CHIPS, default="0", family="nap"),
    # Pepper
    Key("teams.players", "Players of a team.", "2", default="2", family="pepper", switch=False),
    Key("score.target", "The score that wins a game.", "1 or more", absent=NEEDED, family="pepper"),
    Key(
        "score.both_reach",
        "When one hand takes both teams to the target: they play on until one alone is there, the higher score wins "
        "(a tie plays on), or the bidding side.",
        '"play_on", "higher", "bidder"',
        default='"play_on"',
        family="pepper",
    ),
    Key(
        "score.swept",
        "What defenders who play and take no trick lose: the points of the bid, or nothing.",
        '"lose_bid", "nothing"',
        default='"nothing"',
        family="pepper",
    ),
    Key(
        "score.fail",
        "What a failed bid loses where its row has no `pays`: what it collects, or so many points.",
        '"bid", or 0 or more',
        default='"bid"',
        family="pepper",
    ),
    Key(
        "score.score_what_you_get",
        "Whether a made bid scores every trick taken, if they are more than its points.",
        _FLAG,
        default="false",
        family="pepper",
    ),
    Key(
        "score.dirty_clubs",
        "Whether clubs must be played: surrender and granted tricks are refused unless other trumps are named.",
        _FLAG,
        default="false",
        family="pepper",
    ),
    Key("score.surrender", "Whether the defenders may surrender.", _FLAG, default="true", family="pepper"),
    Key(
        "score.pepper_round",
        "For so many hands at the start of a game eldest counts as having made the lowest bid.",
        "0 to 1,000; false is 0",
        default="0",
        family="pepper",
    ),
    Key(
        "score.negotiate",
        "How many tricks the bidders may grant the defenders, by bid, in place of play.",
        "{ bid = tricks }",
        default="{}",
        family="pepper",
    ),
    Key(
        "score.negotiate.*",
        "How many tricks may be granted against this bid.",
        "1 or more, at most what the bid leaves",
        absent="none",
        family="pepper",
    ),
    Key(
        "stakes.per_game",
        "What a game is worth in chips: each loser pays them to the opponent at his left.",
        _CHIPS,
        default="0",
        family="pepper",
    ),
    Key(
        "stakes.per_point",
        "The same for each point between the scores.",
        _CHIPS,
        default="0",
        family="pepper",
    ),
    Key(
        "examples",
        "Hands and what they must come to, at least three, in the form of night sheets.",
        absent="refused by `rulebook check`",
        switch=False,
    ),
)
"""Every key, in the order in which a file has them."""


def keys_of(section: str | None = None) -> Iterator[tuple[str, Key]]:
    """Yield what stands in a section of the file (without one: above all sections), each key with its name there.

    What stands inside a value, such as the price of bought cards, is left to the value.
    """
    prefix = "" if section is None else "bids.*." if section == "bids" else f"{section}."
    for key in KEYS:
        name = key.path.removeprefix(prefix)
        if key.path.startswith(prefix) and "." not in name:
            yield name, key
