"""What a package does to the request while it runs, and what a stop would do.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.tui.view.packages_data import Effect, PackageCard, StopCost
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Rows, Title, Words
from workbench.tui.view.sizes import NOT_EXACT, counted, number


def effect_parts(card: PackageCard, effect: Effect) -> Iterator[Part]:
    """The section *Effect on the request*."""
    if not card.run:
        return
    yield Title((Piece("Effect on the request", "soft", bold=True),), (Piece("as in Prompt", "faint"),))
    if effect.fails:
        yield Words((Piece("× No request can be made: ", "failed", bold=True), *outside(effect.fails)))
    if effect.broke is not None:
        broke = effect.broke
        yield Words(
            (
                Piece("╳ ", "broken", bold=True),
                Piece("broke the prefix at request "),
                *outside(broke.request, "strong", bold=True),
                Piece(", token "),
                _tokens(broke.token, is_exact=broke.is_exact),
                Piece(f": {_count(broke.lost, is_exact=broke.is_exact)} cached tokens were lost", "soft"),
            )
        )
    if effect.cost is not None and effect.cost.adds:
        yield Words(_adds(effect.cost))
    if not effect.parts:
        yield Words((Piece("No section, context or tool of it is in force.", "soft"),))
    yield Rows(
        tuple(
            (
                (Piece("+ ", "added", bold=True), Piece(part.kind.ljust(10), "soft"), *outside(part.name)),
                outside(part.size),
            )
            for part in effect.parts
        )
    )


def _adds(cost: StopCost) -> Line:
    sign, role = ("+ ", "added") if cost.adds > 0 else ("− ", "removed")
    return (
        Piece(sign, "added" if role == "added" else "removed", bold=True),
        Piece(_many(abs(cost.adds), is_exact=cost.is_exact), "strong"),
        Piece(f" {'more' if cost.adds > 0 else 'fewer'} in every request", "text"),
    )


def stop_parts(card: PackageCard, effect: Effect) -> Iterator[Part]:
    """The section *If you stop it*."""
    yield Title((Piece("If you stop it", "soft", bold=True),))
    kinds: dict[str, int] = {}
    for each in card.registrations:
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
    if kinds:
        words = ", ".join(counted(count, kind) for kind, count in kinds.items())
        goes = " goes" if sum(kinds.values()) == 1 else " go"
        yield Words((Piece("− ", "removed", bold=True), *outside(words), Piece(goes)))
    if card.dependents:
        verb = "waits" if len(card.dependents) == 1 else "wait"
        yield Words(
            (Piece("◌ ", "waiting"), *outside(", ".join(card.dependents), "strong"), Piece(f" {verb} again"))
        )
    yield from _break(effect)
    yield Words((Piece("✓ ", "running"), Piece("the proof that nothing is left stands here afterwards", "soft")))


def _break(effect: Effect) -> Iterator[Part]:
    cost = effect.cost
    at: Line = (Piece("╳ ", "broken", bold=True), Piece("the next request breaks at "))
    if cost is None:
        if effect.fails:
            yield Words((Piece("✓ ", "running"), Piece("what keeps the request from being made goes with it")))
        elif effect.first:
            yield Words((*at, *outside(effect.first, "strong")))
        elif effect.parts and all(part.kind == "context" for part in effect.parts):
            yield Words((Piece("✓ ", "running"), Piece("the prefix stays whole: its contexts are appended")))
        return
    if cost.first_token is not None:
        where: Line = (Piece(", ", "soft"), *outside(effect.first, "soft")) if effect.first else ()
        yield Words(
            (
                *at,
                Piece("token "),
                _tokens(cost.first_token, is_exact=cost.is_exact),
                *where,
                Piece(", and reads "),
                Piece(_many(cost.read_anew, is_exact=cost.is_exact), "strong", bold=True),
                Piece(" anew, once"),
            )
        )
    if cost.touches_others:
        words = "it has changed parts of others: what becomes of those is only known afterwards"
        yield Words((Piece("~ ", "changed", bold=True), Piece(words, "soft")))


def _tokens(count: int, *, is_exact: bool) -> Piece:
    return Piece(_count(count, is_exact=is_exact), "strong", bold=True)


def _many(count: int, *, is_exact: bool) -> str:
    return counted(count, "token") if is_exact else f"{NOT_EXACT} {counted(count, 'token')}"


def _count(count: int, *, is_exact: bool) -> str:
    return number(count) if is_exact else f"{NOT_EXACT} {number(count)}"
