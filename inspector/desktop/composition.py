"""The inspector as a whole: views, session, actions and the window, each told of the others. Composition only."""

from subprocess import Popen

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication

from inspector import __version__
from inspector.desktop.actions.about import about
from inspector.desktop.actions.cancel import CancelAction
from inspector.desktop.actions.open_file import OpenFileAction
from inspector.desktop.detail.view import DetailPane
from inspector.desktop.digests.view import ModelsView
from inspector.desktop.main_window import MainWindow, Views, WindowActions
from inspector.desktop.recovery.view import RecoveryView
from inspector.desktop.selection import Selection
from inspector.desktop.session.acting import Acting
from inspector.desktop.session.file_checks import FileChecks
from inspector.desktop.session.launch import Target
from inspector.desktop.session.session import Session
from inspector.desktop.settings import Settings
from inspector.desktop.start.view import StartView
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.widgets.theme import Theme, apply_theme
from inspector.desktop.wiring.detail import DetailWiring
from inspector.desktop.wiring.frame import NOTICE_MS, FrameWiring
from inspector.desktop.wiring.models import ModelsWiring
from inspector.desktop.wiring.recovery import RecoveryWiring
from inspector.desktop.wiring.tasks import TasksWiring
from inspector.desktop.zone import local_zone
from inspector.layout.opened import Mode
from inspector.layout.pages import ModelPage, TaskFilter
from inspector.layout.visible import visible


