"""What the runtime has to say, as records of Python's `logging`.

    logging.basicConfig(level=logging.INFO)

The logger "eyrie" has warnings, errors that no call returns, and at level INFO
what is worth knowing; its child "eyrie.module" has at level INFO what modules
print and trace. Records are made on the thread that the line comes from.
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
