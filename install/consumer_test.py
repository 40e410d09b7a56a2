"""Installs Eyrie into a prefix, moves it, and builds programs that use it
outside the tree: with CMake, pkg-config and Bazel, shared and static, in C and
C++, with GCC and clang. Then uninstalls Eyrie.

Arguments: the root of the built files, the modules add.vmfb and digits.vmfb,
and the picture seven.txt.
"""

import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from checks import check, check_links, failures, run  # noqa: E402
import install  # noqa: E402

COMPILERS = (("gcc", "g++"), ("clang-19", "clang++-19"))
C_HEADERS = re.compile(r"(c|c_\w+|collectives_plugin|xla_ffi)\.h")
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md")
EXPORTED = {"XLA_FFI_GetApi", "_ZN3xla3ffi12GetXlaFfiApiEv"}


class Consumers:
    """Builds the programs from a folder of sources, and runs them."""

    def __init__(self, folder, prefix, modules):
        self.folder, self.prefix = folder, prefix
        self.add, self.digits, self.picture = modules
        os.makedirs(folder)
        for source in ("install/consumers/add.c",
                       "install/consumers/CMakeLists.txt",
                       "samples/embed/embed.cc"):
            shutil.copy(os.path.join(ROOT, source), folder)

    def command(self, program, module):
        """Returns the command that runs a program with a module."""
        return [program, module]

    def run_add(self, program, **options):
        want = f"{install.version_of(ROOT)}: 2 4 6 8\n"
        got = run(self.command(program, self.add), **options)
        check(got == want, f"{program} prints {got!r} and not {want!r}.")

    def run_embed(self, program, **options):
        with open(self.picture, encoding="utf-8") as picture:
            got = run(self.command(program, self.digits), stdin=picture,
                      **options)
        rows = [line.split(":") for line in got.splitlines()]
        best = max(rows, key=lambda row: float(row[1]), default=["none"])
        check(best[0] == "7", f"{program} sees a {best[0]} in the seven.")

    def with_cmake(self, compilers):
        if shutil.which("cmake") is None:
            print("CMake is left out: the package cmake is not installed.")
            return
        build = os.path.join(self.folder, "cmake-" + compilers[0])
        run(["cmake", "-S", self.folder, "-B", build,
             f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_C_COMPILER={compilers[0]}",
             f"-DCMAKE_CXX_COMPILER={compilers[1]}"])
        run(["cmake", "--build", build])
        for kind in ("eyrie", "eyrie_static"):
            self.run_add(os.path.join(build, "add_" + kind))
            self.run_embed(os.path.join(build, "embed_" + kind))

    def with_pkg_config(self, compilers):
        if shutil.which("pkg-config") is None:
            print("Skipping pkg-config: it is not installed.")
            return
        path = os.path.join(self.prefix, "lib/pkgconfig")
        env = dict(os.environ, PKG_CONFIG_PATH=path)
        libs = os.path.join(self.prefix, "lib")
        loaded = dict(os.environ, LD_LIBRARY_PATH=libs)
        flags = run(["pkg-config", "--cflags", "--libs", "eyrie"],
                    env=env).split()
        static = run(["pkg-config", "--static", "--cflags", "--libs", "eyrie"],
                     env=env).split()
        static = ["-l:libeyrie.a" if flag == "-leyrie" else flag
                  for flag in static]
        program = os.path.join(self.folder, "program-" + compilers[0])
        source = os.path.join(self.folder, "add.c")
        for options in (flags, static):
            run([compilers[0], "-std=c11", *WARNINGS, source, "-o", program,
                 *options])
            self.run_add(program, env=loaded if options is flags else None)

    def with_bazel(self):
        shims = os.path.join(ROOT, "third_party")
        places = {"rules_cc": f"{shims}/rules_cc",
                  "rules_java": "/usr/share/bazel/rules/java",
                  "rules_proto": "/usr/share/bazel/rules/proto",
                  "remote_coverage_tools": f"{shims}/coverage"}
        text = "".join(f'local_repository(name="{name}", path="{path}")\n'
                       for name, path in places.items())
        text += (f'new_local_repository(name="eyrie", path="{self.prefix}", '
                 f'build_file="{self.prefix}/share/eyrie/BUILD.bazel")\n')
        with open(os.path.join(self.folder, "WORKSPACE"), "w",
                  encoding="utf-8") as file:
            file.write(text)
        shutil.copy(os.path.join(HERE, "consumers/BUILD.in"),
                    os.path.join(self.folder, "BUILD"))
        output = os.path.join(os.path.dirname(self.folder), "bazel")
        run(["bazel", "--batch", "--nohome_rc",
             f"--output_user_root={output}", "--host_jvm_args=-Xmx512m",
             "build", "--spawn_strategy=local", "--color=no", "--curses=no",
             "--repo_env=BAZEL_CXXOPTS=-std=c++20", "//..."], cwd=self.folder)
        for kind in ("eyrie", "eyrie_static"):
            place = os.path.join(self.folder, "bazel-bin")
            self.run_add(os.path.join(place, "add_" + kind))
            self.run_embed(os.path.join(place, "embed_" + kind))


