"""Builds the source archive with CMake, and uses what it makes.

Arguments: flags for CMake, such as -DCMAKE_CXX_COMPILER=clang++. A project
fetches the archive, builds it with the system's libraries, and installs it;
another one finds the installed library. Needs cmake, ninja and what Eyrie is
built with.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from checks import check, failures, run  # noqa: E402
import archive  # noqa: E402
import install  # noqa: E402

SAMPLES = os.path.join(ROOT, "samples")
# A program of the consumer, its arguments and input, and a part of its output.
USES = (
    ("embed_c_embed_c", "digits/digits.vmfb", "embed/seven.txt", "7: 0.99"),
    ("embed_embed_cc", "digits/digits.vmfb", "embed/seven.txt", "7: 0.99"),
    ("host_function_host_function_c", "host_function/shop.vmfb", None, "54.0"),
    ("host_function_host_function_cc", "host_function/shop.vmfb", None,
     "54.0"),
)
OLD_ABSL = 'set(PACKAGE_VERSION "20211102")\n'
# Flags with which CMake fails, and what it must say.
REFUSED = (
    (["-DCMAKE_SYSTEM_NAME=FreeBSD", "-DCMAKE_SYSTEM_PROCESSOR=x86_64"],
     "Eyrie runs on Linux, not on FreeBSD."),
    (["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=ppc64le"],
     "Eyrie runs on x86_64, aarch64 and riscv64, not on ppc64le."),
    (["-Dabsl_DIR={old}"],
     "The installed absl is version 20211102; Eyrie needs 20220623 or later."),
    (["-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON",
      "-DFETCHCONTENT_SOURCE_DIR_ZLIB={zlib}"],
     "libeyrie.a needs ZLIB on its users' systems, which was fetched"),
)


def words(text):
    """Returns the text of CMake's message, which it wraps."""
    return " ".join(text.split())


def check_archive(folder):
    """Returns the path of the archive, which is the same each time."""
    paths = [os.path.join(folder, name) for name in ("a.tar.xz", "b.tar.xz")]
    digests = []
    for path in paths:
        archive.write(ROOT, path)
        with open(path, "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    check(digests[0] == digests[1], "The archive differs from itself.")
    return paths[0], digests[0]


def configure(source, build, *flags):
    return ["cmake", "-G", "Ninja", "-S", source, "-B", build, *flags]


def check_uses(build):
    """Runs the samples that were built in a folder."""
    for program, module, stdin, expected in USES:
        with open(os.path.join(SAMPLES, stdin) if stdin else os.devnull,
                  encoding="utf-8") as file:
            out = run([os.path.join(build, program),
                       os.path.join(SAMPLES, module)], stdin=file)
        check(expected in out, f"{program} prints '{out}', not '{expected}'.")


def check_tool(tool):
    """Runs the conformance cases with the tool."""
    check(install.version_of(ROOT) in run([tool, "--version"]),
          "The tool prints another version.")
    out = run([sys.executable,
               os.path.join(ROOT, "tests/conformance/conformance.py"),
               f"--eyrie={tool}", f"--runner={tool} run",
               "--releases=3.3,3.13"])
    print(out.strip().splitlines()[-1])


def check_refusals(folder, source):
    """Checks what CMake says if it cannot build."""
    old, zlib = os.path.join(folder, "old"), os.path.join(folder, "zlib")
    os.mkdir(old)
    os.mkdir(zlib)
    with open(os.path.join(zlib, "inflate.c"), "wb"):
        pass
    for name, text in (("abslConfig.cmake", "set(absl_FOUND TRUE)\n"),
                       ("abslConfigVersion.cmake", OLD_ABSL)):
        with open(os.path.join(old, name), "w", encoding="utf-8") as file:
            file.write(text)
    for i, (flags, sentence) in enumerate(REFUSED):
        flags = [flag.format(old=old, zlib=zlib) for flag in flags]
        done = subprocess.run(
            configure(source, os.path.join(folder, f"refused{i}"), *flags),
            capture_output=True, text=True, check=False)
        check(done.returncode != 0 and sentence in words(done.stderr),
              f"CMake with {flags} does not say '{sentence}':\n{done.stderr}")


def main(flags):
    with tempfile.TemporaryDirectory() as folder:
        path, digest = check_archive(folder)
        consumer = os.path.join(HERE, "cmake/consumer")
        build, prefix = os.path.join(folder, "build"), f"{folder}/prefix"
        samples = f"-DSAMPLES={SAMPLES}"
        run(configure(consumer, build, samples, f"-DEYRIE_ARCHIVE={path}",
                      f"-DEYRIE_SHA256={digest}", "-DCMAKE_BUILD_TYPE=Debug",
                      "-DCMAKE_CXX_FLAGS_DEBUG=",
                      f"-DCMAKE_INSTALL_PREFIX={prefix}", *flags))
        check_refusals(folder, os.path.join(build, "_deps/eyrie-src"))
        out = run(["cmake", "--build", build])
        check("warning:" not in out, "The compiler warns:\n" + out)
        check_uses(build)
        run(["cmake", "--install", build])
        check_tool(os.path.join(prefix, "bin/eyrie"))
        second = os.path.join(folder, "second")
        run(configure(consumer, second, samples,
                      f"-DCMAKE_PREFIX_PATH={prefix}",
                      *(flag for flag in flags if "COMPILER" in flag)))
        run(["cmake", "--build", second])
        check_uses(second)
    if not failures:
        print("The archive builds, and what it makes works.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
