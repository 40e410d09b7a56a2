"""Modules of more than a hundred dispatches: load, first call, memory.

Every layer has shapes of its own, so that each becomes a dispatch of its own
kernel. Tested by tests/house_test.py.
"""

import os
import typing

import measure
import memory
import rows

LAYERS = 110
# The largest allowed ratios of time and of memory to upstream's.
LIMIT = 1.0


class Program(typing.NamedTuple):
    """Layers of one kind: the type before and after each, by `size`."""

    layer: str  # with {i}, its number; {n}, the next; {size}, {more}, {less}
    before: str
    after: str
    sizes: range


def _products(operation, before, weights, after):
    """Returns layers that multiply by weights: one more column each."""
    return Program(f"""
  %w{{i}} = arith.constant dense<0.0{{n}}> : tensor<{weights}xf32>
  %e{{i}} = arith.constant dense<0.5> : tensor<{after}xf32>
  %x{{n}} = linalg.{operation}
      ins(%x{{i}}, %w{{i}} : tensor<{before}xf32>, tensor<{weights}xf32>)
      outs(%e{{i}} : tensor<{after}xf32>) -> tensor<{after}xf32>""",
                   before + "xf32", after + "xf32", range(20, 20 + LAYERS))


_SHRINKING = range(140, 140 - LAYERS, -1)

_PART = """
  %x{n} = tensor.extract_slice %s{i}[0, 0] [4, {less}] [1, 1]
      : tensor<4x{size}xf32> to tensor<4x{less}xf32>"""
_SOFTMAX = """
  %e{i} = tensor.empty() : tensor<4x{size}xf32>
  %s{i} = linalg.softmax dimension(1)
      ins(%x{i} : tensor<4x{size}xf32>) outs(%e{i} : tensor<4x{size}xf32>)
      -> tensor<4x{size}xf32>""" + _PART
_SUMS = """
  %e{i} = arith.constant dense<0.0> : tensor<{size}xf32>
  %r{i} = linalg.reduce {{ arith.addf }}
      ins(%x{i} : tensor<4x{size}xf32>) outs(%e{i} : tensor<{size}xf32>)
      dimensions = [0]
  %f{i} = tensor.empty() : tensor<4x{size}xf32>
  %b{i} = linalg.broadcast ins(%r{i} : tensor<{size}xf32>)
      outs(%f{i} : tensor<4x{size}xf32>) dimensions = [0]
  %a{i} = arith.addf %b{i}, %x{i} : tensor<4x{size}xf32>
  %s{i} = math.tanh %a{i} : tensor<4x{size}xf32>""" + _PART

PROGRAMS = {
    "dense": _products("matmul", "4x{size}", "{size}x{more}", "4x{more}"),
    "batches": _products("batch_matmul", "3x4x{size}", "3x{size}x{more}",
                         "3x4x{more}"),
    "convolutions": _products("conv_1d_nwc_wcf", "1x8x{size}",
                              "1x{size}x{more}", "1x8x{more}"),
    "softmax": Program(_SOFTMAX, "4x{size}xf32", "4x{less}xf32", _SHRINKING),
    "sums": Program(_SUMS, "4x{size}xf32", "4x{less}xf32", _SHRINKING),
}


def _names(i, size):
    return {"i": i, "n": i + 1, "size": size, "more": size + 1,
            "less": size - 1}


def argument(name):
    """Returns the type of the program's argument: 4x20xf32."""
    program = PROGRAMS[name]
    return program.before.format(size=program.sizes[0])


def text(name):
    """Returns the program in MLIR: `run`, and `ready`, which only returns."""
    program = PROGRAMS[name]
    names = [_names(i, size) for i, size in enumerate(program.sizes)]
    body = "".join(program.layer.format(**each) for each in names)
    made = program.after.format(**names[-1])
    return f"""func.func @ready() -> i32 {{
  %done = arith.constant 1 : i32
  return %done : i32
}}
func.func @run(%x0: tensor<{argument(name)}>) -> tensor<{made}> {{{body}
  return %x{LAYERS} : tensor<{made}>
}}
"""


def figures(comparison):
    """Compares processes that load a module, and that also call it once."""
    options = comparison.options
    peaks = memory.Peaks(comparison.cache)
    for name in PROGRAMS:
        source = os.path.join(comparison.cache, name + ".mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text(name))
        target = os.path.join(comparison.cache, f"large_{name}.vmfb")
        comparison.theirs.compile(source, target)
        shared = [f"--device={rows.SYNC}", f"--module={target}"]
        for function, what in (("ready", "load"), ("run", "load, first call")):
            flags = [*shared, f"--function={function}"]
            if function == "run":
                flags.append(f"--input={argument(name)}")
            ours, theirs = ([comparison.ours, "run", *flags],
                            [comparison.theirs.run, *flags])
            measure.expect_equal(ours, theirs)
            yield measure.start_times(f"{what}: {name}", ours, theirs,
                                      options.rounds, 5, LIMIT)
            if function == "ready":
                yield measure.compare(f"memory after load: {name}", "MiB",
                                      lambda ours=ours: peaks.of(ours),
                                      lambda theirs=theirs: peaks.of(theirs),
                                      options.rounds, LIMIT)
