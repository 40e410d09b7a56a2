"""Calls jaxlib's LAPACK handlers and multiplies the factors they return.

capsules.c registers the handlers. LAPACK stores matrices by columns, which
lapack.json declares as their layout. The check uses plain Python, independent
of NumPy, SciPy and LAPACK. Used by jaxlib_test.py.
"""

import array
import os
import pathlib
import random
import subprocess

TOLERANCE = 1e-12  # for matrices with elements near 1


def matrix(generator, size, columns=None):
    """Returns a random matrix as a list of rows; square without `columns`."""
    return [[generator.uniform(-1, 1) for _ in range(columns or size)]
            for _ in range(size)]


def transpose(a):
    """Returns the columns of a matrix of rows, or the reverse."""
    return [list(column) for column in zip(*a)]


def multiply(a, b):
    """Returns the product of two matrices of rows."""
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)]
            for row in a]


def distance(a, b):
    """Returns the largest difference between elements of two matrices."""
    return max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s))


def identity(size):
    """Returns the identity matrix."""
    return [[float(i == j) for j in range(size)] for i in range(size)]


class Lapack:
    """Calls functions of lapack.json's module."""

    def __init__(self, eyrie, library, environment, folder):
        self.eyrie, self.folder = eyrie, folder
        self.arguments = [f"--native_library={library}"]
        self.environment = environment

    def run(self, arguments):
        """Runs the tool. Returns (output, whether it succeeded)."""
        done = subprocess.run(
            [self.eyrie, "run", *self.arguments, *arguments],
            env=self.environment, cwd=self.folder, check=False,
            capture_output=True, text=True)
        return done.stdout + done.stderr, done.returncode == 0

    def call(self, function, batch, types):
        """Returns the results for a batch of matrices, as arrays."""
        rows, columns = len(batch[0]), len(batch[0][0])
        elements = array.array("d")
        for a in batch:
            for row in a:
                elements.extend(row)
        (self.folder / "in.bin").write_bytes(elements.tobytes())
        text, good = self.run(
            [f"--function=lapack.{function}",
             f"--input={len(batch)}x{rows}x{columns}xf64=@in.bin"] +
            [f"--output=@out{i}.bin" for i in range(len(types))])
        if not good:
            raise RuntimeError(text)
        results = []
        for i, kind in enumerate(types):
            result = array.array(kind)
            result.frombytes((self.folder / f"out{i}.bin").read_bytes())
            results.append(result)
        return results


def matrix_of(elements, index, size, columns=None):
    """Returns the rows of a matrix of a batch; square without `columns`."""
    columns = columns or size
    begin = index * size * columns
    return [list(elements[begin + i * columns:begin + (i + 1) * columns])
            for i in range(size)]


def check_potrf(lapack, generator):
    """Checks A = L * L^T, and the error for a matrix that has no L."""
    size, batch = 9, []
    for _ in range(3):
        a = matrix(generator, size)
        batch.append(multiply(a, transpose(a)))
        for i in range(size):
            batch[-1][i][i] += 1
    factors, info = lapack.call("dpotrf", batch, "di")
    for index, a in enumerate(batch):
        lower = [[x if j <= i else 0.0 for j, x in enumerate(row)]
                 for i, row in enumerate(matrix_of(factors, index, size))]
        yield distance(multiply(lower, transpose(lower)), a), TOLERANCE
        yield abs(info[index]), 0
    _, info = lapack.call("dpotrf", [identity(2), [[1, 2], [2, 1]]], "di")
    yield abs(info[0]) + abs(info[1] - 2), 0
    # The handler would read past the end.
    text, _ = lapack.run(["--function=lapack.dpotrf", "--input=2x3xf64=1"])
    yield "The dimensions 0.-2 and 0.-1 of the arguments" not in text, 0


def check_getrf(lapack, generator):
    """Checks P * A = L * U, for square and for wide matrices."""
    yield from check_getrf_of(lapack, generator, 8, 8)
    yield from check_getrf_of(lapack, generator, 5, 9)


