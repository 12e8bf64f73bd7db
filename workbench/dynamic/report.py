"""The report of a request, as text that can be copied: who asked, what for, what it changes, who answered.

Outside text in it is made visible by whoever shows it. Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

from datetime import UTC, datetime

from workbench.dynamic.requests import Request
from workbench.dynamic.trial import TrialResult


def request_report(request: Request) -> str:
    """A few lines; no code."""
    host, client = request.digests
    lines = [
        f"Request {request.id}: run {request.package_id} r{request.revision} ({request.name})",
        f"asked by: session {request.asked_by}, {_at(request.asked_at)}",
        f"purpose: {request.purpose}",
        f"host half: {_digest(host)}",
        f"browser half: {_digest(client)}",
        *trial_lines(request.trial),
    ]
    answer = request.answer
    if answer is None:
        lines.append(f"answer: none{'' if request.outcome is None else f' ({request.outcome})'}")
    else:
        word = "allowed" if answer.allows else "denied"
        reason = f" ({answer.reason})" if answer.reason else ""
        lines.append(f"answer: {word} by {answer.by}, {_at(answer.at)}{reason}")
        lines.append(f"outcome: {request.outcome or 'under way'}")
    return "\n".join(lines)


def trial_lines(trial: TrialResult | None) -> list[str]:
    """What a what-if has shown."""
    if trial is None:
        return ["what-if: not tried"]
    why = f": {trial.message}" if trial.message else ""
    lines = [f"what-if of r{trial.revision}, {_at(trial.at)}: {trial.outcome}{why}"]
    lines += [f"  registers {node.label}" for node in trial.registrations]
    change = trial.change
    if change is not None:
        for part in change.parts:
            lines.append(
                f"  {part.action} {part.kind} {part.name} ({len(part.before)} → {len(part.after)} characters)"
            )
        for context in change.contexts:
            lines.append(f"  {context.action} context {context.name}")
        if change.first_token is None:
            lines.append("  cost: none, the prefix stays whole")
        else:
            lines.append(
                f"  cost: the prefix breaks at token {change.kept.label.sign}{change.first_token:,}; "
                f"{change.read_anew} tokens of system text and tools are read anew"
                + (f", and ≈ {trial.conversation:,} of the conversation behind them" if trial.conversation else "")
            )
    if trial.residue is not None:
        lines.append(f"  residue: {trial.residue.words}")
    return lines


def _digest(digest: str | None) -> str:
    return "none" if digest is None else f"sha256 {digest}"


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
