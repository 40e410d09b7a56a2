"""Compares the time of a NumPy call with onnxruntime's and iree.runtime's.

  call_bench.py <tests/modules> [--rounds=N] [--check]

All packages add two arrays of 4 floats in this process and in turn; a figure is
the least of the rounds. A package that is not installed is left out, with a
line that says so. With --check, the exit code is 1 if a limit is exceeded:
`run` of onnxruntime and a call of iree.runtime must take at least twice as long
as a call of eyrie.
"""

import argparse
import os
import sys
import time

import numpy as np

import eyrie

LIMIT = 0.5
CALLS = 200  # per round


def rows(count):
    return [np.arange(count, dtype=np.float32) for _ in range(2)]


def eyrie_calls(module):
    """Returns (name, function without arguments) for each way to call."""
    model = eyrie.load(module)
    a, b = rows(4)
    on_device = model.add.options(results="device")
    x = on_device(a, b)
    function = model.add
    yield "eyrie: model.add(a, b)", lambda: model.add(a, b)
    yield "eyrie: add(a, b)", lambda: function(a, b)
    yield "eyrie: add(x, x), device arrays", lambda: on_device(x, x)


def onnx_call():
    """Returns a call of InferenceSession.run, or raises ImportError."""
    import onnxruntime
    from onnx import TensorProto, helper
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
              for name in ("a", "b", "c")]
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["c"])],
                              "add", values[:2], values[2:])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"])
    a, b = rows(4)
    return lambda: session.run(None, {"a": a, "b": b})


def iree_call(module):
    """Returns a call of a VmModule's function, or raises ImportError."""
    import iree.runtime
    config = iree.runtime.Config("local-sync")
    with open(module, "rb") as file:
        loaded = iree.runtime.load_vm_module(
            iree.runtime.VmModule.copy_buffer(config.vm_instance, file.read()),
            config)
    a, b = rows(4)
    add = loaded.add
    return lambda: add(a, b)


def least(calls, rounds):
    """Returns the least time of each call in seconds."""
    times = [float("inf")] * len(calls)
    for _ in range(rounds):
        for index, (_, call) in enumerate(calls):
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            took = (time.perf_counter() - begin) / CALLS
            times[index] = min(times[index], took)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", help="the folder tests/modules")
    parser.add_argument("--rounds", type=int, default=250)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    module = os.path.join(options.modules, "3.13", "add.vmfb")
    calls = list(eyrie_calls(module))
    own = len(calls)
    for name, make in (("onnxruntime: run", onnx_call),
                       ("iree.runtime: add(a, b)", lambda: iree_call(module))):
        try:
            calls.append((name, make()))
        except ImportError as missing:
            print(f"{name} is left out: {missing}.")
    times = least(calls, options.rounds)
    good = True
    for (name, _), took in zip(calls, times):
        print(f"{name:34}{took * 1e6:8.2f} us")
    for (name, _), took in list(zip(calls, times))[own:]:
        ratio = times[0] / took
        good &= ratio <= LIMIT
        print(f"{calls[0][0]} takes {ratio:.2f} of {name}; "
              f"the limit is {LIMIT}.")
    return 0 if good or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
