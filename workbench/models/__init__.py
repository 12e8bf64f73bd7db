"""Model providers: stream chunks, requests, the `models` service, and providers that are scripted, replayed
or behind HTTP.

Source: docs/models.md.
"""

from workbench.models.assembler import BlockAssembler
from workbench.models.attempt import attempt
from workbench.models.chunks import Block, Chunk, Failure, Usage
from workbench.models.errors import ModelError, failure_of
from workbench.models.provider import ModelCall, ModelProvider
from workbench.models.request import CallConfig, ModelRequest
from workbench.models.retry import RetryPolicy, delay_ms
from workbench.models.service import Models, ModelsFacade, ProviderRefused
from workbench.values.frozen import FrozenDict, FrozenJson, FrozenList, NotJson, freeze, thaw

__all__ = [
    "Block",
    "BlockAssembler",
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
    "Models",
    "ModelsFacade",
    "NotJson",
    "ProviderRefused",
    "RetryPolicy",
    "Usage",
    "attempt",
    "delay_ms",
    "failure_of",
    "freeze",
    "thaw",
]
