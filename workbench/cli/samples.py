"""`workbench samples`: the compositions that come with the workbench."""

from __future__ import annotations

from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import standard_output
from workbench.config.samples import samples
from workbench.visible import visible_line


def run() -> ExitCode:
    """One line per sample: its name, and what it teaches."""
    output = standard_output()
    found = samples()
    width = max((len(sample.name) for sample in found), default=0)
    for sample in found:
        output.line(output.styled(f"{sample.name:<{width}}", "bold"), f"  {visible_line(sample.description)}")
    return ExitCode.OK