def check_getrf_of(lapack, generator, size, columns):
    """Checks P * A = L * U for matrices with `size` rows."""
    batch = [matrix(generator, size, columns) for _ in range(4)]
    factors, pivots, info = lapack.call("dgetrf", batch, "dii")
    for index, a in enumerate(batch):
        both = matrix_of(factors, index, size, columns)
        lower = [[1.0 if i == j else both[i][j] if j < i else 0.0
                  for j in range(size)] for i in range(size)]
        upper = [[both[i][j] if j >= i else 0.0 for j in range(columns)]
                 for i in range(size)]
        swapped = [list(row) for row in a]
        for i in range(size):
            other = pivots[index * size + i] - 1
            swapped[i], swapped[other] = swapped[other], swapped[i]
        yield distance(multiply(lower, upper), swapped), TOLERANCE
        yield abs(info[index]), 0


def check_syevd(lapack, generator):
    """Checks A * V = V * D, V * V^T = 1, and the order and sum of D."""
    size, batch = 10, []
    for _ in range(2):
        a = matrix(generator, size)
        batch.append([[x + y for x, y in zip(r, s)]
                      for r, s in zip(a, transpose(a))])
    vectors, values, info = lapack.call("dsyevd", batch, "ddi")
    for index, a in enumerate(batch):
        v = matrix_of(vectors, index, size)
        w = values[index * size:(index + 1) * size]
        scaled = [[x * y for x, y in zip(row, w)] for row in v]
        yield distance(multiply(a, v), scaled), TOLERANCE
        yield distance(multiply(v, transpose(v)), identity(size)), TOLERANCE
        yield abs(sum(w) - sum(a[i][i] for i in range(size))), TOLERANCE
        yield sum(x > y for x, y in zip(w, w[1:])) + abs(info[index]), 0


def check_modules(lapack, modules):
    """Checks the Cholesky decomposition in compiled modules."""
    paths = sorted(modules.glob("*/lapack*.vmfb"))
    yield abs(len(paths) - 6), 0
    for path in paths:
        for text, want in (
                ("3x3xf32=4 2 -2 2 10 5 -2 5 21",
                 ("3x3xf32=[2 0 0][1 3 0][-1 2 4]", "i32=0")),
                ("2x2xf32=1 2 2 1", ("i32=2",))):
            printed, _ = lapack.run([path, "--function=cholesky",
                                     f"--input={text}"])
            missing = [line for line in want
                       if line not in printed.splitlines()]
            if missing:
                print(f"{path}: {printed}")
            yield len(missing), 0


def environment_for(python):
    """Returns the environment that capsules.c needs to start Python."""
    paths = subprocess.run(
        [python, "-c", "import os, sys, sysconfig as s\n"
         "name = s.get_config_var('INSTSONAME')\n"
         "path = os.path.join(s.get_config_var('LIBDIR'), name)\n"
         "print(path if os.path.exists(path) else name)\n"
         "print(sys.base_prefix)\n"
         "print(os.pathsep.join(p for p in sys.path if 'site-packages' in p))"],
        check=True, capture_output=True, text=True).stdout.splitlines()
    environment = dict(os.environ)
    environment["EYRIE_LIBPYTHON"] = paths[0]
    environment["PYTHONHOME"] = paths[1]
    environment["PYTHONPATH"] = paths[2]
    environment["OPENBLAS_NUM_THREADS"] = "1"
    # Python never releases the memory of its modules.
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    return environment


def check(eyrie, capsules, python, folder):
    """Runs all checks. Returns how many figures exceed their bound."""
    here = pathlib.Path(__file__).parent
    manifest = here / "lapack.json"
    lapack = Lapack(eyrie.absolute(),
                    f"{capsules.absolute()},manifest={manifest.absolute()}",
                    environment_for(python), folder)
    text, good = lapack.run(["--function=lapack.dpotrf",
                             "--input=1x1xf64=4"])
    if not good and "libpython" in text and "cannot open" in text:
        print(f"SKIPPED: LAPACK's handlers, as Python is no library here: "
              f"{text.strip()}")
        return 0
    generator = random.Random(7)
    figures = []
    for name, rows in (("potrf", check_potrf(lapack, generator)),
                       ("getrf", check_getrf(lapack, generator)),
                       ("syevd", check_syevd(lapack, generator)),
                       ("modules", check_modules(lapack,
                                                 here.parent / "modules"))):
        rows = list(rows)
        figures += rows
        if any(not have <= bound for have, bound in rows):
            print(f"FAILED: {name}: {rows}")
    failures = sum(not have <= bound for have, bound in figures)
    print(f"{len(figures) - failures} of {len(figures)} figures of LAPACK's "
          "handlers within their bounds")
    return failures
