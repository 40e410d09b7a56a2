import os
from typing import Any, Callable, Iterable, Sequence, TypeVar, Union

import eyrie

_F = TypeVar("_F", bound=Callable[..., Any])

def wrap(exported: Any,
         module: Union[str, os.PathLike[str], bytes, eyrie.Model], *,
         function: str = ..., **options: Any) -> Callable[..., Any]: ...
def jit(function: _F, *,
        donate_argnums: Union[int, Sequence[int], None] = ...,
        donate_argnames: Union[str, Iterable[str], None] = ...,
        target: str = ...,
        flags: Union[str, Iterable[str]] = ..., **options: Any) -> _F: ...
