"""Compares the time of a NumPy call with onnxruntime's and iree.runtime's.

  call_bench.py <tests/modules> [--rounds=N] [--check]

All packages add two arrays of 4 floats, and return a number, in this process
and in turn; a figure is the least of the rounds. A package that is not
installed is left out, with a line that says so. With --check, the exit code is
1 if a call takes more than its limit, a fraction of the others' time.
"""

import argparse
import os
import sys
import time

import numpy as np

import eyrie

CALLS = 200  # per round


def rows():
    return [np.arange(4, dtype=np.float32) for _ in range(2)]


def eyrie_calls(modules):
    """Returns (name, limit, function without arguments) for ways to call."""
    model = eyrie.load(os.path.join(modules, "add.vmfb"))
    scalars = eyrie.load(os.path.join(modules, "scalars.vmfb"))
    a, b = rows()
    out = np.empty_like(a)
    on_device = model.add.options(results="device")
    x = on_device(a, b)
    return {
        "add": [("model.add(a, b)", 0.5, lambda: model.add(a, b)),
                ("model.add(a, b, out=c)", 0.4,
                 lambda: model.add(a, b, out=out)),
                ("add(x, x), device arrays", 0.5, lambda: on_device(x, x))],
        "pass_f32": [("model.pass_f32(1.5)", 0.5,
                      lambda: scalars.pass_f32(1.5))]}


def onnx_call(operation, inputs):
    """Returns a call of InferenceSession.run, or raises ImportError."""
    import onnxruntime
    from onnx import TensorProto, helper
    names = list("ab"[:len(inputs)])
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT,
                                            inputs[0].shape)
              for name in [*names, "c"]]
    graph = helper.make_graph([helper.make_node(operation, names, ["c"])],
                              "g", values[:-1], values[-1:])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"])
    given = dict(zip(names, inputs))
    return lambda: session.run(None, given)


def iree_call(module, name, inputs):
    """Returns a call of a VmModule's function, or raises ImportError."""
    import iree.runtime
    config = iree.runtime.Config("local-sync")
    with open(module, "rb") as file:
        loaded = iree.runtime.load_vm_module(
            iree.runtime.VmModule.copy_buffer(config.vm_instance, file.read()),
            config)
    function = loaded[name]
    return lambda: function(*inputs)


def other_calls(modules, name):
    """Returns (name, function) for the packages that are installed."""
    file, operation, inputs = {
        "add": ("add.vmfb", "Add", rows()),
        "pass_f32": ("scalars.vmfb", "Identity",
                     [np.array(1.5, np.float32)])}[name]
    numbers = [1.5] if name == "pass_f32" else inputs
    calls = []
    for package, make in (
            ("onnxruntime", lambda: onnx_call(operation, inputs)),
            ("iree.runtime", lambda: iree_call(os.path.join(modules, file),
                                               name, numbers))):
        try:
            calls.append((f"{package}: {name}", make()))
        except ImportError as missing:
            print(f"{package} is left out: {missing}.")
    return calls


def least(calls, rounds):
    """Returns the least time of each call in seconds."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for index, call in enumerate(calls):
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            took = (time.perf_counter() - begin) / CALLS
            times[index] = min(times[index], took)
    return times


def compare(own, others, rounds):
    """Prints times; reports whether all are within their limits."""
    times = least([row[-1] for row in [*own, *others]], rounds)
    for (name, _), took in zip(others, times[len(own):]):
        print(f"{name:28}{took * 1e6:8.2f} us")
    good = True
    for (name, limit, _), took in zip(own, times):
        line = f"{name:28}{took * 1e6:8.2f} us"
        for (rival, _), theirs in zip(others, times[len(own):]):
            line += f"  {took / theirs:.2f} of {rival.split(':')[0]}"
            good &= took / theirs <= limit
        print(f"{line}; the limit is {limit}" if others else line)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", help="the folder tests/modules")
    parser.add_argument("--rounds", type=int, default=250)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    modules = os.path.join(options.modules, "3.13")
    good = True
    for name, own in eyrie_calls(modules).items():
        good &= compare(own, other_calls(modules, name), options.rounds)
    return 0 if good or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
