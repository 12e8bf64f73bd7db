"""What the commands of `workbench prompts` do.

Source: docs/team.md 15.
"""

from __future__ import annotations

import json as json_module
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workbench.cli.diagnostics import print_error, print_notes
from workbench.cli.exit_codes import ExitCode
from workbench.cli.formats.as_team import (
    differences,
    history_lines,
    list_lines,
    part_json,
    version_json,
)
from workbench.cli.output import standard_error, standard_output
from workbench.team.builtin import rendered
from workbench.team.comparing import TextChange, changed_texts, default_review
from workbench.team.parts import SECTION_HEADINGS
from workbench.team.problems import Conflict, Refused
from workbench.team.snapshot import TeamSnapshot
from workbench.team.validation import size_of
from workbench.team.version import Saved, Version

FORMAT = 1
"""Of exported files; counts up when a key changes its meaning."""


class Unusable(Exception):
    """The command cannot go on; the text says why, and what to do."""


def run(command: str, store: str | None, *, json: bool, **arguments: Any) -> ExitCode:
    """One command. Every error is said on standard error, and with `--json` on standard output, too."""
    errors = standard_error()
    try:
        from workbench.team.store.errors import StoreError
        from workbench.team.store.versions import VersionStore
    except ModuleNotFoundError as error:
        print_error(f"{error.name} is not installed; install the extra: prompt-workbench[team]", errors)
        return ExitCode.UNUSABLE
    try:
        with closing(VersionStore(store, create=store is None or command in _WRITING)) as opened:
            return _Commands(opened, json)(command, **arguments)
    except Refused as refused:
        if json:
            standard_output().json(_dumped({"ok": False, "problems": refused.to_json()}))
        for problem in refused.problems:
            print_error(str(problem), errors)
        if isinstance(refused, Conflict):
            print_notes([f"see `workbench prompts diff {refused.base} {refused.newest}`"], errors)
            return ExitCode.CONFLICT
        return ExitCode.FOUND
    except StoreError as error:
        if json:
            standard_output().json(
                _dumped({"ok": False, "problems": [{"code": error.code, "message": str(error)}]})
            )
        print_error(str(error), errors)
        is_file = "://" not in error.store
        if error.code == "STORE_UNAVAILABLE" and is_file and not Path(error.store).exists():
            print_notes(["a store begins with its first save: `save`, `edit` and `import` make it"], errors)
        return ExitCode.UNUSABLE
    except Unusable as unusable:
        print_error(str(unusable), errors)
        return ExitCode.UNUSABLE


_WRITING = ("edit", "save", "restore", "import")


