#!/usr/bin/env python3
"""Compiles the fixtures with public compilers and records the manifest.

Five compilers compile every fixture; the others compile archive.mlir only. Each
.mlir here says in comments how it is compiled and called (directives.py). This
script compiles it once per release and variant, runs each call with the
upstream tool of the same release and writes what that printed into
manifest.json. Only what changed is done again. README.md says how to run it.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import directives
import manifest_io
import run_manifest
import vulkan_target

HERE = pathlib.Path(__file__).resolve().parent
RELEASES = ("3.3.0", "3.9.0", "3.11.0", "3.12.0", "3.13.0")
# The other releases on PyPI, which compile only sources with RELEASES: all.
OTHER_RELEASES = (
    "20230209.425", "20230228.444", "20230404.479", "20230419.494",
    "20230524.529", "20230815.614", "20231004.665", "20231113.707",
    "20231218.742", "20240129.785",
    "20240226.813", "20240410.859",
    "20240621.931", "20240724.964", "20240828.999", "20241104.1068",
    "2.9.0", "3.0.0", "3.1.0", "3.2.0", "3.4.0", "3.5.0", "3.6.0", "3.7.1",
    "3.8.0", "3.10.0")
# Release -> that of its runtime, if it differs.
RUNTIMES = {"3.7.1": "3.7.0"}
ALL_RELEASES = OTHER_RELEASES + RELEASES
COMPILE_SECONDS = 600
RUN_SECONDS = 30

CPU_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu",
    "--iree-llvmcpu-target-cpu=generic",
)
VMVX_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=vmvx",
)
VM_FLAGS = ("--compile-mode=vm",)
STRIP_FLAGS = (
    "--iree-vm-bytecode-module-strip-debug-ops",
    "--iree-vm-bytecode-module-strip-source-map=true",
)
BARE_FLAGS = ("--iree-vm-emit-polyglot-zip=false",)
NO_SYMBOLS_FLAGS = ("--iree-llvmcpu-debug-symbols=false",)
ASYNC_FLAGS = ("--iree-execution-model=async-external",)
UKERNEL_FLAGS = ("--iree-vmvx-enable-microkernels",)
INLINE_FLAGS = ("--iree-execution-model=inline-static",)
LOADER_FLAGS = ("--iree-execution-model=inline-dynamic",)
# Two devices of one kind, distinguished by their order on the command line.
TWO_DEVICES = (
    "--iree-hal-target-device=device_a=local[0]",
    "--iree-hal-target-device=device_b=local[1]",
)
# Variant name -> flags of its target, if that is not native code.
TARGETS = {
    "vmvx": VMVX_FLAGS,
    "vmvx-ukernels": VMVX_FLAGS + UKERNEL_FLAGS,
    "inline-static": ("--iree-hal-target-backends=vmvx-inline",),
    "inline-dynamic-vmvx": VMVX_FLAGS,
    "two": TWO_DEVICES + CPU_FLAGS[1:],
    "two-async": TWO_DEVICES + CPU_FLAGS[1:],
    "two-vmvx": TWO_DEVICES + VMVX_FLAGS[1:],
}
# Variant name -> additional flags.
VARIANTS = {
    "plain": STRIP_FLAGS,
    "bare": STRIP_FLAGS + BARE_FLAGS,
    "debug": (),
    "bare-debug": BARE_FLAGS,
    "async": STRIP_FLAGS + ASYNC_FLAGS,
    "vmvx": STRIP_FLAGS,
    "vmvx-ukernels": STRIP_FLAGS,
    "inline-static": STRIP_FLAGS + INLINE_FLAGS,
    "inline-dynamic": STRIP_FLAGS + LOADER_FLAGS,
    "inline-dynamic-vmvx": STRIP_FLAGS + LOADER_FLAGS,
    "two": STRIP_FLAGS,
    "two-async": STRIP_FLAGS + ASYNC_FLAGS,
    "two-vmvx": STRIP_FLAGS,
    "vulkan": STRIP_FLAGS,
    "vulkan-async": STRIP_FLAGS + ASYNC_FLAGS,
    "vulkan-bda": STRIP_FLAGS,
    "vulkan-default": STRIP_FLAGS,
    "vulkan-two": STRIP_FLAGS,
    "vulkan-mixed": STRIP_FLAGS + CPU_FLAGS[1:] + NO_SYMBOLS_FLAGS,
}


def flag_set(mode, variant, release):
    """Returns the compiler flags for a mode and a variant."""
    if vulkan_target.is_variant(variant):
        return list(vulkan_target.flags(variant, release) + VARIANTS[variant])
    base = VM_FLAGS if mode == "vm" else TARGETS.get(variant, CPU_FLAGS)
    if CPU_FLAGS[-1] in base and "debug" not in variant:
        base += NO_SYMBOLS_FLAGS
    return list(older_flags(base, release) + VARIANTS[variant])


def older_flags(flags, release):
    """Returns a target's flags as a release spells them."""
    if release >= directives.TARGET_DEVICES_SINCE:
        return flags
    renamed = {"--iree-hal-local-target-device-backends=":
               "--iree-hal-target-backends="}
    if release < (0, 20230404):
        renamed["--iree-llvmcpu-"] = "--iree-llvm-"
    older = []
    for flag in flags:
        for new, old in renamed.items():
            flag = flag.replace(new, old)
        older += [flag] if flag != "--iree-hal-target-device=local" else []
    return tuple(older)


