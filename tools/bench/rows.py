"""The calls to compare: one row per figure, with its limit.

A program is a file of programs/, compiled once per release. A row's limit is
the largest allowed ratio of medians, ours to upstream's.
Tested by tests/house_test.py.
"""

import dataclasses

KIB = 1 << 10
MIB = 1 << 20
TURNS = 1_000_000
CALLS = 100_000
FIB = 25
FIB_CALLS = 242_785  # calls in fib(25)
SYNC = "local-sync"
TASK = "local-task"


@dataclasses.dataclass(frozen=True)
class Row:
    """A function that both sides call, with the same inputs."""

    name: str  # the row's name in the table
    program: str
    function: str
    inputs: tuple[str, ...] = ()
    limit: float | None = None
    unit: str = "us"
    turns: int = 1  # The divisor of the time of a call.
    device: str = SYNC
    kind: str = "native"  # The kind of code that the compiler makes.
    ours: tuple[str, ...] = ()  # Flags of our side alone: limits.
    size: int = 0  # Bytes of the array, if rows differ in it alone.


# Flags of our side when interpreters are compared.
_INTERPRETED = ("--jit=off",)


def _text(size):
    """Returns a number of bytes as text."""
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def _scalar(function, limit, *inputs):
    """Returns a row for a loop of VM code, with limits on our side."""
    return Row(f"loop, {function}", "scalar", function,
               (f"--input={TURNS}", *inputs), limit, "ns", TURNS,
               ours=(*_INTERPRETED, f"--fuel={3 * TURNS}", "--timeout=1m"))


ADD = ("--input=4xf32=1 2 3 4", "--input=4xf32=10 20 30 40")
CHAIN = ("--input=1x4xf32=1 2 3 4", "--input=4x4xf32=0.25")
_PICTURE = ("--input=1x784xf32=0.5",)
_MATMUL = ("--input=512x512xf32=1", "--input=512x512xf32=2")
_MIB = ("--input=262144xf32=1", "--input=262144xf32=2")
_VMVX = ("--input=256x256xf32=1", "--input=256x256xf32=2")
_RNN = ("--input=64x16xf32=0.1", "--input=16x16xf32=0.05",
        "--input=1x16xf32=0")
_NEWTON = ("--input=4xf32=2 3 5 7",)
_COLLATZ = ("--input=i64=27",)

# Compiled code. A row's limit is for upstream's interpreter. CODE_ROWS has
# limits for wasmtime's code; a C compiler's is shown without one.
_JIT = ("--jit=lazy",)


def _compiled(name, program, function, limit, inputs, turns, **more):
    return Row(f"compiled: {name}", program, function, inputs, limit,
               turns=turns, ours=_JIT, **{"unit": "ns", **more})


def _compiled_loop(function, limit, *inputs):
    return _compiled(function, "scalar", function, limit,
                     (f"--input={TURNS}", *inputs), TURNS)


@dataclasses.dataclass(frozen=True)
class CodeRow:
    """A row of ROWS["jit"] that is also compared with machine code."""

    function: str
    types: tuple[str, ...]  # of the arguments, then of the result
    arguments: tuple[float, ...]
    limit: float | None  # for wasmtime's code


CODE_ROWS = (
    CodeRow("sum_i32", ("i32", "i32"), (TURNS,), 1.2),
    CodeRow("arithmetic_i32", ("i32", "i32"), (TURNS,), 1.0),
    CodeRow("arithmetic_i64", ("i64", "i64"), (TURNS,), 1.0),
    CodeRow("arithmetic_f32", ("i32", "f32", "f32"), (TURNS, 0.5), 1.0),
    CodeRow("buffer", ("i32", "i32"), (TURNS,), 1.5),
    CodeRow("calls", ("i32", "i32"), (CALLS,), 0.8),
    CodeRow("fib", ("i32", "i32"), (FIB,), 1.0),
)

