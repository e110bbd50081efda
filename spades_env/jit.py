"""The project's one compiler decorator: Numba, with a cache that cannot be stale.

Numba stores machine code on disk and looks at the file of the compiled function to see
whether it is current. It does not look at the files of the functions that were inlined
into it, so an edit there would keep serving the old code. `jit` therefore gives every
function a fingerprint of all that its machine code is made from, and hides it in a
closure cell, which Numba makes part of the cache key.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
import linecache
import marshal
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, overload

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_CELL = "_fingerprint"
_hashes: dict[str, bytes] = {}


@overload
def jit(function: F) -> F: ...
@overload
def jit(**options: Any) -> Callable[[F], F]: ...
def jit(function: F | None = None, **options: Any) -> Any:
    """Compile a function with `numba.njit`, cached on disk under its fingerprint.

    With `NUMBA_DISABLE_JIT=1` the function is returned as it is. `nogil` is on by
    default; any other option of `numba.njit` may be given. A function whose source
    lies in no file is compiled anew in each process.

    Raises:
        NameError: the function uses a global name that does not exist yet. What it is
            made from could not be known, so define first what it calls.
    """
    if function is None:
        return lambda f: jit(f, **options)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    marked = _with_cell(function, fingerprint(function))
    cache = bool(linecache.getlines(function.__code__.co_filename))
    return numba.njit(marked, **{"cache": cache, "nogil": True, **options})


def fingerprint(function: Callable[..., Any]) -> str:
    """SHA-256 of a function's file, its constants, and all functions it calls.

    Callees that `jit` compiled contribute their own fingerprint, so the whole tree of
    calls is covered, whichever files it lies in.
    """
    digest = hashlib.sha256(_source(function))
    for name, value in sorted(_globals_used(function), key=lambda pair: pair[0]):
        digest.update(name.encode() + b"\0" + _describe(value))
    for cell in function.__closure__ or ():
        digest.update(_describe(cell.cell_contents))
    return digest.hexdigest()


def _globals_used(function: Any) -> Iterator[tuple[str, Any]]:
    """Every global that the code reads, with `module.name` followed to its value."""
    for code in _code_objects(function.__code__):
        module: ModuleType | None = None
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname == "LOAD_GLOBAL":
                value = function.__globals__.get(name, module_missing)
                module = value if isinstance(value, ModuleType) else None
                if value is module_missing:
                    if not hasattr(builtins, name) and name != function.__name__:
                        raise NameError(
                            f"{function.__qualname__} uses {name!r}, which is not"
                            " defined yet; define it above the compiled function"
                        )
                else:
                    yield name, value
            elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and module:
                value = getattr(module, name)
                yield f"{module.__name__}.{name}", value
                module = value if isinstance(value, ModuleType) else None
            else:
                module = None


module_missing = object()


def _code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_objects(constant)


def _describe(value: Any) -> bytes:
    """What a value adds to the machine code, as bytes equal in every process."""
    python_function = getattr(value, "py_func", value)
    if isinstance(python_function, FunctionType):
        for name, cell in zip(
            python_function.__code__.co_freevars,
            python_function.__closure__ or (),
            strict=False,
        ):
            if name == _CELL:
                return bytes.fromhex(cell.cell_contents)
        return _source(python_function)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}".encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"(" + b",".join(_describe(item) for item in value) + b")"
    if isinstance(value, bool | int | float | str | bytes | Enum | np.generic):
        return repr(value).encode()
    if isinstance(value, np.dtype):
        return repr(value.descr).encode()
    if isinstance(value, ModuleType):
        return value.__name__.encode() + _file_hash(value.__dict__.get("__file__"))
    # A class, or an object of one: what it stands for, as the members of an Enum, is
    # in the file that defines it.
    cls = value if isinstance(value, type) else type(value)
    return cls.__qualname__.encode() + _describe(sys.modules[cls.__module__])


def _source(function: Any) -> bytes:
    """Hash of the file that holds a function; of its code where there is no file."""
    path = function.__code__.co_filename
    if not linecache.getlines(path):
        return hashlib.sha256(marshal.dumps(function.__code__)).digest()
    return _file_hash(path)


def _file_hash(path: str | None) -> bytes:
    """Hash of a file's text; of nothing for a module that has none."""
    if not path:
        return b""
    if path not in _hashes:
        text = "".join(linecache.getlines(path))
        _hashes[path] = hashlib.sha256(text.encode()).digest()
    return _hashes[path]


def _with_cell(function: Any, mark: str) -> Any:
    """The same function with one more closure cell, which nothing reads."""
    code = function.__code__
    copy = FunctionType(
        code.replace(co_freevars=(*code.co_freevars, _CELL)),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        (*(function.__closure__ or ()), CellType(mark)),
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__doc__ = function.__doc__
    copy.__module__ = function.__module__
    copy.__qualname__ = function.__qualname__
    copy.__annotations__ = function.__annotations__
    copy.__wrapped__ = function  # type: ignore[attr-defined]
    return copy
