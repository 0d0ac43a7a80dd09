"""The store that the suite is about: ours, or the one that LMSP_STORE names.

``LMSP_STORE=package.module packaging/test tests/store`` runs every test that holds for any store (all but those marked
``ours``) on another implementation: a module, or an object in one (``package.module:name``), with the functions,
results and exceptions of :mod:`inspector.store`. What it wrote is looked at in the file, in the native layout.
"""

import importlib
import os
from typing import TYPE_CHECKING

OURS = "inspector.store"
NAME = os.environ.get("LMSP_STORE", OURS)

if TYPE_CHECKING:
    from inspector import store
else:
    module, _, name = NAME.partition(":")
    store = importlib.import_module(module)
    if name:
        store = getattr(store, name)

__all__ = ["NAME", "OURS", "store"]
