from typing import Any, Iterable, Mapping, Optional, Union

import eyrie

class Function:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def signature(self) -> str: ...

class Model:
    model: eyrie.Model
    def __getitem__(self, name: str) -> Function: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def compile(program: Any, target: str = ..., **options: Any) -> bytes: ...
def load(source: Any, args: Optional[Iterable[Any]] = ...,
         kwargs: Optional[Mapping[str, Any]] = ..., *,
         dynamic_shapes: Any = ..., target: Optional[str] = ...,
         flags: Union[str, Iterable[str]] = ...,
         function: Optional[str] = ..., exported: Optional[Any] = ...,
         **options: Any) -> Model: ...
