"""The inspector as a whole: views, session, actions and the window, each told of the others. Composition only.

What is not seen at once is imported and made late: the first page of tasks waits for nothing else.
"""

# ruff: noqa: PLC0415  the late imports are what this module is for

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from inspector.desktop.actions.cancel import CancelAction
from inspector.desktop.late import Late
from inspector.desktop.main_window import MainWindow
from inspector.desktop.selection import Selection
from inspector.desktop.session.launch import Launched, Target
from inspector.desktop.session.session import Session
from inspector.desktop.settings import Settings
from inspector.desktop.tasks.view import TasksView
from inspector.desktop.views import Views
from inspector.desktop.widgets.message_kind import MessageKind
from inspector.desktop.widgets.theme import Theme, apply_theme
from inspector.desktop.wiring.content import Content
from inspector.desktop.wiring.damage import Damage
from inspector.desktop.wiring.frame import NOTICE_MS, FrameWiring
from inspector.desktop.wiring.locked import LockWiring
from inspector.desktop.wiring.names import ModelNames
from inspector.desktop.wiring.settling import Settling
from inspector.desktop.wiring.tasks import TasksWiring
from inspector.desktop.wiring.totals import Totals
from inspector.desktop.zone import local_zone
from inspector.layout.opened import Mode
from inspector.layout.pages import TaskFilter
from inspector.layout.visible import visible

if TYPE_CHECKING:
    from inspector.desktop.actions.open_file import OpenFileAction
    from inspector.desktop.detail.view import DetailPane
    from inspector.desktop.digests.view import ModelsView
    from inspector.desktop.menus import WindowActions
    from inspector.desktop.recovery.view import RecoveryView
    from inspector.desktop.search.view import SearchView
    from inspector.desktop.session.acting import Acting
    from inspector.desktop.session.file_checks import FileChecks
    from inspector.desktop.session.statements import Statements
    from inspector.desktop.start.view import StartView
    from inspector.desktop.tables.view import TablesView
    from inspector.desktop.wiring.drawer import DrawerWiring