def flag_name(mode, variant, release):
    """Returns the name of that set of flags in the manifest."""
    of = "-targetless" if vulkan_target.brings_target(variant, release) else ""
    if release < directives.TARGET_DEVICES_SINCE:
        of = "-2024" if release >= (0, 20230404) else "-2023"
    return f"{mode}.{variant}{of}"


def file_of(source, release, variant):
    """Returns the module's path, relative to this folder."""
    suffix = "" if variant == "plain" else "." + variant
    return f"{release.rsplit('.', 1)[0]}/{source.name}{suffix}.vmfb"


def run_bounded(command, seconds, given=None):
    """Runs a tool. At a timeout, ends it and its children."""
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True,
                          env=run_manifest.upstream_environment()) as process:
        try:
            stdout, stderr = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -1, "", f"runs longer than {seconds} s"
        return process.returncode, stdout, stderr


class Toolchain:
    """One release's compiler and runtime, in a virtual environment."""

    def __init__(self, root, release):
        self.release = release
        self.version = directives.version(release)
        self.bin = root / release / "bin"
        if not (self.bin / "iree-compile").exists():
            self._install(root / release)

    def _install(self, folder):
        print(f"installing release {self.release} in {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        base = "iree-" if self.version[0] == 0 else "iree-base-"
        runtime = RUNTIMES.get(self.release, self.release)
        subprocess.run(
            [folder / "bin" / "pip", "install", "--quiet",
             f"{base}compiler=={self.release}", f"{base}runtime=={runtime}"],
            check=True)

    def compile(self, source, variant, flags, output):
        """Compiles a module. Returns None, or the first error line."""
        output.parent.mkdir(parents=True, exist_ok=True)
        path, text = source.path.name, None
        if vulkan_target.brings_target(variant, self.version):
            path = "-"
            text = vulkan_target.with_target(source.path.read_text(),
                                             self.version)
        code, _, stderr = run_bounded(
            [self.bin / "iree-compile", *flags, path, "-o", output],
            COMPILE_SECONDS, text)
        if code == 0:
            return None
        output.unlink(missing_ok=True)
        lines = [line for line in stderr.splitlines() if "error:" in line]
        if code < 0:
            lines.append(stderr)
        return (lines or [f"iree-compile ends with {code}"])[0].strip()[:200]

    def run(self, modules, devices, call):
        """Runs one call. Returns (exit code, lines after EXEC, stderr)."""
        command = [self.bin / "iree-run-module"]
        command += ["--device=" + run_manifest.upstream_device(
            self.release, name) for name in devices or ["local-sync"]]
        command += [f"--module={m}" for m in modules]
        command += [f"--function={call.function}"]
        command += [f"--input={text}" for text in call.inputs]
        code, stdout, stderr = run_bounded(command, RUN_SECONDS)
        lines = stdout.splitlines()
        if lines and lines[0].startswith("EXEC "):
            lines = lines[1:]
        return code, lines, stderr

    def run_sequence(self, modules, calls):
        """Runs calls on one context. Returns the lines of each call."""
        request = json.dumps([[c.function, c.inputs] for c in calls])
        done = subprocess.run(
            [self.bin / "python", "record_sequence.py", request, *modules],
            cwd=HERE, capture_output=True, text=True, timeout=RUN_SECONDS)
        if done.returncode != 0:
            raise SystemExit(f"{modules}: {done.stderr}")
        return json.loads(done.stdout)


def record_call(tools, modules, devices, call):
    """Returns a manifest case for one call."""
    case = {"function": call.function, "inputs": call.inputs}
    if call.tolerance is not None:
        case["tolerance"] = call.tolerance
    code, lines, stderr = tools.run(modules, devices, call)
    said = f"exit {code}: {stderr.strip()[:200]}"
    if call.fails is not None:
        case["fails"] = call.fails
        if code == 0:
            case["upstream"] = "succeeds: " + " ".join(lines)
        elif call.fails not in stderr:
            case["upstream"] = said
    elif call.want is not None:
        case["expected"] = call.want
        if code != 0:
            case["upstream"] = said
        elif not run_manifest.same_lines(call.want, lines):
            case["upstream"] = "gives " + " ".join(lines)
    elif code == 0:
        case["expected"] = lines
    else:
        case["unrecorded"] = said
    if call.note:
        case["note"] = call.note
    return case


def record_on_vulkan(tools, modules, devices, call, on_cpu):
    """Returns a manifest case for one call on Vulkan, from the CPU's."""
    case = {key: on_cpu[key] for key in
            ("function", "inputs", "tolerance", "fails", "expected", "note")
            if key in on_cpu}
    case["tolerance"] = vulkan_target.tolerance(case)
    code, lines, stderr = tools.run(modules, devices, call)
    said = f"exit {code}: {stderr.strip()[:200]}"
    if "fails" in case:
        if code == 0 or case["fails"] not in stderr + "ANY":
            case["upstream"] = said
        return case
    same = run_manifest.same_lines(case["expected"], lines, case["tolerance"])
    if code != 0:
        case["upstream"] = said
    elif same and call.miscompiled:
        case["unrecorded"] = "no longer MISCOMPILED"
    elif call.miscompiled:
        case["expected"] = lines
        case["note"] = call.miscompiled
    elif not same:
        case["unrecorded"] = "on Vulkan " + " ".join(lines)
    return case


def vulkan_cases(tools, source, variant, modules, on_cpu):
    """Returns the cases of a Vulkan module, from those of the CPU's."""
    devices = vulkan_target.devices(variant)
    by_call = {(c["function"], *c["inputs"]): c for c in on_cpu
               if "sequence" not in c}
    cases = [c for c in on_cpu if "sequence" in c]
    for call in source.calls:
        known = by_call.get((call.function, *call.inputs))
        if (known is not None and not call.cpu_only and
                variant in call.variants(source.variants)):
            cases.append(record_on_vulkan(tools, modules, devices, call,
                                          known))
    return cases


def record_module(tools, source, variant, entry, known):
    """Records every call of one compiled module into its entry."""
    # The modules from which this one imports are loaded first.
    before = [entry["file"].replace(source.name + ".", other + ".", 1)
              for other in source.needs]
    if before:
        entry["needs"] = before
    if source.devices:
        entry["devices"] = source.devices
    modules = before + [entry["file"]]
    if vulkan_target.is_variant(variant):
        entry["devices"] = vulkan_target.devices(variant)
        plain = known[file_of(source, tools.release, source.variants[0])]
        entry["cases"] = vulkan_cases(tools, source, variant, modules,
                                      plain.get("cases", ()))
        return
    cases = []
    for call in source.calls:
        if variant not in call.variants(source.variants):
            continue
        if not call.applies(tools.release):
            continue
        if call.sequence:
            recorded = tools.run_sequence(modules, call.sequence)
            cases.append({"sequence": [
                {"function": c.function, "inputs": c.inputs, "expected": r}
                for c, r in zip(call.sequence, recorded)]})
        else:
            cases.append(record_call(tools, modules, source.devices, call))
    entry["cases"] = cases


def build_one(tools, source, variant, known, force):
    """Compiles and records one module. Returns its manifest entry."""
    name = file_of(source, tools.release, variant)
    flags = flag_set(source.mode, variant, tools.version) + source.flags
    path = HERE / name
    old = known.get(name)
    entry = {"file": name, "source": source.path.name,
             "release": tools.release, "variant": variant,
             "flags": flag_name(source.mode, variant, tools.version),
             "source_sha256": source.sha256}
    if source.flags:
        entry["more_flags"] = source.flags
    same = (old is not None and not force and
            known["flags"].get(old["flags"], []) +
            old.get("more_flags", []) == flags and
            old["source_sha256"] == source.sha256)
    if same and ("runs longer" not in old.get("absent", "runs longer") or
                 (path.exists() and digest(path) == old.get("sha256"))):
        return old
    reason = tools.compile(source, variant, flags, path)
    if reason is not None:
        entry["absent"] = reason
        return entry
    entry["sha256"] = digest(path)
    record_module(tools, source, variant, entry, known)
    return entry


def save(path, entries, wanted):
    """Writes the manifest so far. Returns its modules in order."""
    modules = [entries[name] for name in
               sorted(entries, key=manifest_io.release_order)
               if name in wanted]
    releases = [directives.version(release) for release in ALL_RELEASES]
    manifest_io.save(path, {
        "flags": {flag_name(mode, variant, release):
                  flag_set(mode, variant, release)
                  for mode in ("std", "vm") for variant in VARIANTS
                  for release in releases
                  if mode == "std" or not vulkan_target.is_variant(variant)},
        "modules": modules})
    return modules


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--compilers", type=pathlib.Path,
        default=os.environ.get("EYRIE_COMPILERS",
                               "~/.cache/eyrie/compilers"),
        help="folder with a virtual environment per release; missing ones "
             "are made with pip (default: $EYRIE_COMPILERS or "
             "~/.cache/eyrie/compilers)")
    parser.add_argument("--only", default=[], nargs="*",
                        help="sources to do again, by name without .mlir")
    parser.add_argument("--releases", default=ALL_RELEASES, nargs="*")
    parser.add_argument("--force", action="store_true",
                        help="compile again what seems unchanged")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def variants_of(source, release):
    """Returns the variants of a source that a release compiles."""
    if not source.compiled_by(release, RELEASES):
        return []
    return [v for v in source.variants if source.has(v, release) and
            vulkan_target.exists(v, directives.version(release))]


