"""The views of a window: the tasks from the start, every other one when it is first wanted."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from inspector.desktop.late import Late
from inspector.desktop.tasks.view import TasksView

if TYPE_CHECKING:
    from inspector.desktop.detail.view import DetailPane
    from inspector.desktop.digests.view import ModelsView
    from inspector.desktop.recovery.view import RecoveryView
    from inspector.desktop.search.view import SearchView
    from inspector.desktop.start.view import StartView
    from inspector.desktop.tables.view import TablesView


class Views:
    """The views by name. Asking for one builds it; the ``late_`` ones say what is to be done once it is there."""

    def __init__(
        self,
        tasks: TasksView,
        *,
        detail: "Late[DetailPane]",
        models: "Late[ModelsView]",
        recovery: "Late[RecoveryView]",
        search: "Late[SearchView]",
        tables: "Late[TablesView]",
        start: "Late[StartView]",
    ) -> None:
        self.tasks = tasks
        self.late_detail = detail
        self.late_models = models
        self.late_recovery = recovery
        self.late_search = search
        self.late_tables = tables
        self.late_start = start

    @property
    def late_pages(self) -> Mapping[str, Late[QWidget]]:
        """Those that fill the window by themselves, by the names that the window has for them."""
        return MappingProxyType(
            {
                "models": self.late_models,
                "search": self.late_search,
                "recovery": self.late_recovery,
                "tables": self.late_tables,
                "start": self.late_start,
            },
        )

    def build(self, name: str) -> None:
        """Build the page of this name, if it never was; the tasks are always there."""
        page = self.late_pages.get(name)
        if page is not None:
            page()

    @property
    def detail(self) -> "DetailPane":
        """The pane of the selected task, beside the tasks."""
        return self.late_detail()

    @property
    def models(self) -> "ModelsView":
        """The models and their files."""
        return self.late_models()

    @property
    def recovery(self) -> "RecoveryView":
        """What a restart would do."""
        return self.late_recovery()

    @property
    def search(self) -> "SearchView":
        """The search of all events for a text."""
        return self.late_search()

    @property
    def tables(self) -> "TablesView":
        """Any table as it is stored."""
        return self.late_tables()

    @property
    def start(self) -> "StartView":
        """What a window without a file shows."""
        return self.late_start()
