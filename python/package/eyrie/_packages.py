"""The handlers that Python packages offer, as JAX's packages do.

A package registers them with JAX when it is imported, or has a function
`registrations` that returns them. The tool runs this file in other Pythons, for
--native_library=wheel:name, so it imports nothing of eyrie.
"""

import collections.abc
import importlib
import sys


def jax_handlers():
    """Returns the handlers for CPUs that are registered with JAX."""
    import jax  # pylint: disable=import-outside-toplevel
    from jaxlib import xla_client  # pylint: disable=import-outside-toplevel
    jax.devices("cpu")  # Registers handlers that wait for the backend.
    return xla_client.custom_call_targets("Host")


def package_handlers(package):
    """Returns the handlers of a module, or of the module of a name."""
    if isinstance(package, str):
        package = importlib.import_module(package)
    if not hasattr(package, "registrations"):
        return jax_handlers() if "jax" in sys.modules else {}
    if hasattr(package, "initialize"):  # jaxlib's LAPACK
        package.initialize()
    found = package.registrations()
    if not isinstance(found, collections.abc.Mapping):
        raise TypeError(
            f"{package.__name__}.registrations() returned a value of the type "
            f"{type(found).__name__}; expected a dict of names and capsules.")
    return {name: value for name, value in found.items()
            if not isinstance(value, (list, tuple))}