def check_headers(prefix):
    """Checks that each header compiles alone, in each of its languages."""
    folder = os.path.join(prefix, "include/eyrie")
    for name in sorted(os.listdir(folder)):
        text = install.read(folder, name)
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        check("absl" not in code, f"{name} has types of Abseil.")
        is_c = C_HEADERS.fullmatch(name) is not None
        languages = [("c++", "c++20")]
        if is_c:
            languages = [("c", "c11"), ("c++", "c++17")]
        for compilers in COMPILERS if is_c else COMPILERS[:1]:
            for language, standard in languages:
                run([compilers[language == "c++"], "-x", language,
                     "-std=" + standard, *WARNINGS, "-fsyntax-only",
                     "-I" + os.path.join(prefix, "include"),
                     *(["-fno-exceptions", "-fno-rtti"]
                       if language == "c++" else []),
                     os.path.join(folder, name)])


def check_language(prefix):
    """Checks that with an older C++ the first error says which is needed."""
    folder = os.path.join(prefix, "include/eyrie")
    for name in sorted(os.listdir(folder)):
        if C_HEADERS.fullmatch(name):
            continue
        for _, compiler in COMPILERS:
            done = subprocess.run(
                [compiler, "-x", "c++", "-std=c++17", "-fsyntax-only",
                 "-I" + os.path.join(prefix, "include"),
                 os.path.join(folder, name)],
                capture_output=True, text=True, check=False)
            errors = [line for line in done.stderr.split("\n")
                      if " error: " in line]
            check(errors and "headers are C++20" in errors[0],
                  f"{name} is not refused as C++17 by {compiler}: {errors[:1]}")


def check_documents(prefix):
    """Checks that the pages that README.md names are installed."""
    folder = os.path.join(prefix, "share/doc/eyrie")
    check_links(folder)
    text = install.read(folder, "README.md")
    for link in PAGES:
        check(f"]({link})" in text, f"README.md has no link to {link}.")


def names(library, *flags):
    lines = run(["nm", "--defined-only", "--extern-only", *flags,
                 library]).splitlines()
    found = {line.split()[-1].split("@")[0] for line in lines
             if len(line.split()) == 3}
    return found - {"EYRIE_0"}


def check_names(prefix):
    """Checks that both libraries export exactly what the headers declare."""
    declared = set()
    folder = os.path.join(prefix, "include/eyrie")
    for name in os.listdir(folder):
        declared |= set(re.findall(r"EYRIE_EXPORT[^;(]*?\b(eyrie_\w+)\(",
                                   install.read(folder, name)))
    for library, flags in (("libeyrie.so", ["-D"]), ("libeyrie.a", [])):
        found = names(os.path.join(prefix, "lib", library), *flags)
        check(found == declared | EXPORTED,
              f"{library} differs from the headers in "
              f"{sorted(found ^ (declared | EXPORTED))}.")


def installer(*flags, **env):
    return run([sys.executable, os.path.join(HERE, "install.py"), *flags],
               env=dict(os.environ, **env))


def install_and_move(built, folder):
    """Installs with DESTDIR, moves the prefix, and returns its new path."""
    stage = os.path.join(folder, "stage")
    flags = ["--prefix=/usr/local", f"--source={ROOT}", f"--built={built}"]
    installer(*flags, DESTDIR=stage)
    before = sorted(install.read_manifest(stage + "/usr/local"))
    stray = os.path.join(stage, "usr/local/share/eyrie/stray")
    with open(stray, "w", encoding="utf-8") as file:
        file.write("of an older version\n")
    with open(os.path.join(stage, "usr/local", install.MANIFEST), "a",
              encoding="utf-8") as file:
        file.write("share/eyrie/stray\n")
    installer(*flags, DESTDIR=stage)
    check(not os.path.exists(stray), "A file of an older version was kept.")
    check(sorted(install.read_manifest(stage + "/usr/local")) == before,
          "Two installations differ.")
    prefix = os.path.join(folder, "moved prefix".replace(" ", "-"))
    os.rename(os.path.join(stage, "usr/local"), prefix)
    for name in before:
        place = os.path.join(prefix, name)
        check(os.path.exists(place), f"{name} does not exist.")
        if name.endswith((".pc", ".cmake", ".bazel")):
            check(folder not in install.read(place),
                  f"{name} contains the path of its first folder.")
    return prefix


def main():
    built, *modules = (os.path.abspath(path) for path in sys.argv[1:])
    folder = os.path.join(os.environ["TEST_TMPDIR"], "t")
    os.makedirs(folder)
    prefix = install_and_move(built, folder)
    check_documents(prefix)
    consumers = Consumers(os.path.join(folder, "consumers"), prefix, modules)
    steps = [("headers", lambda: check_headers(prefix)),
             ("language", lambda: check_language(prefix)),
             ("names", lambda: check_names(prefix)),
             ("bazel", consumers.with_bazel),  # GCC
             ("cmake", lambda: consumers.with_cmake(COMPILERS[1]))]
    for compilers in COMPILERS:
        steps.append(("pkg-config, " + compilers[0],
                      lambda c=compilers: consumers.with_pkg_config(c)))
    for name, step in steps:
        begin = time.monotonic()
        step()
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    tool = run([os.path.join(prefix, "bin/eyrie"), "run",
                "--module=" + modules[0], "--input=4xf32=1 2 3 4",
                "--input=4xf32=10"])
    check(tool.endswith("4xf32=11 12 13 14\n"), "The tool does not add.")
    tool = run([os.path.join(prefix, "bin/iree-run-module"),
                "--module=" + modules[0], "--input=4xf32=1 2 3 4",
                "--input=4xf32=10"])
    check(tool.endswith("4xf32=11 12 13 14\n"), "iree-run-module does not add.")
    installer("--uninstall", f"--prefix={prefix}")
    check(not os.path.exists(prefix) or not os.listdir(prefix),
          "Uninstalling left files.")
    print(f"{len(failures)} failures.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
