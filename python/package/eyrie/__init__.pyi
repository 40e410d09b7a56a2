import os
from typing import Any, Iterable, List, Mapping, Optional, Union

__all__ = ["Error", "Function", "Model", "Reference", "lend", "load",
           "__version__"]
__version__: str

_Paths = Union[str, os.PathLike[str], Iterable[Union[str, os.PathLike[str]]]]

class Error(RuntimeError):
    code: str

class Reference: ...

class Function:
    __name__: str
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    async def aio(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def signature(self) -> str: ...
    @property
    def statistics(self) -> Mapping[str, int]: ...

class Model:
    @property
    def functions(self) -> List[str]: ...
    @property
    def name(self) -> str: ...
    def __getitem__(self, name: str) -> Function: ...
    def __getattr__(self, name: str) -> Function: ...
    def sibling(self) -> Model: ...
    def cancel(self) -> bool: ...

def lend(value: Any) -> Any: ...
def load(
    source: Union[str, os.PathLike[str], bytes, bytearray, memoryview],
    device: _Paths = ...,
    *,
    fuel: int = ...,
    timeout: Optional[float] = ...,
    max_memory: int = ...,
    max_stack: int = ...,
    max_idle_memory: int = ...,
    parameters: _Paths = ...,
    allow_system_executables: bool = ...,
    no_native_code: bool = ...,
    jit: str = ...,
    text: bool = ...,
    allow_loss: bool = ...,
) -> Model: ...
