"""Which calls run, which wait for somebody's permission, and which are refused."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "tool_policy"
inject = ["system_prompt", "tools"]


@dataclass(frozen=True)
class Config(Settings):
    """Names of tools; `*` stands for any characters. What no list names runs at once."""

    ask: tuple[str, ...] = ()
    """Each call waits until somebody allows this one call."""
    deny: tuple[str, ...] = ()
    """Refused, whatever anybody else decides."""
    allow: tuple[str, ...] = ()
    """Exempt from `ask`."""
    context: bool = True
    """False leaves the runtime context `approval:policy` out, for a composition that states it itself."""


def apply(ctx: Context, config: Config) -> None:
    """Listen, guard, and state the policy."""

    async def decide(call: Any, next: Any) -> Any:
        if _names(config.ask, call.name) and not _names(config.allow, call.name):
            from workbench.tools.decisions import Ask

            # Whoever denies behind this listener is asked first: a person decides only about what could run.
            decision = await next()
            if _is_denial(decision):
                return decision
            return Ask("the policy of this composition asks about each call of this tool")
        return await next()

    def guard(call: Any) -> str | None:
        if _names(config.deny, call.name):
            return f"the policy of this composition refuses {call.name!r}"
        return None

    if config.ask:
        ctx.on("tools/pre-execute", decide)
    if config.deny:
        ctx.tools.guard(guard)
    if config.context:
        prompt = ctx.system_prompt
        prompt.context(
            "approval:policy",
            prompt.get_context_order("APPROVAL_POLICY"),
            lambda _context: policy_text(config, ctx.tools.approvals.mode),
            literal=True,
        )


def policy_text(config: Config, mode: str) -> str:
    """What the model is told; empty where every call simply runs."""
    lines = []
    if config.ask:
        asked = f"Calls of {_listed(config.ask)}" + (
            f" (but not of {_listed(config.allow)})" if config.allow else ""
        )
        if mode == "deny":
            lines.append(f"{asked} need a permission, and nobody is here to give it: they are refused.")
        else:
            lines.append(f"{asked} wait until a person allows them, each time. Expect to wait, and ask for little.")
    if config.deny:
        lines.append(f"Calls of {_listed(config.deny)} are refused.")
    if lines:
        lines.append("A refusal is final: do not reach the same by another way.")
    return "\n".join(lines)


def _names(patterns: tuple[str, ...], tool: str) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def _is_denial(decision: Any) -> bool:
    kind = decision.get("kind") if isinstance(decision, dict) else type(decision).__name__.lower()
    return kind == "deny" or decision is None


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
