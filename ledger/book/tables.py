"""A club's tables: opening, changing and closing them, and what becomes of their pools."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import club as clubs
from ledger import commands as cmd
from ledger import events as ev
from ledger.book.context import Context, Events
from ledger.club import Club, ClubTable
from ledger.errors import (
    BadValue,
    OtherFamily,
    PoolUndecided,
    TableBusy,
    TableExists,
    TotalTooLarge,
    WorthUnknown,
)
from ledger.journal import TILL, chips_unit, worth
from ledger.night.decide import split
from ledger.rulebook import Rulebook, apply_house_rules
from ledger.values import TOTAL_LIMIT


def open_table(context: Context, club: Club, command: cmd.OpenTable) -> ev.TableOpened:
    """Return the opening of a table. Raises ``TableExists`` and what is wrong with its rules."""
    table = command.table or clubs.free_id(f"table-{len(club.tables) + 1}", club.tables)
    if table in club.tables:
        raise TableExists(field="table", table=table)
    house_rules = dict(command.house_rules or {})
    book = apply_house_rules(context.book(command.rulebook), house_rules)
    return ev.TableOpened(
        table=table,
        name=command.name,
        rulebook=command.rulebook,
        digest=context.pin(book),
        house_rules=house_rules,
        stake=command.stake,
        unit=chips_unit(table, 1),
        money=command.money or club.money,
        banker=require_banker(club, command.banker) or TILL,
    )


def change_table(context: Context, club: Club, command: cmd.ChangeTable) -> Events:
    """Return what changes of a table: what its next nights begin with, and what a chip is worth."""
    table = clubs.require_table(club, command.table)
    digest = None
    house_rules = command.house_rules
    if command.rulebook is not None or house_rules is not None:
        rulebook = command.rulebook or table.rulebook
        if house_rules is None:
            house_rules = table.house_rules if rulebook == table.rulebook else {}
        book = apply_house_rules(context.book(rulebook), house_rules)
        require_family(context, table, book, rulebook)
        digest = context.pin(book)
    events: Events = []
    if any(getattr(command, key) is not None for key in ("name", "rulebook", "house_rules", "stake", "banker")):
        events.append(
            ev.TableChanged(
                table=table.id,
                name=command.name,
                rulebook=command.rulebook,
                digest=digest,
                house_rules=house_rules,
                stake=command.stake,
                banker=require_banker(club, command.banker),
            )
        )
    if command.money not in (None, table.money):
        assert command.money is not None
        events.append(money_changed(context, club, table, command.money, command.pool))
    elif command.pool is not None:
        raise BadValue(field="pool", wanted="left out, unless a chip is to be worth something else")
    if not events:
        raise BadValue(field="data", wanted="something that changes")
    return events


def close_table(context: Context, club: Club, command: cmd.CloseTable) -> ev.TableClosed:
    """Return the end of a table. Raises ``TableBusy``, and ``BadValue`` for a pool that would be carried nowhere."""
    table = clubs.require_table(club, command.table)
    _require_idle(club, table)
    pool = context.pool(table.id, table.unit)
    choice = command.pool
    shares: dict[str, int] = {}
    if isinstance(choice, Mapping):
        clubs.require_member(club, choice["to"], "pool.to")
        shares = {choice["to"]: pool} if pool else {}
    elif choice == "carry" and pool:
        raise BadValue(field="pool", wanted="split, or who gets it: a table that is closed carries nothing on")
    else:
        shares = pool_shared(context, club, table, pool)
    return ev.TableClosed(
        table=table.id,
        pool="to" if isinstance(choice, Mapping) else choice,
        unit=table.unit,
        shares=shares,
        holder=table.holder,
        money=table.money,
    )


def money_changed(
    context: Context, club: Club, table: ClubTable, money: ev.Money, pool: str | None, *, field: str = "pool"
) -> ev.TableMoneyChanged:
    """Return what happens when a chip of a table is to be worth something else.

    Raises ``TableBusy``, ``PoolUndecided`` where there is a pool and nobody says what becomes of it, and
    ``WorthUnknown`` where its worth cannot be kept.
    """
    _require_idle(club, table)
    chips = context.pool(table.id, table.unit)
    if pool is None and chips:
        raise PoolUndecided(field=field, table=table.id, chips=chips)
    choice = pool or "convert"
    converted, shares = chips, dict[str, int]()
    if choice == "split":
        converted, shares = 0, pool_shared(context, club, table, chips)
    elif choice == "keep_worth" and chips:
        if table.money is None or table.money["currency"] != money["currency"]:
            raise WorthUnknown(field="pool", table=table.id, currency=money["currency"])
        converted = worth(chips, table.money) // money["chip"]
    if not worth(converted, money) <= TOTAL_LIMIT // 8:  # else nobody could play for it
        raise TotalTooLarge(field="what the pool is worth")
    return ev.TableMoneyChanged(
        table=table.id,
        money=money,
        unit=chips_unit(table.id, int(table.unit.rpartition(".")[2]) + 1),
        old_money=table.money,
        old_unit=table.unit,
        pool=choice,
        chips=chips,
        converted=converted,
        shares=shares,
        holder=table.holder,
    )


def pool_shared(context: Context, club: Club, table: ClubTable, chips: int) -> dict[str, int]:
    """Return equal shares of a table's pool for those who sat there last."""
    latest = club.latest_night(table.id)
    if not chips:
        return {}
    if latest is None:
        raise BadValue(field="pool", wanted="given to somebody: nobody has sat at this table")
    last = context.night(latest.id)
    return split(chips, last.seats, last.carry.dealer)


def _require_idle(club: Club, table: ClubTable) -> None:
    busy = club.open_night(table.id)
    if busy is not None:
        raise TableBusy(field="table", table=table.id, night=busy.id)


def require_banker(club: Club, banker: str | None) -> str | None:
    """Return who is to hold the money: the till, or a member who is there. Raises ``MemberUnknown`` and its like."""
    if banker not in (None, TILL):
        clubs.require_active(club, banker, "banker")
    return banker


def require_family(context: Context, table: ClubTable, book: Rulebook, rulebook: str) -> None:
    """A table's pool is chips of one game; the rules may change, the family of games does not."""
    if book.family != context.pinned(table.digest, table.rulebook).family:
        raise OtherFamily(field="rulebook", rulebook=rulebook, current=table.rulebook)
