"""The rules of the workbench, each topic in a file of its own, all in one table."""

from __future__ import annotations

from workbench.check.rule import Rule
from workbench.check.rules.assemblies import ASSEMBLIES, SEVERAL_COMPLETE
from workbench.check.rules.budgets import BUDGET
from workbench.check.rules.characters import CHARACTERS
from workbench.check.rules.control_tokens import CONTROL_TOKEN
from workbench.check.rules.loading import LEFT_OUT, PLUGINS
from workbench.check.rules.missing_tools import MISSING_TOOL
from workbench.check.rules.orders import EQUAL_ORDERS
from workbench.check.rules.references import REFERENCES
from workbench.check.rules.repeated_text import REPEATED_TEXT
from workbench.check.rules.tool_schemas import TOOL_SCHEMA

FIRST_PARTY_RULES: tuple[Rule, ...] = (
    PLUGINS,
    ASSEMBLIES,
    SEVERAL_COMPLETE,
    REFERENCES,
    EQUAL_ORDERS,
    REPEATED_TEXT,
    MISSING_TOOL,
    CHARACTERS,
    CONTROL_TOKEN,
    TOOL_SCHEMA,
    BUDGET,
    LEFT_OUT,
)
