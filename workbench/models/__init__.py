"""Model providers: stream chunks, requests, the `models` service, and providers that are scripted, replayed
or behind HTTP.

Source: docs/models.md.
"""

from workbench.models.chunks import Block, Chunk, Failure, Usage
from workbench.models.errors import ModelError, failure_of
from workbench.models.frozen import FrozenDict, FrozenJson, FrozenList, NotJson, freeze, thaw
from workbench.models.provider import ModelCall, ModelProvider
from workbench.models.request import CallConfig, ModelRequest

__all__ = [
    "Block",
    "CallConfig",
    "Chunk",
    "Failure",
    "FrozenDict",
    "FrozenJson",
    "FrozenList",
    "ModelCall",
    "ModelError",
    "ModelProvider",
    "ModelRequest",
    "NotJson",
    "Usage",
    "failure_of",
    "freeze",
    "thaw",
]
