"""LMSP Inspector: the persistence layer of LMSP section 11, and a desktop inspector for its databases.

The rooms, and who may import whom (held by import-linter)::

    lmsp <- layout <- store, reading <- demo
                                     <- desktop.session <- desktop.actions, desktop.<view> <- desktop.main_window <- cli
"""

__version__ = "0.1.0"
