"""How JAX writes programs for the platform "eyrie".

Operations that only "cpu" can lower, such as linear algebra, are lowered as
there. Others are written such that the compiler's code computes what JAX says,
because it does not with StableHLO's own operations (docs/jax.md).
"""

from jax import lax
from jax import numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lax import slicing

_SCATTERS = ("scatter_p", "scatter_add_p", "scatter_sub_p", "scatter_mul_p",
             "scatter_min_p", "scatter_max_p")


def register(platform):
    """Registers the rules of a platform, which JAX must know."""
    # pylint: disable=protected-access
    tables = getattr(mlir, "_platform_specific_lowerings", {})
    if "cpu" in tables:
        for primitive, rule in tables["cpu"].items():
            tables[platform].setdefault(primitive, rule)
    donating = getattr(mlir, "_platforms_with_donation", [])
    if platform not in donating:
        donating.append(platform)
    _replace(platform, lax.pow_p, _power)
    _replace(platform, lax.atan2_p, _atan2)
    _replace(platform, lax.convert_element_type_p, _convert)
    _replace(platform, lax.gather_p, _gather)
    for name in _SCATTERS:
        if hasattr(slicing, name):
            _replace(platform, getattr(slicing, name), _scatter)


def _replace(platform, primitive, rule):
    """Registers a rule that gets the default one as its first argument."""
    entry = mlir._lowerings.get(primitive)  # pylint: disable=protected-access
    if entry is None:
        return
    default = getattr(entry, "rule", entry)
    mlir.register_lowering(
        primitive, lambda ctx, *args, **params: rule(default, ctx, *args,
                                                     **params),
        platform=platform)


def _apply(ctx, function, avals, *values):
    """Writes a function of JAX's, and returns its results."""
    return mlir.lower_fun(function, multiple_results=True)(
        ctx.replace(avals_in=avals, avals_out=None), *values)


def _power(default, ctx, x, y, **params):
    """Computes powers of negative numbers from those of positive ones.

    The compiler's code for CPUs returns NaN or 0 for them (3.13: -2.0 ** 3.0),
    and for the exponent 0 (3.13: 0.0 ** 0.0).
    """
    base = ctx.avals_in[0]
    if not jnp.issubdtype(base.dtype, jnp.floating):
        return default(ctx, x, y, **params)

    def with_sign(x, y, power):
        y = lax.convert_element_type(y, x.dtype)
        is_whole = jnp.floor(y) == y
        is_odd = is_whole & (2 * jnp.floor(y / 2) != y)
        power = jnp.where(is_odd & jnp.signbit(x), -power, power)
        is_one = (y == 0) | (x == 1) | ((x == -1) & jnp.isinf(y))
        is_nan = (x < 0) & jnp.isfinite(x) & ~is_whole
        power = jnp.where(is_nan, jnp.nan, jnp.where(is_one, 1, power))
        return (power.astype(x.dtype),)

    (positive,) = _apply(ctx, lambda x: (jnp.abs(x),), [base], x)
    (power,) = default(ctx, positive, y, **params)
    return _apply(ctx, with_sign, [*ctx.avals_in, ctx.avals_out[0]], x, y,
                  power)


def _atan2(default, ctx, y, x, **params):
    """Replaces angles of zeros and infinities, which are wrong (3.13)."""
    if not jnp.issubdtype(ctx.avals_in[0].dtype, jnp.floating):
        return default(ctx, y, x, **params)

    def with_corners(y, x, angle):
        zeros = (x == 0) & (y == 0)
        infinite = jnp.isinf(x) & jnp.isinf(y)
        of_zeros = jnp.where(jnp.signbit(x), jnp.pi, 0)
        of_infinite = jnp.where(x < 0, 0.75 * jnp.pi, 0.25 * jnp.pi)
        corner = jnp.where(zeros, of_zeros, of_infinite).astype(x.dtype)
        angle = jnp.where(zeros | infinite, corner, jnp.abs(angle))
        return (jnp.copysign(angle, y),)

    (angle,) = default(ctx, y, x, **params)
    return _apply(ctx, with_corners, [*ctx.avals_in, ctx.avals_out[0]], y, x,
                  angle)


