import os
from typing import Any, Optional, Union

import eyrie

class Function:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def signature(self) -> str: ...

class Model:
    model: eyrie.Model
    def __getitem__(self, name: str) -> Function: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def load(source: Union[str, os.PathLike[str], bytes], *,
         function: Optional[str] = ..., exported: Optional[Any] = ...,
         **options: Any) -> Model: ...
