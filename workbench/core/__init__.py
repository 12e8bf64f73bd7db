"""The plugin runtime: contexts, fibers, effects, services, events and scopes.

Knows nothing of prompts. Source: docs/runtime.md.
"""

from workbench.core.context import Context
from workbench.core.effects import Disposer, Effect, EffectNode
from workbench.core.errors import CoreError
from workbench.core.events import Event
from workbench.core.fiber import Fiber, FiberState
from workbench.core.runtime import ContainedError, Dispatched, Runtime, Waiting
from workbench.core.scopes import Scope, ScopeKey, create_scope, scope_label
from workbench.core.services import Service, ServiceView
from workbench.core.watched_waterfall import ListenerRecord, WaterfallTrace

__all__ = [
    "ContainedError",
    "Context",
    "CoreError",
    "Dispatched",
    "Disposer",
    "Effect",
    "EffectNode",
    "Event",
    "Fiber",
    "FiberState",
    "ListenerRecord",
    "Runtime",
    "Scope",
    "ScopeKey",
    "Service",
    "ServiceView",
    "Waiting",
    "WaterfallTrace",
    "create_scope",
    "scope_label",
]
