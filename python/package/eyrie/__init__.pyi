import os
from inspect import Signature
from types import ModuleType, TracebackType
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Literal,
                    Mapping, MutableMapping, NamedTuple, Optional, Sequence,
                    Tuple, Type, Union, final)

import numpy as np
import numpy.typing as npt

__all__ = ["ArgumentError", "Device", "DeviceArray", "DeviceInfo", "Error",
           "ForbiddenError", "Function", "LinkedProgram", "MissingFileError",
           "Model", "Needs", "OutOfMemoryError", "Reference", "Snapshot",
           "TimedOutError", "UnsupportedError", "ValueInfo", "compile",
           "devices", "donate", "lend", "link", "load", "needs", "__version__"]
__version__: str

_Path = Union[str, os.PathLike[str]]
_Weights = Union[_Path, Mapping[str, Any]]
_Source = Union[_Path, bytes, bytearray, memoryview]
_Library = Union[_Path, Tuple[_Path, _Path], ModuleType, Mapping[str, Any]]
_Jit = Literal["lazy", "off", "eager"]
_Results = Literal["numpy", "device"]

class Error(RuntimeError):
    code: str

class ArgumentError(Error, TypeError, ValueError): ...
class MissingFileError(Error, FileNotFoundError): ...
class ForbiddenError(Error, PermissionError): ...
class TimedOutError(Error, TimeoutError): ...
class OutOfMemoryError(Error, MemoryError): ...
class UnsupportedError(Error, NotImplementedError): ...

@final
class Reference: ...

class DeviceInfo(NamedTuple):
    name: str
    driver: str
    description: str
    properties: Dict[str, str]
    error: str

def devices() -> List[DeviceInfo]: ...

class LinkedProgram(NamedTuple):
    text: str
    manifest: str
    targets: List[str]

def link(source: Any, *, module: str = ...) -> LinkedProgram: ...

@final
class Device:
    def __init__(self, name: _Path = ..., *, threads: int = ...,
                 cpus: str = ..., spin: Optional[float] = ...,
                 allow_system_executables: bool = ...,
                 no_native_code: bool = ..., jit: _Jit = ...,
                 max_idle_memory: int = ...,
                 pipeline_cache: _Path = ...,
                 isolate: bool = ...) -> None: ...
    @property
    def name(self) -> str: ...

@final
class DeviceArray:
    @property
    def shape(self) -> Tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    def copy(self) -> DeviceArray: ...
    def __array__(self, dtype: npt.DTypeLike = ...,
                  copy: Optional[bool] = ...) -> npt.NDArray[Any]: ...
    def __dlpack__(self, *, stream: Optional[int] = ...,
                   max_version: Optional[Tuple[int, int]] = ...,
                   dl_device: Optional[Tuple[int, int]] = ...,
                   copy: Optional[bool] = ...) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...

@final
class Function:
    __name__: str
    @property
    def __signature__(self) -> Signature: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    async def aio(self, *args: Any, **kwargs: Any) -> Any: ...
    def options(self, *, allow_loss: Optional[bool] = ...,
                text: Optional[bool] = ...,
                results: Optional[_Results] = ...,
                fuel: Optional[int] = ...,
                timeout: Optional[float] = ...) -> Function: ...
    @property
    def model(self) -> Model: ...
    @property
    def signature(self) -> str: ...
    @property
    def inputs(self) -> List[ValueInfo]: ...
    @property
    def outputs(self) -> List[ValueInfo]: ...
    @property
    def statistics(self) -> Dict[str, int]: ...

class ValueInfo(NamedTuple):
    name: str
    type: str
    shape: Optional[Tuple[Optional[int], ...]]
    dtype: Optional[np.dtype[Any]]

@final
class Snapshot: ...

@final
class Model:
    @property
    def functions(self) -> List[str]: ...
    @property
    def name(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def inputs(self) -> List[ValueInfo]: ...
    @property
    def outputs(self) -> List[ValueInfo]: ...
    def __getitem__(self, name: str) -> Function: ...
    def __iter__(self) -> Iterator[str]: ...
    def __getattr__(self, name: str) -> Function: ...
    def sibling(self, snapshot: Optional[Snapshot] = ...) -> Model: ...
    @property
    def globals(self) -> MutableMapping[str, Any]: ...
    def snapshot(self) -> Snapshot: ...
    def restore(self, snapshot: Snapshot) -> None: ...
    def cancel(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Model: ...
    def __exit__(self, kind: Optional[Type[BaseException]],
                 error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None: ...

@final
class Needs(NamedTuple):
    runs_here: bool
    devices: List[str]
    reasons: List[str]
    notes: List[str]
    patterns: List[str]
    formats: List[str]
    modules: List[str]
    scopes: List[str]

@final
class Bisection(NamedTuple):
    differs: bool
    text: str
    kernel: Optional[str]
    exact: bool
    suspects: List[str]
    findings: List[Dict[str, Any]]
    report: Dict[str, Any]

def bisect(good: _Path, bad: _Path, *arrays: Any,
           function: Optional[str] = ...,
           devices: Union[str, Iterable[str]] = ...,
           tolerance: Optional[float] = ...,
           reproducer: Optional[_Path] = ...,
           html: Optional[_Path] = ...,
           always: bool = ...,
           flags: Iterable[str] = ...,
           tool: Optional[_Path] = ...) -> Bisection: ...
def compile(source: Any, target: str = ..., *,
            flags: Union[str, Iterable[str]] = ...,
            compiler: Optional[_Path] = ...,
            output: Optional[_Path] = ...,
            weights: Optional[_Path] = ...) -> bytes: ...
def donate(array: DeviceArray) -> Any: ...
def lend(value: Any) -> Any: ...
def load(
    source: Union[_Source, Sequence[_Source]],
    device: Union[_Path, Device, Iterable[Union[_Path, Device]]] = ...,
    *,
    fuel: int = ...,
    timeout: Optional[float] = ...,
    max_memory: int = ...,
    max_stack: int = ...,
    max_idle_memory: int = ...,
    parameters: Union[_Weights, Iterable[_Weights]] = ...,
    allow_system_executables: bool = ...,
    no_native_code: bool = ...,
    isolate: bool = ...,
    jit: _Jit = ...,
    threads: int = ...,
    text: bool = ...,
    allow_loss: bool = ...,
    results: _Results = ...,
    imports: Optional[Mapping[str, Tuple[str, Callable[..., Any]]]] = ...,
    native_libraries: Union[_Path, ModuleType, Mapping[str, Any],
                            Iterable[_Library]] = ...,
    manifest: Union[_Path, Mapping[str, Any], None] = ...,
) -> Model: ...
def needs(source: _Source, *, allow_system_executables: bool = ...,
          no_native_code: bool = ..., isolate: bool = ...) -> Needs: ...
