"""Routing, notes, replies and reviews: with the limits that code enforces.

Source: docs/team.md 11 and 13.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from workbench.prompt import ToolSchema
from workbench.team.desk import Routing, Said
from workbench.team.store.errors import StoreError
from workbench.team.words import check_words, count_words
from workbench.tools.calls import ToolFailure

if TYPE_CHECKING:
    from workbench.team.parts import Role
    from workbench.team.plugin import TeamPrompts
    from workbench.tools.facade import ToolsFacade
    from workbench.tools.runs import ToolRun

ROUTING_WORDS = 30
CHAT_WORDS = 100
NOTE_WORDS = 100
REVIEW_ROUNDS = 3


def _schema(name: str, description: str, properties: dict[str, Any], optional: tuple[str, ...] = ()) -> ToolSchema:
    required = [each for each in properties if each not in optional]
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return ToolSchema(name, description, parameters)


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description}


EVAL = _schema(
    "orchestrator_eval",
    "Read the context of a candidate that waits: its original message and what belongs to it. Nothing is decided "
    "by reading.",
    {"candidate": _text("Id of the candidate.")},
)
ROUTE = _schema(
    "orchestrator_route",
    "Decide several waiting candidates in one call. Every decision is checked first; if one is refused, none is "
    "carried out.",
    {
        "decisions": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "candidate": _text("Id of the candidate."),
                    "to": _text("Id of a Ticket, `new` for a Ticket of its own, or `skip`."),
                    "note": {
                        "type": "string",
                        "description": f"Routing facts, at most {ROUTING_WORDS} words.",
                    },
                },
                "required": ["candidate", "to", "note"],
                "additionalProperties": False,
            },
        }
    },
)
NOTE = _schema(
    "orchestrator_note",
    f"Tell the Executor of a Ticket something that another Ticket brought up, in at most {NOTE_WORDS} words. A "
    "note gives nobody authority.",
    {"ticket": _text("Id of the Ticket."), "text": _text("The note.")},
)
REPLY = _schema(
    "orchestrator_reply",
    f"Write to people under a message, in at most {CHAT_WORDS} words.",
    {"under": _text("Id of the message that is answered."), "text": _text("The message.")},
)
REVIEW = _schema(
    "orchestrator_review_reply",
    "Answer a review submission on a pull request. An automated reviewer is answered for "
    f"{REVIEW_ROUNDS} submissions of a pull request at most.",
    {
        "reviewer": _text("Account of the reviewer."),
        "pull_request": _text("The pull request, such as `owner/name#5`."),
        "submission": _text("Id of the review submission."),
        "automated": {
            "type": "boolean",
            "description": "True for a bot, and for an account that the team regards as one.",
        },
        "text": _text("The answer."),
    },
)
UNRELATED = _schema(
    "orchestrator_thread_unrelated",
    "Detach a Thread that does not belong to this Ticket. It is not answered here; it becomes a candidate again.",
    {"thread": _text("Id of the Thread."), "reason": _text("Why it does not belong here, in one sentence.")},
)


def register_desk_tools(tools: ToolsFacade, team: TeamPrompts, role: Role) -> None:
    """The tools of a role, in the layer of the facade."""
    bodies = _Bodies(team)
    tools.register(REPLY, bodies.reply)
    if role == "orchestrator":
        tools.register(EVAL, bodies.evaluate, is_concurrency_safe=True)
        tools.register(ROUTE, bodies.route)
        tools.register(NOTE, bodies.note)
    else:
        tools.register(REVIEW, bodies.review)
        tools.register(UNRELATED, bodies.unrelated)


class _Bodies:
    def __init__(self, team: TeamPrompts) -> None:
        self._team = team

    async def evaluate(self, arguments: Any, run: ToolRun) -> str:
        candidate = self._team.desk.candidate(arguments["candidate"])
        if candidate is None:
            raise self._unknown([arguments["candidate"]])
        return candidate.context

    async def route(self, arguments: Any, run: ToolRun) -> Any:
        desk = self._team.desk
        decisions = arguments["decisions"]
        unknown = [each["candidate"] for each in decisions if desk.candidate(each["candidate"]) is None]
        if unknown:
            raise self._unknown(unknown)
        twice = [id for id, count in Counter(each["candidate"] for each in decisions).items() if count > 1]
        if twice:
            raise ToolFailure(
                f"decided more than once in this call: {', '.join(twice)}; nothing was routed", "TWICE"
            )
        for number, each in enumerate(decisions, 1):
            count = count_words(each["note"])
            if count > ROUTING_WORDS:
                raise ToolFailure(
                    f"note {number} (candidate {each['candidate']}) has {count} words, and {ROUTING_WORDS} are "
                    "allowed; nothing was routed",
                    "TOO_MANY_WORDS",
                )
        await desk.route([Routing(each["candidate"], each["to"], each["note"]) for each in decisions])
        return {"routed": len(decisions)}

    async def note(self, arguments: Any, run: ToolRun) -> str:
        check_words("the note", arguments["text"], NOTE_WORDS)
        await self._say(run, "note", arguments["ticket"], arguments["text"])
        return "The note was handed over."

    async def reply(self, arguments: Any, run: ToolRun) -> str:
        check_words("the message", arguments["text"], CHAT_WORDS)
        await self._say(run, "reply", arguments["under"], arguments["text"])
        return "The message was sent."

    async def review(self, arguments: Any, run: ToolRun) -> Any:
        reviewer, pull_request = arguments["reviewer"], arguments["pull_request"]
        round: int | None = None
        if arguments["automated"] or self._team.is_bot(reviewer):
            try:
                round = await self._team.store.review_round(
                    reviewer, pull_request, arguments["submission"], REVIEW_ROUNDS
                )
            except StoreError as error:
                raise ToolFailure(str(error), error.code) from None
            if round is None:
                raise ToolFailure(
                    f"{reviewer} has been answered for {REVIEW_ROUNDS} submissions on {pull_request}, which is the "
                    "limit; leave this one unanswered",
                    "review_round_limit",
                )
        details = {key: arguments[key] for key in ("reviewer", "submission", "automated")}
        await self._team.desk.say(Said("review", pull_request, arguments["text"], run.session_id, details))
        return {"round": round}

    async def unrelated(self, arguments: Any, run: ToolRun) -> str:
        await self._say(run, "unrelated", arguments["thread"], arguments["reason"])
        return "The Thread was detached. Do not answer in it."

    async def _say(self, run: ToolRun, kind: str, to: str, text: str) -> None:
        await self._team.desk.say(Said(kind, to, text, run.session_id))

    def _unknown(self, ids: list[str]) -> ToolFailure:
        known = ", ".join(self._team.desk.waiting()) or "none"
        return ToolFailure(
            f"no candidate waits by the name of {', '.join(ids)}; there are: {known}; nothing was decided",
            "UNKNOWN_CANDIDATE",
        )
