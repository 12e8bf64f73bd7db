"""Bodies of read, write, edit, glob and grep, over the service `fs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.plugins.serving import service
from workbench.tools.decisions import Success

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

Arguments = Mapping[str, Any]


async def read(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """Lines with their numbers; a program gets them without."""
    part = await service(ctx, "fs").read(
        arguments["path"],
        cwd=run.cwd,
        first_line=arguments.get("first_line", 1),
        line_count=arguments.get("line_count", 2000),
    )
    value = {
        "path": part.path,
        "first_line": part.first_line,
        "text": "\n".join(part.lines),
        "next_line": part.next_line,
    }
    numbered = [f"{number}\t{line}" for number, line in enumerate(part.lines, part.first_line)]
    if part.next_line is not None:
        numbered.append(f"[The file goes on. Read on with first_line {part.next_line}.]")
    return Success(value, "\n".join(numbered) or "[The file is empty.]")


async def write(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """Say what was written."""
    written = await service(ctx, "fs").write_text(arguments["path"], arguments["content"], cwd=run.cwd)
    value = {"path": written.path, "is_new": written.is_new, "bytes": written.size}
    verb = "Created" if written.is_new else "Replaced"
    return Success(value, f"{verb} {written.path} ({written.size} bytes).")


async def edit(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """Say how many passages were replaced, and where the first one stood."""
    edited = await service(ctx, "fs").replace(
        arguments["path"],
        arguments["old"],
        arguments["new"],
        occurrences=arguments.get("occurrences", 1),
        cwd=run.cwd,
    )
    value = {"path": edited.path, "replaced": edited.replaced, "first_line": edited.first_line}
    passages = "1 passage" if edited.replaced == 1 else f"{edited.replaced} passages"
    return Success(value, f"Replaced {passages} in {edited.path}, from line {edited.first_line} on.")


async def glob(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """Paths, one a line."""
    found = await service(ctx, "fs").glob(
        arguments["pattern"],
        directory=arguments.get("directory"),
        limit=arguments.get("limit", 100),
        cwd=run.cwd,
    )
    lines = list(found.paths)
    if found.total > len(lines):
        lines.append(f"[{found.total - len(lines)} more files match; narrow the pattern.]")
    return Success({"paths": list(found.paths), "total": found.total}, "\n".join(lines) or "[No file matches.]")


async def grep(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """Matching lines by file, with their numbers."""
    options = {
        name: arguments[name] for name in ("literal", "ignore_case", "files", "context_lines") if name in arguments
    }
    found = await service(ctx, "fs").grep(
        arguments["pattern"],
        directory=arguments.get("directory"),
        limit=arguments.get("limit", 200),
        cwd=run.cwd,
        **options,
    )
    shown: list[str] = []
    matches: list[dict[str, Any]] = []
    for path, lines in found.files:
        before = 0
        for line in lines:
            if before and line.number > before + 1:
                shown.append("--")
            before = line.number
            shown.append(f"{path}:{line.number}{':' if line.matches else '-'} {line.text}")
            if line.matches:
                matches.append({"path": path, "line": line.number, "text": line.text})
    if found.is_cut:
        shown.append(f"[The limit of {found.count} matches was reached; there may be more.]")
    return Success({"matches": matches, "is_cut": found.is_cut}, "\n".join(shown) or "[No line matches.]")
