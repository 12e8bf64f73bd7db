"""What the place Team is made of, for its parts that show, edit and act."""

from __future__ import annotations

from textual.getters import query_one

from workbench.tui.places.base import Place
from workbench.tui.places.team.model import TeamModel
from workbench.tui.places.team.working import Working
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.widgets.team_lists import TeamHeading, TeamList, VersionList
from workbench.tui.widgets.team_page import TeamAnswers, TeamPage, TeamTitle


class TeamPanes(Place):
    """Panes and state."""

    entries = query_one("#entries", TeamList)
    revisions = query_one("#revisions", VersionList)
    heading = query_one(TeamHeading)
    title_line = query_one(TeamTitle)
    buttons = query_one(TeamAnswers)
    page = query_one("#page", TeamPage)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = TeamModel()
        self.store_work = Working(self, self.model, self.came)

    def came(self) -> None:
        """Something has been read, stored, refused or kept."""
        raise NotImplementedError