ROWS = {
    "jit": (
        _compiled_loop("sum_i32", 0.15),
        _compiled_loop("arithmetic_i32", 0.3),
        _compiled_loop("arithmetic_i64", 0.3),
        _compiled_loop("arithmetic_f32", 0.3, "--input=0.5"),
        _compiled_loop("buffer", 0.1),
        _compiled_loop("list", 0.08),
        _compiled("call within a module", "calls", "calls", 0.08,
                  (f"--input={CALLS}",), CALLS),
        _compiled("chain of 10 calls", "calls", "call_chain", 0.08,
                  (f"--input={CALLS}",), CALLS),
        _compiled("fib", "fib", "fib", 0.08, (f"--input={FIB}",), FIB_CALLS),
        _compiled("call of the host: hal.buffer.load", "calls", "host_calls",
                  0.1, ("--input=4xi32=1 2 3 4", f"--input={CALLS}"), CALLS),
        _compiled("matmul 256, VMVX", "vmvx", "matmul", 0.2, _VMVX, 1,
                  unit="ms", kind="vmvx"),
    ),
    "call": (
        Row("add of 4 floats", "add", "add", ADD, 0.15, "ns"),
        Row("add of 4 floats, local-task", "add", "add", ADD, 0.05, "ns",
            device=TASK),
        Row("next: a global and an addition", "next", "next", (), 0.2, "ns"),
        Row("chain of 20 dispatches", "chain", "chain_20", CHAIN, 0.2),
        Row("20 submissions that wait", "submissions", "submissions", ADD,
            0.5),
        Row("elementwise on 1 MiB", "elementwise", "elementwise", _MIB, 0.78),
    ),
    "large": tuple(
        Row(f"x*2+1 on {_text(size)}{', ' + TASK if device == TASK else ''}",
            "sizes", "affine", (f"--input={size // 4}xf32=1",), limit, "us",
            device=device, size=size)
        for device, size, limit in (
            (SYNC, KIB * 64, 1.0),
            (SYNC, KIB * 256, 1.0),
            (SYNC, MIB, 1.0),
            (SYNC, MIB * 4, 1.0),
            (SYNC, MIB * 16, 1.0),
            (SYNC, MIB * 64, 0.2),
            (SYNC, MIB * 256, 0.2),
            (TASK, KIB * 256, 0.8),
            (TASK, MIB * 4, 0.8),
            (TASK, MIB * 16, 0.8),
            (TASK, MIB * 64, 0.8),
        )),
    "decode": (
        Row("decode: a step, 64 MiB of cache", "decode", "step",
            ("--input=16xf32=1",), 0.27),
        Row("decode: a step, local-task", "decode", "step",
            ("--input=16xf32=1",), 0.2, device=TASK),
        Row("decode: a step of 10,000 in a loop", "decode", "decode",
            ("--input=16xf32=1", "--input=10000"), 0.27, turns=10_000),
    ),
    "loop": (
        _scalar("sum_i32", 1.05),
        _scalar("arithmetic_i32", 1.05),
        _scalar("arithmetic_i64", 1.05),
        _scalar("arithmetic_f32", 1.05, "--input=0.5"),
        _scalar("buffer", 1.05),
        _scalar("list", 1.05),
    ),
    "inner": (
        Row("call within a module", "calls", "calls", (f"--input={CALLS}",),
            0.25, "ns", CALLS, ours=_INTERPRETED),
        Row("chain of 10 calls", "calls", "call_chain", (f"--input={CALLS}",),
            0.25, "ns", CALLS, ours=_INTERPRETED),
        Row("call of the host: hal.buffer.load", "calls", "host_calls",
            ("--input=4xi32=1 2 3 4", f"--input={CALLS}"), 0.2, "ns", CALLS,
            ours=_INTERPRETED),
    ),
    "while": (
        Row("while: collatz", "while", "collatz", _COLLATZ, 0.5),
        Row("while: newton", "while", "newton", _NEWTON, 0.5),
        Row("while: rnn", "while", "rnn", _RNN, 0.5),
        Row("while: collatz, local-task", "while", "collatz", _COLLATZ, 0.1,
            device=TASK),
        Row("while: newton, local-task", "while", "newton", _NEWTON, 0.1,
            device=TASK),
        Row("while: rnn, local-task", "while", "rnn", _RNN, 0.1, device=TASK),
    ),
    "model": (
        Row("MLP 784-256-10", "mlp", "mlp", _PICTURE, 0.86),
        Row("MLP 784-256-10, local-task", "mlp", "mlp", _PICTURE, 0.25,
            device=TASK),
        Row("matmul 512", "matmul", "matmul", _MATMUL, 1.01, "ms"),
        Row("residual block", "resnet", "resnet",
            ("--input=1x28x28x64xf32=1",), 1.01),
        Row("transformer block", "transformer", "transformer",
            ("--input=64x128xf32=1",), 1.01),
    ),
    "program": tuple(
        Row(name + (", " + TASK if device == TASK else ""), program, program,
            inputs, limit, "ms", device=device)
        for name, program, inputs in (
            ("images of 12 MiB", "images", ("--input=4x3x512x512xf32=0.5",)),
            ("two layers, batch 8", "layers", ("--input=2048x256xf32=1",)))
        for device, limit in ((SYNC, 1.0), (TASK, 0.8))),
    "vmvx": (
        Row("matmul 256, VMVX", "vmvx", "matmul", _VMVX, 0.8, "ms",
            kind="vmvx"),
        Row("matmul 256, VMVX microkernels", "vmvx", "matmul", _VMVX, 0.8,
            "ms", kind="vmvx-microkernels"),
    ),
}
# The programs whose memory is watched while they run. A row's limit is the
# largest allowed ratio of peaks.
OVER_TIME = tuple(
    dataclasses.replace(row, limit=1.1) for row in (
        *ROWS["large"], *ROWS["program"], *ROWS["decode"][:2])
    if row.name.startswith(("x*2+1 on 16 MiB", "two layers", "decode")))
# The programs that several threads call at the same time.
CALLERS = tuple(dataclasses.replace(row, device=device, limit=None,
                                    name=f"{row.name}, {device}")
                for row in ROWS["model"]
                if row.name in ("MLP 784-256-10", "transformer block")
                for device in (SYNC, TASK))
# The largest allowed geometric mean of a group's ratios.
MEAN_LIMITS = {"loop": 0.8}
# The cost of one more dispatch in a command buffer: the difference in
# dispatches between two programs, and the largest allowed ratio.
FURTHER = (20, 0.3)
# The largest allowed cost of compiling one instruction of bytecode.
COMPILE = {"ns": 1000, "bytes": 64}
# Instructions of a call, counted by callgrind. Lower the number when it falls;
# never raise it.
INSTRUCTIONS = {"add of 4 floats": 5100}