def stage_of(job):
    """Returns a job's sort key.

    Modules from which others import come first. Modules for Vulkan come last,
    because their expected results are those of the modules for the CPU.
    """
    _, source, variant, _, _ = job
    return 2 if vulkan_target.is_variant(variant) else bool(source.needs)


def run_stage(jobs, threads, entries):
    """Runs the jobs and stores their results in the entries."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for entry in pool.map(lambda job: build_one(*job), jobs):
            entries[entry["file"]] = entry
            if "absent" in entry:
                print(f"absent: {entry['file']}: {entry['absent']}",
                      flush=True)


def main():
    options = parse_arguments()
    root = pathlib.Path(options.compilers).expanduser()
    sources = [directives.read(p) for p in sorted(HERE.glob("*.mlir"))]
    by_name = {source.name: source for source in sources}
    manifest_path = HERE / "manifest.json"
    old = manifest_io.load(manifest_path)
    known = {m["file"]: m for m in old["modules"]}
    known["flags"] = old["flags"]

    jobs = []
    for release in options.releases:
        tools = Toolchain(root, release)
        for source in sources:
            if options.only and source.name not in options.only:
                continue
            jobs += [(tools, source, v, known, options.force)
                     for v in variants_of(source, release)]
    entries = {m["file"]: m for m in old["modules"]}
    wanted = {file_of(s, r, v) for s in sources for r in ALL_RELEASES
              for v in variants_of(s, r)}
    for stage in range(3):
        run_stage([job for job in jobs if stage_of(job) == stage],
                  options.jobs, entries)
        known.update(entries)
        save(manifest_path, entries, wanted)
    for path in HERE.glob("*/*.vmfb"):
        if str(path.relative_to(HERE)) not in wanted:
            path.unlink()
    entries = save(manifest_path, entries, wanted)
    print(manifest_io.summary(entries))
    lost = [f"{m['file']} @{c['function']} {c['inputs']}: {c['unrecorded']}"
            for m in entries for c in m.get("cases", ()) if "unrecorded" in c]
    if lost:
        sys.exit("No result is known; add WANT or FAILS:\n" +
                 "\n".join(lost))


if __name__ == "__main__":
    main()
