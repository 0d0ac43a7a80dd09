"""Say what this program is and what it runs on, for a report of a fault."""

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QMessageBox, QWidget


def about(window: QWidget, version: str, sqlite_version: str | None) -> None:
    """Show the versions of the program, Python, Qt and SQLite. The box is shown, not waited for."""
    sqlite = "" if sqlite_version is None else f", SQLite {sqlite_version}"
    box = QMessageBox(window)
    box.setWindowTitle("About LMSP Inspector")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"LMSP Inspector {version}")
    box.setInformativeText(
        f"Python {platform.python_version()}, Qt {qVersion()}{sqlite}\n"
        "MIT licence. Uses Qt under the LGPL. No network, no telemetry."
    )
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
