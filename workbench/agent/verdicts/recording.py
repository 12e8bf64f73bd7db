"""The record `request/parts`: who wrote which stretch of the system text, and whose the tools are.

It stands behind a `request/header`, is ignorable, and is never needed to rebuild anything.
Source: docs/sessions.md 13.
"""

from __future__ import annotations

from typing import Any

from workbench.prompt.views import Owner, Preview

TYPE = "request/parts"


def parts_record(preview: Preview, header_seq: int) -> dict[str, Any] | None:
    """Data of the record for the request that `preview` shows; None when it has no text to speak of."""
    if preview.system is None:
        return None
    stretches: list[dict[str, Any]] = []
    for span in preview.spans:
        said: dict[str, Any] = {"name": span.name, **_owner(span.owner)}
        if span.variable is not None:
            said["variable"] = span.variable
        if span.listener:
            said["listener"] = True
        length = span.end - span.start
        if stretches and {**stretches[-1], "length": 0} == {**said, "length": 0}:
            stretches[-1]["length"] += length
        else:
            stretches.append({**said, "length": length})
    record: dict[str, Any] = {"headerSeq": header_seq, "system": stretches}
    tools = [{"name": tool.name, **_owner(tool.owner)} for tool in preview.tools if tool.state == "effective"]
    if tools:
        record["tools"] = tools
    remarks = [
        {**_owner(listener.owner), "words": f"{change.kind} {change.name}: {change.remark}"}
        for listener in preview.trace.listeners
        for change in listener.changes
        if change.remark
    ]
    if remarks:
        record["remarks"] = remarks
    return record


def _owner(owner: Owner) -> dict[str, str]:
    return {"owner": owner.plugin, "kind": owner.kind}
