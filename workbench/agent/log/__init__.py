"""Session logs: events, storage, the surface that becomes messages, and every request made again from them.

Source: docs/sessions.md.
"""

from workbench.agent.log.canonical import canonical_bytes, digest
from workbench.agent.log.errors import LogError, LogErrorCode
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.open_work import OpenCall, OpenWork, open_work
from workbench.agent.log.prefix import Divergence, first_divergence
from workbench.agent.log.rebuild import (
    RebuiltRequest,
    SentRequest,
    rebuild,
    rebuild_all,
    rebuild_one,
    sent_requests,
)
from workbench.agent.log.session import Repair, Session, fork_seed
from workbench.agent.log.session_header import SessionHeader
from workbench.agent.log.session_log import Refresh, SessionLog
from workbench.agent.log.surface import Surface, fold_surface, project
from workbench.agent.log.surface_ops import Replace, SurfaceOp

__all__ = [
    "Divergence",
    "LogError",
    "LogErrorCode",
    "LoggedEvent",
    "OpenCall",
    "OpenWork",
    "RebuiltRequest",
    "Refresh",
    "Repair",
    "Replace",
    "RequestHeader",
    "SentRequest",
    "Session",
    "SessionHeader",
    "SessionLog",
    "Surface",
    "SurfaceOp",
    "canonical_bytes",
    "digest",
    "first_divergence",
    "fold_surface",
    "fork_seed",
    "open_work",
    "project",
    "rebuild",
    "rebuild_all",
    "rebuild_one",
    "sent_requests",
]