def _convert(default, ctx, operand, **params):
    """Limits floats to the range of the integers that they become."""
    source, target = ctx.avals_in[0].dtype, ctx.avals_out[0].dtype
    if (not jnp.issubdtype(source, jnp.floating)
            or not jnp.issubdtype(target, jnp.integer)):
        return default(ctx, operand, **params)
    most, least = jnp.iinfo(target).max, jnp.iinfo(target).min
    # The least float that no integer of the type reaches, or infinity.
    end = jnp.array(float(most) + 1).astype(source)

    def limit(x):
        x = jnp.where(jnp.isnan(x), 0, x)
        return (jnp.where((x >= end) | (x < least), 0, x).astype(source),)

    def saturate(x, number):
        number = jnp.where(x >= end, jnp.array(most, target), number)
        return (jnp.where(x < least, jnp.array(least, target), number),)

    (limited,) = _apply(ctx, limit, ctx.avals_in, operand)
    (number,) = default(ctx, limited, **params)
    return _apply(ctx, saturate, [ctx.avals_in[0], ctx.avals_out[0]], operand,
                  number)


def _gather(default, ctx, operand, indices, **params):
    """Keeps indices in bounds: the compiler's code reads wherever they say."""
    if params["mode"] == lax.GatherScatterMode.FILL_OR_DROP:
        return default(ctx, operand, indices, **params)  # calls this again
    source = ctx.avals_in[0].shape
    sizes = params["slice_sizes"]
    most = [source[dim] - sizes[dim]
            for dim in params["dimension_numbers"].start_index_map]
    if most:
        (indices,) = _apply(ctx, lambda i: (_clamped(i, most),),
                            ctx.avals_in[1:], indices)
    return default(ctx, operand, indices, **params)


def _clamped(indices, most):
    """Returns indices of which the last dimension is from 0 to `most`."""
    limit = jnp.iinfo(indices.dtype).max
    bounds = jnp.array([min(max(bound, 0), limit) for bound in most],
                       indices.dtype)
    return jnp.clip(indices, jnp.zeros_like(bounds), bounds)


def _scatter(default, ctx, operand, indices, updates, **params):
    """Drops updates that are out of bounds.

    The compiler's code writes wherever the indices say. So the operand gets
    room at its end, which takes these updates and is cut off again.
    """
    numbers = params["dimension_numbers"]
    dims = numbers.scatter_dims_to_operand_dims
    if not dims or params["mode"] == lax.GatherScatterMode.CLIP:
        return default(ctx, operand, indices, updates, **params)
    target, _, window = ctx.avals_in
    absent = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    sizes, kept = [], iter(numbers.update_window_dims)
    for dim in range(target.ndim):
        sizes.append(1 if dim in absent else window.shape[next(kept)])
    most = [target.shape[dim] - sizes[dim] for dim in dims]
    first, room = dims[0], sizes[dims[0]]
    padding = [(0, room if dim == first else 0, 0)
               for dim in range(target.ndim)]

    def prepare(operand, indices):
        clamped = _clamped(indices, most)
        is_inside = jnp.all((clamped == indices) & (min(most) >= 0), axis=-1)
        outside = jnp.array(target.shape[first], indices.dtype)
        begin = jnp.where(is_inside, clamped[..., 0], outside)
        zero = jnp.zeros((), operand.dtype)
        return (lax.pad(operand, zero, padding),
                jnp.concatenate([begin[..., None], clamped[..., 1:]], axis=-1))

    padded = target.update(shape=tuple(
        size + high for size, (_, high, _) in zip(target.shape, padding)))
    operand, indices = _apply(ctx, prepare, ctx.avals_in[:2], operand, indices)
    (result,) = default(
        ctx.replace(avals_in=[padded, *ctx.avals_in[1:]], avals_out=[padded]),
        operand, indices, updates,
        **{**params, "mode": lax.GatherScatterMode.PROMISE_IN_BOUNDS})
    return _apply(
        ctx, lambda x: (lax.slice(x, [0] * target.ndim, target.shape),),
        [padded], result)