class Inspector:
    """One window on at most one database. Make it inside the running asyncio loop; :meth:`ended` takes it apart."""

    def __init__(self, app: QApplication, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self.session = Session()
        self.selection = Selection()
        self.checks = FileChecks()
        zone = local_zone()
        views = Views(TasksView(zone), DetailPane(zone), ModelsView(zone), RecoveryView(zone), StartView())
        self.window = MainWindow(views, zone)
        self._tasks = TasksWiring(views.tasks, self.session, self.selection)
        self._detail = DetailWiring(views.detail, self.session, self.selection, settings, self._on_missing_task)
        self._models = ModelsWiring(views.models, self.session, self.checks, self._on_models)
        self._recovery = RecoveryWiring(views.recovery, self.session)
        words = {
            "tasks": views.tasks.shown_sentence,
            "models": self._models.summary,
            "recovery": self._recovery.summary,
        }
        self.frame = FrameWiring(self.window, self.session, settings, zone, words)
        self.cancel = CancelAction(self.session)
        self._opening = OpenFileAction(self.window)
        self._connect_views()
        actions = self._make_actions()
        self.window.make_menus(actions, settings.theme())
        app.styleHints().colorSchemeChanged.connect(self._on_color_scheme_changed)
        geometry = settings.geometry()
        if geometry is not None:
            self.window.restoreGeometry(geometry)

    def open(self, target: Target, *, task_id: str | None = None, reader: "Popen[bytes] | None" = None) -> None:
        """Open a file instead of what is open, with this task selected; ``reader`` is its reader if it runs already."""
        self._forget()
        self.selection.select(task_id)
        self.session.open(target, reader)

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme, and remember it."""
        self._settings.keep_theme(theme)
        apply_theme(self._app, theme)

    def _on_color_scheme_changed(self) -> None:
        if self._settings.theme() is Theme.SYSTEM:
            apply_theme(self._app, Theme.SYSTEM)

    async def ended(self) -> None:
        """Stop reading, wait for what still runs, and remember the window's place."""
        self._settings.keep_geometry(self.window.saveGeometry())
        self._app.styleHints().colorSchemeChanged.disconnect(self._on_color_scheme_changed)
        self.frame.stop()
        self.session.close()
        await self.checks.closed()
        await self.session.ended()

    def _connect_views(self) -> None:
        views = self.window.views
        views.tasks.cancel_requested.connect(self._ask_cancel)
        views.tasks.opened_in_detail.connect(lambda _task_id: views.detail.setFocus())
        views.detail.cancel_requested.connect(self.cancel.cancel)
        self.cancel.done.connect(views.detail.show_cancel_outcome)
        views.recovery.task_requested.connect(self._show_task)
        views.models.model_tasks_requested.connect(self._show_tasks_of_model)
        views.start.open_requested.connect(lambda: self._opening.choose())
        views.start.copy_requested.connect(lambda: self._opening.choose(Mode.COPY))
        views.start.recent_requested.connect(lambda path: self.open(Target(path)))
        views.start.recent_cleared.connect(self._forget_recent)
        self._opening.chosen.connect(self.open)
        self.window.file_dropped.connect(lambda path: self.open(Target(path)))
        self.window.view_changed.connect(self._on_view_changed)
        self.window.theme_requested.connect(lambda name: self.set_theme(Theme(name)))

    def _make_actions(self) -> WindowActions:
        window = self.window
        session = self.session

        def action(word: str, shortcut: QKeySequence | QKeySequence.StandardKey | str | None = None) -> QAction:
            made = QAction(window.tr(word), window)
            if shortcut is not None:
                made.setShortcut(QKeySequence(shortcut))
            return made

        actions = WindowActions(
            open=action("Open…", QKeySequence.StandardKey.Open),
            open_copy=action("Open as a copy…"),
            close_file=action("Close file", "Ctrl+W"),
            quit=action("Quit", "Ctrl+Q"),
            find=action("Filter tasks", QKeySequence.StandardKey.Find),
            pause=action("Pause", "Ctrl+P"),
            content=action("Show content"),
            allow=action("Allow actions on this file"),
            cancel=action("Cancel task…", "Ctrl+Del"),
            copy_id=action("Copy task id", "Ctrl+Shift+C"),
            about=action("About LMSP Inspector"),
        )
        actions.content.setCheckable(True)
        actions.content.triggered.connect(self._detail.set_content_shown)
        window.about_to_show_view_menu.connect(lambda: actions.content.setChecked(self._detail.content_shown))
        actions.allow.setCheckable(True)
        actions.allow.setEnabled(False)
        actions.open.triggered.connect(lambda: self._opening.choose())
        actions.open_copy.triggered.connect(lambda: self._opening.choose(Mode.COPY))
        actions.close_file.triggered.connect(self._close_file)
        actions.quit.triggered.connect(window.close)
        actions.find.triggered.connect(self._find)
        actions.pause.triggered.connect(lambda: session.resume() if session.is_paused else session.pause())
        session.pause_changed.connect(lambda paused: actions.pause.setText(window.tr("Resume" if paused else "Pause")))
        actions.allow.toggled.connect(session.allow_actions)
        session.acting_changed.connect(lambda acting: _show_allowance(actions.allow, acting))
        actions.cancel.triggered.connect(self._ask_cancel_selected)
        actions.copy_id.triggered.connect(self._copy_id)
        actions.about.triggered.connect(self._show_about)
        return actions

    def _on_models(self, page: ModelPage) -> None:
        self.window.views.tasks.show_models(tuple(model.id for model in page.models))
        self.window.views.detail.set_names({model.id: model.name for model in page.models}, {})

    def _on_missing_task(self, task_id: str) -> None:
        self.window.show_notice(f"There is no task {visible(task_id)} in this file.", NOTICE_MS)

    def _show_about(self) -> None:
        how = self.session.how
        about(self.window, __version__, None if how is None else how.sqlite_version)

    def _ask_cancel(self, task_id: str) -> None:
        why_not = self.session.acting.why_not
        if why_not is not None:
            self.window.show_notice(why_not, NOTICE_MS)
        self.selection.select(task_id)
        self.window.show_view("tasks")
        self.window.views.detail.ask_cancel(task_id)

    def _ask_cancel_selected(self) -> None:
        if self.selection.task_id is not None:
            self._ask_cancel(self.selection.task_id)

    def _copy_id(self) -> None:
        if self.selection.task_id is not None:
            self._app.clipboard().setText(self.selection.task_id)

    def _find(self) -> None:
        if self.session.how is not None:
            self.window.show_view("tasks")
            self.window.views.tasks.focus_search()

    def _show_task(self, task_id: str) -> None:
        self.selection.select(task_id)
        self.window.show_view("tasks")

    def _show_tasks_of_model(self, model_id: str) -> None:
        self.window.show_view("tasks")
        self.window.views.tasks.want(TaskFilter(model_id=model_id))

    def _on_view_changed(self, name: str) -> None:
        self._models.set_on_screen(name == "models")
        self._recovery.set_on_screen(name == "recovery")
        self.frame.tick()

    def _close_file(self) -> None:
        self._forget()
        self.selection.select(None)
        self.frame.close_file()

    def _forget(self) -> None:
        """Leave nothing of the file that was open on screen."""
        self.checks.forget()
        self.window.views.models.clear()
        self.window.views.recovery.clear()

    def _forget_recent(self) -> None:
        self._settings.forget_recent()
        self.frame.show_recent()


def _show_allowance(action: QAction, acting: Acting) -> None:
    """Offer to allow actions exactly where that is the user's to decide."""
    action.setEnabled(acting.needs_allowance)
    action.blockSignals(True)
    action.setChecked(acting.needs_allowance and acting.may_act)
    action.blockSignals(False)
