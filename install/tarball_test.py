"""Makes the archive of the libraries, unpacks it into a root folder that has
nothing but the C and C++ libraries, and builds programs from there: with CMake
and pkg-config, shared and static. Then runs them in that root.

Arguments: the root of the built files, the modules add.vmfb and digits.vmfb,
and the picture seven.txt.
"""

import os
import re
import shutil
import sys
import tarfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
from checks import check, entering, failures, run  # noqa: E402
from consumer_test import COMPILERS, Consumers  # noqa: E402
import notices  # noqa: E402

EPOCH = 1750000000
# The files below the folder that the archive has.
FILES = re.compile(
    r"lib/libeyrie\.(a|so|so\.0|so\.\d+\.\d+\.\d+)|lib/eyrie/lib\w+\.so[.\d]*|"
    r"lib/pkgconfig/eyrie\.pc|lib/cmake/eyrie/eyrie-config(-version)?\.cmake|"
    r"include/eyrie/\w+\.h|share/eyrie/BUILD\.bazel|"
    r"share/doc/eyrie/(LICENSE|third_party/[\w-]+\.txt)")

# The system's libraries that a program needs, in the output of ldd.
SYSTEM = re.compile(r"(/lib\S*/(?:ld-linux|lib(?:c|m|gcc_s|stdc\+\+)\.)\S+)")


def make(built, folder):
    """Makes the archive twice, checks that both are equal, and returns the
    path of one."""
    paths, contents = [], []
    for name in ("one", "two"):
        out = os.path.join(folder, name)
        paths.append(run(
            [sys.executable, os.path.join(HERE, "tarball.py"), f"--out={out}",
             f"--source={ROOT}", f"--built={built}"],
            env=dict(os.environ, SOURCE_DATE_EPOCH=str(EPOCH))).strip())
        with open(paths[-1], "rb") as file:
            contents.append(file.read())
    check(contents[0] == contents[1], "Two archives of the same files differ.")
    return paths[0]


def unpack(path, folder):
    """Unpacks the archive, checks its files, and returns their folder."""
    base = os.path.basename(path).removesuffix(".tar.xz")
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            name = member.name.removeprefix(base).removeprefix("/")
            check(member.isdir() or FILES.fullmatch(name),
                  f"The archive has {member.name}.")
            check((member.uid, member.uname, member.mtime) == (0, "", EPOCH),
                  f"{name} is of {member.uname} at {member.mtime}.")
        archive.extractall(folder)
    for part in notices.PARTS:
        check(os.path.exists(f"{folder}/{base}/share/doc/eyrie/third_party/"
                             f"{part.name}.txt"),
              f"The licence of {part.name} is not in the archive.")
    return os.path.join(folder, base)


class RootedConsumers(Consumers):
    """Runs the programs in a root that has no other files than theirs, the
    archive's and the system's libraries for C and C++."""

    def __init__(self, root, prefix, modules):
        super().__init__(os.path.join(root, "consumers"), prefix, modules)
        self.root = root
        self.loaded = dict(os.environ, LD_LIBRARY_PATH=prefix + "/lib")
        # Paths below the root mean the same files inside and outside.
        os.makedirs(root + os.path.dirname(root))
        os.symlink("/", root + root)
        self.enter = entering(root)

    def command(self, program, module):
        if not self.enter:
            return [program, module]
        for path in SYSTEM.findall(run(["ldd", program], env=self.loaded)):
            os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
            shutil.copy(path, self.root + path)
        return [*self.enter, program, module]


def main():
    built, *modules = (os.path.abspath(path) for path in sys.argv[1:])
    folder = os.environ["TEST_TMPDIR"]
    root = os.path.join(folder, "root")
    os.makedirs(root)
    modules = [shutil.copy(path, root) for path in modules]
    prefix = unpack(make(built, folder), root)
    consumers = RootedConsumers(root, prefix, modules)
    consumers.with_pkg_config(COMPILERS[0])
    consumers.with_cmake(COMPILERS[0])
    print(f"{len(failures)} failures.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
