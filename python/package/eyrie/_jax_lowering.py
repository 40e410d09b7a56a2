"""How JAX writes programs for the platform "eyrie".

Operations that only "cpu" can lower, such as linear algebra, are lowered as
there. Others are written such that the compiler's code computes what JAX says,
because it does not with StableHLO's own operations (docs/jax.md).
"""

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax._src.interpreters import mlir
from jax._src.lax import slicing

# Sequences of this length are sorted by a network in any case.
_LONG = 256
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
    _replace(platform, lax.sort_p, _sort)
    _replace(platform, lax.top_k_p, _top_k)
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
    """Writes a function of JAX's, and returns its results.

    What the program allows of promotions does not matter to it.
    """
    def run(*values):
        with (jax.numpy_rank_promotion("allow"),
              jax.numpy_dtype_promotion("standard")):
            return function(*values)

    return mlir.lower_fun(run, multiple_results=True)(
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


def _sort(default, ctx, *operands, dimension, is_stable, num_keys):
    """Sorts by a network: the compiler's code is quadratic, and not stable.

    It is bitonic: log2(n) ** 2 / 2 steps, each of which compares every element
    with one other. Positions break ties, so it is stable.
    """
    length = ctx.avals_in[0].shape[dimension]
    is_simple = len(operands) == 1 and length < _LONG
    if length < 2 or is_simple or any(
            jnp.issubdtype(key.dtype, jnp.complexfloating)
            for key in ctx.avals_in[:num_keys]):
        return default(ctx, *operands, dimension=dimension,
                       is_stable=is_stable, num_keys=num_keys)
    bits = (length - 1).bit_length()
    steps = np.array([(2 << i, 1 << j) for i in range(bits)
                      for j in reversed(range(i + 1))], np.int32)

    def run(*operands):
        rows = [jnp.moveaxis(each, dimension, -1) for each in operands]
        room = [(0, 0)] * (rows[0].ndim - 1) + [(0, (1 << bits) - length)]
        rows = [jnp.pad(each, room) for each in rows]
        lane = jnp.arange(1 << bits, dtype=np.int32)
        place = jnp.broadcast_to(lane, rows[0].shape)

        def step(i, rows):
            size, distance = jnp.array(steps)[i]
            others = [jnp.take(each, lane ^ distance, axis=-1, mode="clip")
                      for each in rows]
            is_less = _is_less(rows, others, num_keys, length)
            keeps_less = ((lane & distance) == 0) == ((lane & size) == 0)
            return [jnp.where(is_less == keeps_less, one, other)
                    for one, other in zip(rows, others)]

        *rows, _ = lax.fori_loop(0, len(steps), step, [*rows, place])
        return [jnp.moveaxis(each[..., :length], -1, dimension)
                for each in rows]

    return _apply(ctx, run, ctx.avals_in, *operands)


def _top_k(_, ctx, operand, k, axis=-1, **__):
    """Sorts. Of equal numbers, the compiler's code finds any; JAX, the first.

    The sequence is sorted backwards, so that the first of equals is the last.
    """
    def run(x):
        length = x.shape[axis]
        places = lax.broadcasted_iota(np.int32, x.shape, axis % x.ndim)
        keys, places = lax.sort(
            (jnp.flip(x, axis), jnp.flip(places, axis)), dimension=axis,
            is_stable=True, num_keys=1)
        return [lax.slice_in_dim(jnp.flip(each, axis), 0, min(k, length),
                                 axis=axis % x.ndim)
                for each in (keys, places)]

    return _apply(ctx, run, ctx.avals_in, operand)


def _is_less(rows, others, num_keys, length):
    """Compares keys, then positions. What is behind the sequence is greatest.

    NaN is greater than all numbers, and -0 is equal to 0.
    """
    *rows, place = rows
    *others, other_place = others
    less = place < other_place
    for one, other in reversed(list(zip(rows, others))[:num_keys]):
        is_less, is_equal = one < other, one == other
        if jnp.issubdtype(one.dtype, jnp.floating):
            is_less |= ~jnp.isnan(one) & jnp.isnan(other)
            is_equal |= jnp.isnan(one) & jnp.isnan(other)
        less = is_less | (is_equal & less)
    is_behind, other_is_behind = place >= length, other_place >= length
    return jnp.where(is_behind == other_is_behind, less, other_is_behind)
