"""Registers Eyrie's PJRT plug-in with JAX, as the platform "eyrie".

JAX finds this module by the entry point group jax_plugins. Options of the
client are in docs/jax.md: environment variables, or the configuration
jax_pjrt_client_create_options.
"""

import ctypes
import os

_LIBRARY = os.path.join(os.path.dirname(__file__), "libeyrie_pjrt.so")
_NAME = "eyrie"
# Less than that of "cpu": an installed package does not change which platform
# is the default. JAX_PLATFORMS=eyrie does.
_PRIORITY = -1
_FFI = 5  # PJRT_Extension_Type_FFI


def initialize():
    """Called by JAX before its first use of a device."""
    # pylint: disable=import-outside-toplevel
    import jax
    from jax._src import xla_bridge

    from eyrie import _jax_lowering

    if not os.path.exists(_LIBRARY):
        return  # this wheel has none
    # JAX says so of each platform that it does not know.
    getattr(xla_bridge, "_nonexperimental_plugins", set()).add(_NAME)
    xla_bridge.register_plugin(_NAME, priority=_PRIORITY,
                               library_path=_LIBRARY, options=_options)
    _do_not_use_shardy(jax)
    _register_handlers()
    _jax_lowering.register(_NAME)


def _options():
    """Returns the options of jax_pjrt_client_create_options."""
    from jax._src import xla_bridge  # pylint: disable=import-outside-toplevel
    find = getattr(xla_bridge, "_options_from_jax_configs", lambda _: {})
    return find(_NAME)


def _do_not_use_shardy(jax):
    """Lets JAX write shardings as attributes, which compilers ignore.

    They do not know its dialect "sdy". Programs for this platform have one
    device, so shardings do not matter.
    """
    name = "jax_use_shardy_partitioner"
    if ("JAX_USE_SHARDY_PARTITIONER" not in os.environ
            and name in jax.config.values):
        jax.config.update(name, False)


# Handlers of XLA FFI, such as those of LAPACK in jaxlib.

class _Extension(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int),
                ("next", ctypes.c_void_p)]


class _FfiExtension(ctypes.Structure):
    _fields_ = [("base", _Extension), ("type_register", ctypes.c_void_p),
                ("user_data_add", ctypes.c_void_p),
                ("register_handler", ctypes.c_void_p)]


class _RegisterArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("target_name", ctypes.c_char_p),
                ("target_name_size", ctypes.c_size_t),
                ("handler", ctypes.c_void_p),
                ("platform_name", ctypes.c_char_p),
                ("platform_name_size", ctypes.c_size_t),
                ("traits", ctypes.c_int)]


class _Api(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("extension_start", ctypes.c_void_p),
                ("version", ctypes.c_byte * 24),
                ("error_destroy", ctypes.c_void_p),
                ("error_message", ctypes.c_void_p)]


class _ErrorArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t),
                ("extension_start", ctypes.c_void_p),
                ("error", ctypes.c_void_p), ("message", ctypes.c_char_p),
                ("message_size", ctypes.c_size_t)]


_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_POINTER_OF = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object,
                                ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_NAME_OF = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi))


def _api():
    find = ctypes.CDLL(_LIBRARY).GetPjrtApi
    find.restype = ctypes.POINTER(_Api)
    return find().contents


def _ffi_extension(api):
    at = api.extension_start
    while at:
        extension = _Extension.from_address(at)
        if extension.type == _FFI:
            return _FfiExtension.from_address(at)
        at = extension.next
    raise RuntimeError("the plug-in has no extension for XLA FFI")


def _check(api, error):
    """Raises a PJRT_Error, which this destroys."""
    if not error:
        return
    args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, error)
    _FUNCTION(api.error_message)(ctypes.addressof(args))
    text = ctypes.string_at(args.message, args.message_size).decode()
    args.struct_size = _ErrorArgs.message.offset
    _FUNCTION(api.error_destroy)(ctypes.addressof(args))
    raise RuntimeError(text)


def _register_handler(name, capsule, platform=_NAME, api_version=1, traits=0):
    """Registers a handler as jax.ffi.register_ffi_target gives it."""
    if isinstance(capsule, dict):  # of several stages
        unknown = set(capsule) - {"execute"}
        if unknown:
            raise NotImplementedError(
                f"'{name}' has the stages {sorted(unknown)}; the platform "
                f"'{_NAME}' calls handlers that have the stage execute only")
        capsule = capsule["execute"]
    if api_version != 1:
        raise NotImplementedError(
            f"'{name}' is a custom call before XLA FFI (api_version "
            f"{api_version}), which the platform '{_NAME}' does not call")
    name = name if isinstance(name, bytes) else name.encode()
    api = _api()
    args = _RegisterArgs(
        ctypes.sizeof(_RegisterArgs), name, len(name),
        _POINTER_OF(capsule, _NAME_OF(capsule)), platform.encode(),
        len(platform), int(traits))
    register = _FUNCTION(_ffi_extension(api).register_handler)
    _check(api, register(ctypes.addressof(args)))


def _register_handlers():
    """Registers LAPACK's handlers, and lets jax.ffi register others."""
    # pylint: disable=import-outside-toplevel
    from jaxlib import lapack, xla_client
    xla_client.register_custom_call_handler(_NAME, _register_handler)
    for name, capsule, api_version in lapack.registrations().get("cpu", ()):
        if api_version == 1:
            _register_handler(name, capsule)