class _Commands:
    """All of them, on one open store."""

    def __init__(self, store: Any, json: bool) -> None:
        self._store = store
        self._json = json
        self._output = standard_output()
        self._errors = standard_error()

    def __call__(self, command: str, **arguments: Any) -> ExitCode:
        function = getattr(self, f"_{command}")
        result: ExitCode = function(**arguments)
        return result

    # -- reading -----------------------------------------------------------------------------------------

    def _list(self) -> ExitCode:
        snapshot = self._store.snapshot()
        if self._json:
            parts = [part_json(view) for view in snapshot.parts()]
            facts = {"ok": True, "store": self._store.label, "revision": snapshot.revision}
            self._answer(
                {**facts, "bytes": size_of(snapshot.config), "limit": self._store.limits.size, "parts": parts}
            )
        else:
            self._output.lines(list_lines(snapshot, self._store.label, self._store.limits.size, self._output))
        return ExitCode.OK

    def _show(self, part: str, revision: str | None, default: bool) -> ExitCode:
        snapshot = self._at(revision)
        text = self._default_of(snapshot, part) if default else self._text_of(snapshot, part)
        if not self._json:
            self._output.text(text)
        elif part in snapshot.builtins.parts:
            self._answer({"ok": True, "revision": snapshot.revision, **part_json(snapshot.part(part), texts=True)})
        else:
            self._answer({"ok": True, "revision": snapshot.revision, "part": part, "effective": text})
        return ExitCode.OK

    def _diff(self, revisions: list[str], part: str | None) -> ExitCode:
        if len(revisions) > 2:
            raise Unusable("diff compares two revisions; name at most two")
        if part is not None:
            if revisions:
                raise Unusable("diff compares two revisions, or with --part the three texts of one part; ask one")
            return self._diff_part(part)
        newest = self._store.newest_revision()
        numbers = [self._number(each) for each in revisions]
        if len(numbers) < 2:
            numbers = [max(numbers[0] - 1, 0), numbers[0]] if numbers else [0, newest]
        before, after = (self._at(str(number)) for number in numbers)
        names = (f"revision {numbers[0]}", f"revision {numbers[1]}")
        changes = changed_texts(before, after)
        if self._json:
            texts = [asdict(each) for each in changes]
            self._answer(
                {"ok": True, "same": not changes, "before": numbers[0], "after": numbers[1], "texts": texts}
            )
        return self._differing(changes, names)

    def _diff_part(self, part: str) -> ExitCode:
        snapshot = self._store.snapshot()
        if part not in snapshot.builtins.parts:
            raise Unusable(f"only a part has a default; {part!r} is none of: {', '.join(snapshot.builtins.parts)}")
        view = snapshot.part(part)
        texts = default_review(view)
        if self._json:
            self._answer({"ok": True, **part_json(view, texts=True)})
        sides = (("default", texts.theirs), ("ours", texts.ours))
        found = [self._differing([TextChange(part, texts.base, side)], ("base", name)) for name, side in sides]
        if view.override is None:
            print_notes([f"{part} follows its default"], self._errors)
        return max(found)

    def _differing(self, changes: Sequence[TextChange], names: tuple[str, str]) -> ExitCode:
        changed = [each for each in changes if each.before != each.after]
        if not self._json:
            for text in differences(changed, names):
                self._output.text(text)
        return ExitCode.FOUND if changed else ExitCode.OK

    def _versions(self, limit: str, before: str | None) -> ExitCode:
        most = self._number(limit)
        lines = self._store.history(None if before is None else self._number(before), most)
        if self._json:
            self._answer({"ok": True, "versions": [version_json(line) for line in lines]})
        else:
            self._output.lines(history_lines(lines))
        return ExitCode.OK

    def _export(self, file: str | None, revision: str | None) -> ExitCode:
        snapshot = self._at(revision)
        document = {"format": FORMAT, "revision": snapshot.revision, "config": snapshot.config.as_proposal()}
        text = json_module.dumps(document, ensure_ascii=False, indent=2)
        if file is None:
            self._output.json(text)
            return ExitCode.OK
        try:
            Path(file).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise Unusable(f"{file} cannot be written: {error.strerror or error}") from None
        return ExitCode.OK

    def _check(self, file: str | None) -> ExitCode:
        newest = self._store.newest_revision()
        snapshot = self._store.snapshot()
        proposal = snapshot.config.as_proposal() if file is None else self._proposal(file, reviewed=False)
        accepted = self._store.check(proposal, newest)
        changed = snapshot.default_changed if file is None else ()
        dropped = accepted.dropped_parts
        if self._json:
            facts = {"revision": newest, "bytes": accepted.bytes, "limit": self._store.limits.size}
            self._answer(
                {"ok": not changed, **facts, "default_changed": list(changed), "dropped_parts": list(dropped)}
            )
        else:
            self._output.lines(
                f"{key}: the default has changed; see `workbench prompts diff --part {key}`" for key in changed
            )
        self._note_dropped(dropped)
        return ExitCode.FOUND if changed else ExitCode.OK

    # -- writing -----------------------------------------------------------------------------------------

    def _save(
        self, part: str, file: str | None, default: bool, about: str | None, base: str | None, reviewed: bool
    ) -> ExitCode:
        if default == (file is not None):
            raise Unusable("name the FILE that holds the text, `-` for standard input, or give --default")
        if about is not None and (default or part in self._store.builtins.parts or not part.startswith("skill/")):
            raise Unusable("--about describes a skill of the team; built-in skills keep their description")
        text = None if file is None else _read(file)
        return self._saved(self._save_text(part, text, self._base(base), reviewed, about))

    def _save_text(self, part: str, text: str | None, base: int, reviewed: bool, about: str | None = None) -> Saved:
        newest: Version = self._store.newest()
        if newest.revision != base:
            raise Conflict(base, newest.revision)
        proposal = newest.config.as_proposal()
        snapshot = self._store.snapshot()
        if part in SECTION_HEADINGS:
            proposal["sections"][part] = self._default_of(snapshot, part) if text is None else text
        elif part in snapshot.builtins.parts or not part.startswith("skill/"):
            overrides = proposal["overrides"]
            if text is None:
                overrides.pop(part, None)
            else:
                given = overrides.get(part, {})
                overrides[part] = {**given, "text": text}
                if reviewed and part in snapshot.builtins.parts:
                    overrides[part]["base"] = snapshot.part(part).default_sha256
        else:
            _put_skill(proposal["skills"], part.removeprefix("skill/"), text, about)
        saved: Saved = self._store.save(proposal, base, "panel")
        return saved

    def _edit(self, part: str, reviewed: bool) -> ExitCode:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            raise Unusable("set EDITOR to the program that edits texts, or use `workbench prompts save PART FILE`")
        newest = self._store.newest_revision()
        before = self._text_of(self._store.snapshot(), part)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", prefix="prompt-", suffix=".md", delete=False
        ) as file:
            file.write(before + "\n")
        code = subprocess.run([*shlex.split(editor), file.name], check=False).returncode
        text = _read(file.name)
        if code:
            raise Unusable(f"{editor} ended with {code}; what was edited is in {file.name}")
        if rendered(text) == rendered(before):
            os.unlink(file.name)
            print_notes(["nothing was changed, and nothing saved"], self._errors)
            return ExitCode.OK
        try:
            saved = self._save_text(part, text.removesuffix("\n"), newest, reviewed)
        except Exception as error:
            base = error.newest if isinstance(error, Conflict) else newest
            again = f"`workbench prompts save {shlex.quote(part)} {shlex.quote(file.name)} --base {base}`"
            print_notes([f"what was edited is in {file.name}; after you have mended it: {again}"], self._errors)
            raise
        os.unlink(file.name)
        return self._saved(saved)

    def _restore(self, revision: str, base: str | None) -> ExitCode:
        wanted = "defaults" if revision == "defaults" else self._number(revision)
        return self._saved(self._store.restore(wanted, self._base(base)))

    def _import(self, file: str, base: str | None, reviewed: bool) -> ExitCode:
        return self._saved(self._store.save(self._proposal(file, reviewed), self._base(base)))

    def _saved(self, saved: Saved) -> ExitCode:
        if self._json:
            self._answer({"ok": True, "dropped_parts": list(saved.dropped_parts), **version_json(saved.version)})
        else:
            changes = ", ".join(saved.version.changes) or "nothing else than before"
            self._output.line(f"revision {saved.version.revision}: {changes}")
        self._note_dropped(saved.dropped_parts)
        return ExitCode.OK

    # -- the parts of it ---------------------------------------------------------------------------------

    def _note_dropped(self, parts: tuple[str, ...]) -> None:
        print_notes((f"{part} no longer exists, and its text is dropped" for part in parts), self._errors)

    def _at(self, revision: str | None) -> TeamSnapshot:
        if revision is None:
            snapshot: TeamSnapshot = self._store.snapshot()
            return snapshot
        version = self._store.version(self._number(revision))
        return TeamSnapshot(version.revision, version.policy_version, version.config, self._store.builtins)

    def _base(self, given: str | None) -> int:
        return self._number(given) if given is not None else self._store.newest_revision()

    def _number(self, given: str) -> int:
        if given.isascii() and given.isdigit():
            return int(given)
        raise Unusable(f"{given!r} is no revision: a whole number from 0")

    def _text_of(self, snapshot: TeamSnapshot, part: str) -> str:
        if part in SECTION_HEADINGS:
            return rendered(getattr(snapshot.config.sections, part))
        if part in snapshot.builtins.parts:
            return snapshot.effective(part)
        content = snapshot.skill_content(part.removeprefix("skill/")) if part.startswith("skill/") else None
        if content is None:
            raise Unusable(f"there is no part {part!r}; there are: {', '.join(self._names(snapshot))}")
        return content

    def _default_of(self, snapshot: TeamSnapshot, part: str) -> str:
        if part in SECTION_HEADINGS:
            return snapshot.builtins.sections[part]
        if part in snapshot.builtins.parts:
            return snapshot.builtins.parts[part].text
        raise Unusable(f"{part!r} has no default")

    def _names(self, snapshot: TeamSnapshot) -> list[str]:
        skills = [f"skill/{skill.name}" for skill in snapshot.config.skills]
        return [*snapshot.builtins.parts, *SECTION_HEADINGS, *skills]

    def _proposal(self, file: str, reviewed: bool) -> Any:
        try:
            document = json_module.loads(_read(file))
        except (ValueError, RecursionError) as error:
            raise Unusable(f"{file} is no JSON: {error}") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT or "config" not in document:
            raise Unusable(f"{file} is not what `workbench prompts export` writes (format {FORMAT})")
        config = document["config"]
        if reviewed and isinstance(config, dict) and isinstance(config.get("overrides"), dict):
            for key, override in config["overrides"].items():
                part = self._store.builtins.parts.get(key)
                if isinstance(override, dict) and part is not None:
                    override["base"] = part.sha256
        return config

    def _answer(self, document: dict[str, Any]) -> None:
        self._output.json(_dumped(document))


def _put_skill(skills: list[dict[str, str]], name: str, content: str | None, about: str | None) -> None:
    """With another content or description of a skill, or without it. Raises `Unusable`."""
    found = next((skill for skill in skills if skill["name"] == name), None)
    if found is None and (content is None or about is None):
        raise Unusable(f"the team has no skill {name!r}; say what a new one is for with --about")
    if found is None:
        found = {"name": name, "description": "", "content": ""}
        skills.append(found)
    if content is None:
        skills.remove(found)
        return
    found["content"] = content
    if about is not None:
        found["description"] = about


def _dumped(document: object) -> str:
    return json_module.dumps(document, ensure_ascii=False, indent=2)


def _read(file: str) -> str:
    """The text of a file or of standard input, as it is. Raises `Unusable`."""
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise Unusable(f"{file} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Unusable(f"{file} is not UTF-8: byte {error.start}") from None
