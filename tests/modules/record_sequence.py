"""Calls functions in sequence on one context and prints their results.

regenerate.py runs it with the Python of one release's environment:
  record_sequence.py '[["next", []], ["add", ["5"]]]' module.vmfb...
Supports scalars only. Needed because upstream's command line tools make one
call. Prints JSON: for each call, its results as lines of iree-run-module.
"""

import json
import sys

import iree.runtime as rt


def call(context, function, inputs):
    arguments = rt.VmVariantList(len(inputs))
    for text in inputs:
        if "." in text:
            arguments.push_float(float(text))
        else:
            arguments.push_int(int(text))
    results = rt.VmVariantList(4)
    context.invoke(function, arguments, results)
    lines = []
    for i in range(results.size):
        value = results.get_serialized_trace_value(i)
        kind = next(key for key in value if key != "type")
        lines.append(f"result[{i}]: {kind}={value[kind]:g}"
                     if kind[0] == "f" else
                     f"result[{i}]: {kind}={value[kind]}")
    return lines


def main():
    calls = json.loads(sys.argv[1])
    config = rt.Config("local-sync")
    instance = config.vm_instance
    modules = [rt.create_hal_module(instance, config.device)]
    modules += [rt.VmModule.mmap(instance, path) for path in sys.argv[2:]]
    context = rt.VmContext(instance, modules)
    print(json.dumps([call(context, modules[-1].lookup_function(name), inputs)
                      for name, inputs in calls]))


if __name__ == "__main__":
    main()
