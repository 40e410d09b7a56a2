#!/usr/bin/env python3
"""Compiles the fixtures of releases for another machine, into a folder.

The manifest there has the same calls and results, recorded on x86-64, so
run_manifest.py compares the results of both machines: docs/porting.md has the
commands. Modules without native code are copied. Modules for Vulkan are left
out, and those whose source names x86-64, or that the release does not compile.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
TRIPLE = "--iree-llvmcpu-target-triple={}-unknown-linux-gnu"
NATIVE = TRIPLE.format("x86_64")
SECONDS = 600
# Flags without which a machine's code is not for its usual systems.
MORE_FLAGS = {
    "riscv64": ["--iree-llvmcpu-target-abi=lp64d",
                "--iree-llvmcpu-target-cpu-features=+m,+a,+f,+d,+c"],
}


def flags_for(machine, flags):
    """Returns a module's flags with the machine's triple, or None."""
    if NATIVE not in flags:
        return None
    return [TRIPLE.format(machine) if f == NATIVE else f
            for f in flags] + MORE_FLAGS.get(machine, [])


def compile_module(module, flags, options):
    """Writes one module. Returns None, or the first error line."""
    target = options.out / module["file"]
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = flags_for(options.machine, flags)
    if flags is None:
        shutil.copy(HERE / module["file"], target)
        return None
    compiler = options.compilers / module["release"] / "bin" / "iree-compile"
    done = subprocess.run(
        [compiler, *flags, module["source"], "-o", target.resolve()],
        cwd=HERE, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    return (lines or [f"iree-compile ends with {done.returncode}"])[0]


def is_wanted(module, releases):
    return (module["release"] in releases and "absent" not in module and
            "vulkan" not in module.get("devices", ()) and
            "x86_64" not in (HERE / module["source"]).read_text())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", default="aarch64")
    parser.add_argument("--compilers", type=pathlib.Path, required=True,
                        help="as regenerate.py takes it")
    parser.add_argument("--releases", nargs="*", default=["3.13.0"])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main():
    options = parse_arguments()
    manifest = json.loads((HERE / "manifest.json").read_text())
    modules = [m for m in manifest["modules"]
               if is_wanted(m, options.releases)]
    flags = [manifest["flags"][m["flags"]] + m.get("more_flags", [])
             for m in modules]
    kept = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for module, error in zip(modules, pool.map(
                compile_module, modules, flags, [options] * len(modules))):
            if error is not None:
                print(f"{module['file']}: {error}")
                continue
            content = (options.out / module["file"]).read_bytes()
            kept.append({**module,
                         "sha256": hashlib.sha256(content).hexdigest()})
    (options.out / "manifest.json").write_text(json.dumps({"modules": kept}))
    print(f"{len(kept)} of {len(modules)} modules are in '{options.out}'.")


if __name__ == "__main__":
    main()
