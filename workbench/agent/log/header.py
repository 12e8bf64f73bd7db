"""The request header: everything of a request but its messages, recorded whole whenever it changes.

Source: docs/sessions.md 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from workbench.agent.log.errors import LogError
from workbench.agent.log.json_lines import encode_json, frozen_data
from workbench.models.request import CallConfig, ModelRequest
from workbench.values.frozen import EMPTY, FrozenDict

Missing = Literal["system", "tools"]


class RequestHeader:
    """Call configuration, system text and tools in canonical form: what is empty is absent.

    Two headers are equal when their fields are; tools when their JSON text is, key order included.
    Raises `LogError` NOT_JSON for tools that no log can hold.
    """

    __slots__ = ("_tools_json", "adapter_defaults", "config", "not_recorded", "system", "tools")

    config: CallConfig
    adapter_defaults: FrozenDict
    """Values that the adapter filled in, by their key in the configuration."""
    system: str | None
    """None for no system text; never empty."""
    tools: tuple[FrozenDict, ...]
    _tools_json: bytes | None
    not_recorded: frozenset[Missing]
    """Parts for which a recorded log holds a placeholder: shown, never compared as bytes."""

    def __init__(
        self,
        config: CallConfig,
        adapter_defaults: Mapping[str, Any] = EMPTY,
        system: str | None = None,
        tools: Iterable[Mapping[str, Any]] = (),
        not_recorded: Iterable[Missing] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "config", config)
        put(self, "adapter_defaults", frozen_data(adapter_defaults, "adapterDefaults"))
        put(self, "system", system or None)
        put(self, "tools", tuple([frozen_data(tool, f"tools[{index}]") for index, tool in enumerate(tools)]))
        put(self, "not_recorded", frozenset(not_recorded))
        put(self, "_tools_json", None)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"a request header cannot be changed ({name})")

    __delattr__ = __setattr__  # type: ignore[assignment]

    @property
    def tools_json(self) -> bytes:
        """The tools as JSON text, which decides whether two lists are equal."""
        if self._tools_json is None:
            object.__setattr__(self, "_tools_json", encode_json(list(self.tools)))
        return cast(bytes, self._tools_json)

    def request(self, messages: Iterable[FrozenDict]) -> ModelRequest:
        """The request that this header and `messages` make."""
        return ModelRequest(self.config, self.system, self.tools, tuple(messages))

    def changes_to(self, later: RequestHeader) -> tuple[str, ...]:
        """What differs, in the order config, adapter defaults, system, tools; empty when equal."""
        return tuple(
            [
                name
                for name, is_same in (
                    ("config", self.config == later.config),
                    ("adapterDefaults", encode_json(self.adapter_defaults) == encode_json(later.adapter_defaults)),
                    ("system", self.system == later.system),
                    ("tools", self.tools == later.tools and self.tools_json == later.tools_json),
                )
                if not is_same
            ]
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RequestHeader):
            return NotImplemented
        return self is other or not self.changes_to(other)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """`header` of a `request/header` record. What is absent has no key."""
        record: dict[str, Any] = {"config": self.config.to_json()}
        if self.adapter_defaults:
            record["adapterDefaults"] = self.adapter_defaults
        if self.system:
            record["system"] = self.system
        if "tools" in self.not_recorded:
            record["tools"] = "{{tools}}"
        elif self.tools:
            record["tools"] = list(self.tools)
        return record

    @classmethod
    def from_json(cls, record: object) -> RequestHeader:
        """From `header` of a record. Raises `LogError` INVALID_EVENT for what is no header."""
        if not isinstance(record, Mapping) or not isinstance(record.get("config"), Mapping):
            raise LogError("INVALID_EVENT", "a request header is an object with a config")
        system, tools = record.get("system"), record.get("tools", ())
        missing: set[Missing] = set()
        if isinstance(tools, str):
            missing.add("tools")
            tools = ()
            if isinstance(system, str) and _PLACEHOLDER.fullmatch(system):
                missing.add("system")
        is_list = isinstance(tools, list | tuple) and all(isinstance(tool, Mapping) for tool in tools)
        if not (system is None or isinstance(system, str)) or not is_list:
            raise LogError("INVALID_EVENT", "a request header holds a system text and a list of tools")
        try:
            config = CallConfig.from_json(record["config"])
        except ValueError as error:
            raise LogError("INVALID_EVENT", f"the config of a request header: {error}") from None
        defaults = record.get("adapterDefaults", EMPTY)
        if not isinstance(defaults, Mapping):
            raise LogError("INVALID_EVENT", "adapterDefaults of a request header is an object")
        return cls(config, defaults, system, tools, missing)

    def __repr__(self) -> str:
        return f"RequestHeader({self.config.provider}/{self.config.model}, {len(self.tools)} tools)"


_PLACEHOLDER = re.compile(r"\{\{\w+\}\}")
