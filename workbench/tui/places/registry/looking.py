"""What the inspector needs beside the registry: lines of files, ledgers, and what other scopes read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from textual.dom import DOMNode
from textual.worker import Worker

from workbench.config.registry.facts import GLOBAL, PluginFact, Registration
from workbench.prompt.source import TextSource
from workbench.prompt.views import Preview
from workbench.tui.places.registry.model import RegistryModel
from workbench.tui.view.pieces import Piece, outside
from workbench.tui.view.registry_document import Part, Title, Words
from workbench.tui.view.registry_inspector import Sight, registration_parts, size_of_view
from workbench.tui.view.registry_plugin import plugin_parts
from workbench.tui.view.sizes import Size, Sizes
from workbench.tui.view.source_excerpt import Excerpt, read_excerpt
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.workers import runs, start_worker

REST = 0.3
"""Seconds that an entry has to be looked at before other scopes are assembled for it."""
MOST_SCOPES = 12
"""Scopes that are assembled so."""


class Looking:
    """Reads beside the loop, and shows again when something has come."""

    def __init__(self, place: DOMNode, viewing: Viewing, show: Callable[[], object]) -> None:
        self._place = place
        self._viewing = viewing
        self._show = show
        self._excerpt: Excerpt | None = None
        self._wanted: TextSource | None = None
        self._reading: Worker[None] | None = None
        self._measuring: Worker[None] | None = None
        self._scopes: dict[str, tuple[Preview, Sizes]] = {}
        """Previews of other scopes, until something changes."""

    @property
    def is_busy(self) -> bool:
        """A file or a scope is being read."""
        return runs(self._reading) or runs(self._measuring)

    def forget_sizes(self) -> None:
        """Something is another: other scopes may read something else."""
        self._scopes.clear()
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring = None

    def at(self, model: RegistryModel) -> tuple[object, tuple[Part, ...]]:
        """What is looked at, and what there is to say about it."""
        registration = model.registration
        if registration is not None:
            self._want_source(registration.source, len((registration.text or "").split("\n")))
            self._want_sizes(registration)
            return registration.key, registration_parts(registration, self._sight(model, registration))
        plugin = model.plugin
        if plugin is not None:
            self._want_source(plugin.source, 1)
            return ("plugin", plugin.uid), plugin_parts(plugin, self._sight(model, None, plugin))
        return model.chosen, _group_parts(model)

    def _sight(
        self, model: RegistryModel, registration: Registration | None, plugin: PluginFact | None = None
    ) -> Sight:
        viewing = self._viewing
        subject = viewing.subject
        ledger = subject.ledger(plugin.uid) if plugin is not None and subject is not None else None
        return Sight(
            registry=model.registry,
            preview=viewing.preview,
            sizes=viewing.sizes,
            scope=viewing.scope,
            read=self._sizes_of(registration) if registration is not None else {},
            excerpt=self._excerpt,
            ledger=ledger,
            is_short=self._place.app.size.width < 100,
        )

    # files

    def _want_source(self, source: TextSource | None, lines: int) -> None:
        if source == self._wanted:
            return
        self._wanted = source
        if source is not None:
            self._reading = start_worker(
                self._place, partial(self._read, source, lines), group="registry-source", exclusive=True
            )

    async def _read(self, source: TextSource, lines: int) -> None:
        self._excerpt = await asyncio.to_thread(read_excerpt, source, lines)
        self._show()

    # other scopes

    def _sizes_of(self, registration: Registration) -> dict[str, Size | None]:
        """By the label of the layer, as far as it is known."""
        known = dict(self._scopes)
        if self._viewing.preview is not None:
            known[self._viewing.scope] = self._viewing.preview, self._viewing.sizes
        return {_layer(label): _size_in(registration, preview, sizes) for label, (preview, sizes) in known.items()}

    def _want_sizes(self, registration: Registration) -> None:
        if registration.kind not in ("section", "context", "tool") or self._viewing.subject is None:
            return
        labels = [scope.label for scope in self._viewing.subject.scopes][:MOST_SCOPES]
        missing = [label for label in labels if label != self._viewing.scope and label not in self._scopes]
        if missing and not runs(self._measuring):
            self._measuring = start_worker(
                self._place, partial(self._measure, missing), group="registry-scopes", exclusive=True
            )

    async def _measure(self, labels: list[str]) -> None:
        await asyncio.sleep(REST)
        for label in labels:
            subject = self._viewing.subject
            if subject is None or label not in {scope.label for scope in subject.scopes}:
                return
            preview = await subject.preview(label)
            self._scopes[label] = preview, await subject.sizes(preview)
        self._show()


def _layer(label: str) -> str:
    """The label of a scope as layers bear it."""
    return GLOBAL if label == "(global)" else label


def _size_in(registration: Registration, preview: Preview, sizes: Sizes) -> Size | None:
    kind, name = registration.kind, registration.name
    if kind == "tool":
        tools = (tool for tool in preview.tools if tool.name == name and tool.state == "effective")
        return size_of_view(next(tools, None), sizes)
    entries = preview.sections if kind == "section" else preview.contexts
    found = (each for each in entries if each.name == name and each.state == "effective")
    return size_of_view(next(found, None), sizes)


NOTHING: tuple[Part, ...] = (
    Title((Piece("Nothing is registered.", "strong", bold=True),)),
    Words(()),
    Words(
        (
            Piece(
                "Sections, tools, listeners and services appear here as plugins register them, each with "
                "its owner and its layer.",
                "soft",
            ),
        )
    ),
    Words(()),
    Words((Piece("To see a composition with plugins:", "soft"),)),
    Words((Piece("workbench open coding-agent"),)),
)


def _group_parts(model: RegistryModel) -> tuple[Part, ...]:
    """For a group that is neither an entry nor a plugin."""
    key = model.chosen
    if key is None or not model.registry.registrations:
        return NOTHING
    if key[0] == "layer":
        layer = model.registry.layer(str(key[1]))
        if layer is not None and len(key) == 2:
            around = " → ".join(layer.chain)
            note = f"{layer.note}. " if layer.note else ""
            if len(layer.chain) == 1:
                about = "Everybody reads it; what a nearer layer registers under the same name hides its entries."
                return Title(outside(layer.label, "strong", bold=True), (Piece("layer", "soft"),)), Words(
                    (Piece(about),)
                )
            return (
                Title(outside(layer.label, "strong", bold=True), (Piece("layer", "soft"),)),
                Words((*outside(note), Piece("Its scope reads, nearest first: ", "soft"), *outside(around))),
            )
    title = Title(outside(str(key[-1]), "strong", bold=True))
    return (title, Words((Piece("enter opens and closes it.", "soft"),)))
