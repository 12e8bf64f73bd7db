"""The case format as models: what a case file may say, and nothing else.

Source: docs/cases.md. Unknown keys, kinds and ops are errors: a misspelt expectation must never pass.
"""

from workbench.check.case_format.document import (
    Assemble,
    Case,
    CaseDocument,
    Expect,
    ExpectedError,
    ServiceConfig,
    Stage,
)

__all__ = ["Assemble", "Case", "CaseDocument", "Expect", "ExpectedError", "ServiceConfig", "Stage"]