class Inspector:
    """One window on at most one database. Make it inside the running asyncio loop; :meth:`ended` takes it apart."""

    def __init__(self, app: QApplication, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self.session = Session()
        self.selection = Selection()
        self.cancel = CancelAction(self.session)
        self._content = Content(self.session, settings)
        self._zone = local_zone()
        self._late_checks = Late(self._make_checks)
        self._late_opening = Late(self._make_opening)
        self._late_statements = Late(self._make_statements)
        self._late_drawer = Late(self._make_drawer)
        self._to_forget: list[Callable[[], None]] = []
        views = Views(
            TasksView(self._zone),
            detail=Late(self._make_detail),
            models=Late(self._make_models),
            recovery=Late(self._make_recovery),
            search=Late(self._make_search),
            tables=Late(self._make_tables),
            start=Late(self._make_start),
        )
        self.window = MainWindow(views, self._zone)
        settling = Settling(self.window, self.session)
        totals = Totals(self.session)
        # Before the frame, which tells the age of what is shown by what the header knows of the lock.
        self._lock = LockWiring(self.window, self.session, self._zone, self._close_file)
        self.frame = FrameWiring(self.window, self.session, totals, settings, self._zone)
        self.frame.open_requested.connect(lambda target: self.session.spawn(self._open_in_its_place(target)))
        self.frame.add_words("tasks", views.tasks.shown_sentence)
        self._names = ModelNames(self.session, settling)
        self._names.changed.connect(lambda page: views.tasks.show_models(tuple(model.id for model in page.models)))
        # What is connected by bound methods does not live by that.
        self._damage = Damage(self.window, self.session)
        self._to_forget += (self._damage.forget, totals.forget, self._names.forget)
        told = partial(self._damage.tell, "tasks")
        tasks = TasksWiring(views.tasks, self.session, self.selection, totals, told)
        self._to_forget.append(tasks.forget)
        self._wirings: list[object] = [tasks]
        views.tasks.cancel_requested.connect(self._ask_cancel)
        views.tasks.opened_in_detail.connect(lambda _task_id: views.detail.setFocus())
        self.window.file_dropped.connect(lambda path: self.open(Target(path)))
        self.window.view_changed.connect(lambda _name: self.frame.tick())
        self.window.theme_requested.connect(lambda name: self.set_theme(Theme(name)))
        self.window.first_paint.passed.connect(self._on_first_paint)
        app.styleHints().colorSchemeChanged.connect(self._on_color_scheme_changed)
        geometry = settings.geometry()
        if geometry is not None:
            self.window.restoreGeometry(geometry)

    @property
    def checks(self) -> "FileChecks":
        """What is known of the models' files."""
        return self._late_checks()

    def open(self, target: Target, *, task_id: str | None = None, reader: Launched | None = None) -> None:
        """Open a file instead of what is open, with this task selected; ``reader`` is its reader if it runs already."""
        self._forget()
        self.frame.show_opening(target.path)
        self.selection.select(task_id)
        self.window.expect_file()
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
        self.window.first_paint.stop()
        self.frame.stop()
        self.session.close()
        if self._late_statements.made is not None:
            self._late_statements.made.stop()
        if self._late_checks.made is not None:
            await self._late_checks.made.closed()
        if self._late_drawer.made is not None:
            await self._late_drawer.made.ended()
        await self.session.ended()

    def _on_first_paint(self) -> None:
        """Make what a person cannot miss yet in the first moment."""
        actions = self._make_actions()
        actions.fill(self.window, self._settings.theme())
        self._late_drawer()
        self.window.views.late_detail()

    def _make_detail(self) -> "DetailPane":
        from inspector.desktop.detail.view import DetailPane
        from inspector.desktop.wiring.detail import DetailWiring

        pane = DetailPane(self._zone)
        pane.cancel_requested.connect(self.cancel.cancel)
        pane.parts.beginning_copied.connect(self._notice)
        self.cancel.done.connect(pane.show_cancel_outcome)
        self._names.changed.connect(lambda page: pane.set_names({model.id: model.name for model in page.models}, {}))
        pane.set_moment(self.frame.moment)
        self.frame.moment_changed.connect(pane.set_moment)
        told = partial(self._damage.tell, "events")
        wiring = DetailWiring(pane, self.session, self.selection, self._content, self._on_missing_task, told)
        self._to_forget.append(wiring.forget)
        self._wirings.append(wiring)
        return pane

    def _notice(self, sentence: str) -> None:
        self.window.show_notice(sentence, NOTICE_MS)

    def _make_drawer(self) -> "DrawerWiring":
        from inspector.desktop.wiring.drawer import DrawerWiring

        drawer = DrawerWiring(self.window, self.session, self._zone)
        self._to_forget.append(drawer.forget)
        return drawer

    def _make_models(self) -> "ModelsView":
        from inspector.desktop.digests.view import ModelsView
        from inspector.desktop.wiring.models import ModelsWiring

        view = ModelsView(self._zone)
        view.model_tasks_requested.connect(self._show_tasks_of_model)
        damaged = partial(self._damage.tell, "models")
        said = self.frame.show_words
        wiring = ModelsWiring(view, self.session, self.checks, self._names.take, damaged, said)
        self._to_forget.append(wiring.forget)
        self.window.view_changed.connect(lambda name: wiring.set_on_screen(name == "models"))
        self.frame.add_words("models", wiring.summary)
        self._wirings.append(wiring)
        return view

    def _make_recovery(self) -> "RecoveryView":
        from inspector.desktop.recovery.view import RecoveryView
        from inspector.desktop.wiring.recovery import RecoveryWiring

        view = RecoveryView(self._zone)
        view.task_requested.connect(self._show_task)
        damaged = partial(self._damage.tell, "recovery")
        wiring = RecoveryWiring(view, self.session, damaged, self.frame.show_words)
        self._to_forget.append(wiring.forget)
        self.window.view_changed.connect(lambda name: wiring.set_on_screen(name == "recovery"))
        self.frame.add_words("recovery", wiring.summary)
        self._wirings.append(wiring)
        return view

    def _make_search(self) -> "SearchView":
        from inspector.desktop.search.view import SearchView
        from inspector.desktop.wiring.search import SearchWiring

        view = SearchView(self._zone)
        view.hit_chosen.connect(self._show_event)
        wiring = SearchWiring(view, self.session, self._content, partial(self._damage.tell, "search"))
        self._to_forget.append(wiring.forget)
        self._wirings.append(wiring)
        return view

    def _make_tables(self) -> "TablesView":
        from inspector.desktop.tables.view import TablesView
        from inspector.desktop.wiring.tables import TablesWiring

        view = TablesView()
        view.pane.beginning_copied.connect(self._notice)
        wiring = TablesWiring(view, self.session, self._content, self._late_statements())
        self.window.view_changed.connect(lambda name: wiring.set_on_screen(name == "tables"))
        self._to_forget.append(wiring.forget)
        self._wirings.append(wiring)
        return view

    def _make_statements(self) -> "Statements":
        from inspector.desktop.session.statements import Statements

        return Statements(self.session)

    def _make_start(self) -> "StartView":
        from inspector.desktop.start.view import StartView
        from inspector.desktop.wiring.start import StartWiring

        view = StartView()
        wiring = StartWiring(view, self._settings)
        self.window.view_changed.connect(lambda name: wiring.show_recent() if name == "start" else None)
        self._wirings.append(wiring)
        view.open_requested.connect(lambda: self._late_opening().choose())
        view.copy_requested.connect(lambda: self._late_opening().choose(Mode.COPY))
        view.recent_requested.connect(lambda path: self.open(Target(path)))
        return view

    def _make_checks(self) -> "FileChecks":
        from inspector.desktop.session.file_checks import FileChecks

        checks = FileChecks()
        self._to_forget.append(checks.forget)
        return checks

    def _make_opening(self) -> "OpenFileAction":
        from inspector.desktop.actions.open_file import OpenFileAction

        opening = OpenFileAction(self.window)
        opening.chosen.connect(self.open)
        return opening

    def _make_actions(self) -> "WindowActions":
        from inspector.desktop.layout_choice import LayoutChoice
        from inspector.desktop.menus import WindowActions

        window, session, content = self.window, self.session, self._content
        actions = WindowActions(window)
        actions.content.triggered.connect(content.show)
        window.about_to_show_view_menu.connect(lambda: actions.content.setChecked(content.is_shown))
        actions.open.triggered.connect(lambda: self._late_opening().choose())
        actions.open_copy.triggered.connect(lambda: self._late_opening().choose(Mode.COPY))
        actions.modes.mode_wanted.connect(self._read_as)
        session.opened.connect(lambda _how: self._show_modes(actions))
        actions.close_file.triggered.connect(self._close_file)
        actions.quit.triggered.connect(window.close)
        actions.find.triggered.connect(self._find)
        actions.search.triggered.connect(self._search)
        actions.pause.triggered.connect(lambda: session.resume() if session.is_paused else session.pause())
        session.pause_changed.connect(lambda paused: actions.pause.setText(window.tr("Resume" if paused else "Pause")))
        actions.allow.toggled.connect(session.allow_actions)
        session.acting_changed.connect(lambda acting: _show_allowance(actions.allow, acting))
        _show_allowance(actions.allow, session.acting)
        actions.cancel.triggered.connect(self._ask_cancel_selected)
        actions.copy_id.triggered.connect(self._copy_id)
        actions.about.triggered.connect(self._show_about)
        self._show_modes(actions)
        self._to_forget.append(lambda: actions.modes.show_opened(None, None))
        layouts = LayoutChoice(window, session, actions.layouts, self._reopen)
        self._to_forget.append(layouts.forget)
        self._wirings.append(layouts)
        return actions

    def _show_modes(self, actions: "WindowActions") -> None:
        target = self.session.target
        actions.modes.show_opened(self.session.how, None if target is None else target.mode)

    def _read_as(self, mode: Mode | None) -> None:
        how, target = self.session.how, self.session.target
        if how is not None:
            self._reopen(Target(Path(how.place), mode, None if target is None else target.layout))

    def _reopen(self, target: Target) -> None:
        self.open(target, task_id=self.selection.task_id)

    def _on_missing_task(self, task_id: str) -> None:
        self.window.show_notice(f"There is no task {visible(task_id)} in this file.", NOTICE_MS)

    def _show_about(self) -> None:
        from inspector import __version__
        from inspector.desktop.actions.about import about

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

    def _search(self) -> None:
        if self.session.how is not None:
            self.window.show_view("search")
            self.window.views.search.focus_search()

    def _show_task(self, task_id: str) -> None:
        self.selection.select(task_id)
        self.window.show_view("tasks")
        # Also where it was selected before, and one has scrolled away from it since.
        self.window.views.tasks.mark_selected(task_id)

    def _show_event(self, task_id: str, seq: int) -> None:
        self._show_task(task_id)
        self.window.views.detail.go_to_event(task_id, seq)
        self.window.views.detail.setFocus()

    def _show_tasks_of_model(self, model_id: str) -> None:
        self.window.show_view("tasks")
        why_not = self.window.views.tasks.why_not_filtered
        if why_not:
            self.window.show_notice(why_not, NOTICE_MS)
        else:
            self.window.views.tasks.want(TaskFilter(model_id=model_id))

    async def _open_in_its_place(self, target: Target) -> None:
        """Open what lies now where a lost file lay; what is shown stays where that cannot be opened."""
        from inspector.desktop.session.trying import refusal_of

        sentence = await refusal_of(target)
        if not self.session.is_lost or self.session.target != target:
            return
        if sentence is None:
            self.open(target)
        else:
            self.window.show_message("refused", MessageKind.ERROR, visible(sentence))

    def _close_file(self) -> None:
        self._forget()
        self.selection.select(None)
        self.frame.close_file()

    def _forget(self) -> None:
        """Leave nothing of the file that was open on screen."""
        for forget in self._to_forget:
            forget()
        self.frame.forget()


def _show_allowance(action: QAction, acting: "Acting") -> None:
    """Offer to allow actions exactly where that is the user's to decide."""
    action.setEnabled(acting.needs_allowance)
    action.blockSignals(True)
    action.setChecked(acting.needs_allowance and acting.may_act)
    action.blockSignals(False)
