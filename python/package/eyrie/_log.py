"""Passes messages of the runtime to Python's `logging`.

    logging.basicConfig(level=logging.INFO)

The logger "eyrie" receives errors that no call returns, at level WARNING, and
notes, at level INFO. Its child "eyrie.module" receives the output and traces of
modules, at level INFO. Records are created on the thread that logs.
"""

import logging

from eyrie import _core

_RUNTIME = logging.getLogger("eyrie")
_MODULES = logging.getLogger("eyrie.module")
_BY_SEVERITY = {  # as in eyrie/c.h
    1: (_MODULES, logging.INFO),
    2: (_RUNTIME, logging.INFO),
    3: (_RUNTIME, logging.WARNING),
}


def _take(severity, line):
    logger, level = _BY_SEVERITY[severity]
    logger.log(level, "%s", line)


_core.set_log(_take)
