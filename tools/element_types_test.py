"""Passes an array of every element type to a program in every form.

One function returns an array of each type. --output writes the arrays of a
first call in all formats; each row of FORMS gives them back, and must return
the same text. `--cells` runs each type on its own and prints a table.

  element_types_test.py <eyrie> [--cells]
"""

import json
import os
import subprocess
import sys
import tempfile

COUNT = 5
# Types by the text of their elements, in C's or in JSON's form.
NUMBERS = {
    "1 0 1 1 0": "i1",
    "1 -2 0 -1 1": "i2",
    "1 -8 7 0 -1": "i4 si4 i8 si8 i16 si16 i32 si32 i64 si64",
    "1 15 7 0 8": "ui4",
    "1 200 7 0 255": "ui8 ui16 ui32 ui64",
    "1 -2 0.5 0 1.5": "f16 bf16 f32 f64 f8E5M2 f8E4M3FN f8E5M2FNUZ f8E4M3FNUZ "
                      "f6E3M2FN f6E2M3FN f4E2M1FN",
    "1 2 0.5 4 0.25": "f8E8M0FNU",
    "1+2i 0-1i 0.5+0i 3+4i 0+0i": "cf64 cf128",
}
VALUES = {name: text for text, names in NUMBERS.items()
          for name in names.split()}
# MLIR's names where they differ.
MLIR = {"cf64": "complex<f32>", "cf128": "complex<f64>"}
TYPES = list(VALUES)


def as_json(name):
    """Returns the elements of a type as JSON."""
    if name == "i1":
        return [text == "1" for text in VALUES[name].split()]
    if name.startswith("cf"):
        return VALUES[name].split()
    return json.loads("[%s]" % VALUES[name].replace(" ", ","))


def module(names):
    """Returns a program that returns its arguments, by the function's name."""
    text = "vm.module @types\n"
    for function, types in names:
        mlir = ["tensor<%dx%s>" % (COUNT, MLIR.get(t, t)) for t in types]
        slots = ["%%r%d: !vm.ref<?>" % i for i in range(len(types))]
        text += 'vm.export @%s\n//! func.attr "iree.abi.declaration" = ' % (
            function)
        text += '"sync func @%s(%s) -> (%s)"\n' % (
            function, ", ".join("%%a%d: %s" % pair for pair in enumerate(mlir)),
            ", ".join(mlir))
        text += "vm.func @%s(%s) -> (%s) {\n  vm.return %s\n}\n" % (
            function, ", ".join(slots),
            ", ".join(["!vm.ref<?>"] * len(types)),
            ", ".join("%%r%d" % i for i in range(len(types))))
    return text


def flags(form, types):
    """Returns the flags of a form."""
    each = {
        "text": "%dx{t}={v}" % COUNT,
        "raw": "%dx{t}=@{t}.bin" % COUNT,
        "npy": "@{t}.npy",
        "npz": "@all.npz:{t}",
    }
    flag, what = form.split()
    if flag in ("--input", "--expected_output"):
        given = ["%s=%s" % (flag, each[what].format(t=t, v=VALUES[t]))
                 for t in types]
        if flag == "--input":
            return given
        return given + flags("--input text", types)
    values = {
        "json": [{"$dtype": t, "data": as_json(t)} for t in types],
        "list": [as_json(t) for t in types],
        "npy": [{"$npy": t + ".npy"} for t in types],
        "npz": [{"$npz": "all.npz", "key": t} for t in types],
    }
    if flag == "--args":
        return ["--args=" + json.dumps(values[what])]
    with open("batch.jsonl", "w", encoding="utf-8") as file:
        json.dump(values[what], file)
    return ["--batch=batch.jsonl"]


FORMS = (["--input " + what for what in ("text", "raw", "npy", "npz")] +
         ["--expected_output " + what
          for what in ("text", "raw", "npy", "npz")] +
         ["--args " + what for what in ("json", "list", "npy", "npz")] +
         ["--batch " + what for what in ("json", "list", "npy", "npz")] +
         ["--batch folder"])


class Table:
    """Runs forms of types."""

    def __init__(self, eyrie):
        self.eyrie = eyrie

    def run(self, function, *arguments):
        """Returns the exit code and output of a call."""
        done = subprocess.run(
            [self.eyrie, "run", "types.vmfb", "--quiet",
             "--function=" + function, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()

    def cell(self, form, function, types):
        """Returns "" if the form is right for the types, else the output."""
        want = [as_json(t) for t in types]
        if form == "--batch folder":
            os.makedirs("folder", exist_ok=True)
            for suffix in ("npy", "npz"):
                path = "folder/x." + suffix
                if os.path.exists(path):
                    os.remove(path)
            if len(types) == 1:
                os.link(types[0] + ".npy", "folder/x.npy")
            else:
                os.link("all.npz", "folder/x.npz")
            code, text = self.run(function, "--batch=folder")
        elif form.startswith("--expected"):
            code, text = self.run(function, *flags(form, types))
            return "" if code == 0 and "[SUCCESS]" in text else text
        elif form.startswith("--batch"):
            code, text = self.run(function, *flags(form, types))
        else:
            code, text = self.run(function, *flags(form, types))
            shown = self.run(function, *flags("--input text", types))
            # .npy files have no signless integers.
            if (code, text.replace("xsi", "xi")) != (
                    shown[0], shown[1].replace("xsi", "xi")):
                return text or "no output"
            code, text = self.run(function, *flags(form, types),
                                  "--output=json")
        try:
            got = json.loads(text.splitlines()[0])
        except (ValueError, IndexError):
            return text
        if form.startswith("--batch"):
            got = got.get("result", got.get("error"))
        if len(types) == 1:
            got = [got]
        return "" if code == 0 and got == want else text


def write_files(table, function, types):
    """Writes the arrays in all formats with --output."""
    given = flags("--input text", types)
    for suffix in ("npy", "bin"):
        code, text = table.run(function, *given, *[
            "--output=@%s.%s" % (t, suffix) for t in types])
        assert code == 0, text
    # Members are named by their number.
    code, text = table.run(function, *given, *[
        "--output=%sall.npz" % ("+" if i else "@") for i in range(len(types))])
    assert code == 0, text
    import zipfile
    with zipfile.ZipFile("all.npz") as source:
        arrays = [source.read("arr_%d.npy" % i) for i in range(len(types))]
    with zipfile.ZipFile("all.npz", "w") as target:
        for name, array in zip(types, arrays):
            target.writestr(name + ".npy", array)


def main():
    table = Table(os.path.abspath(sys.argv[1]))
    cells = "--cells" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("types.vmasm", "w", encoding="utf-8") as file:
            file.write(module([("all", TYPES)] + [(t, [t]) for t in TYPES]))
        subprocess.run([table.eyrie, "asm", "types.vmasm", "-o", "types.vmfb"],
                       check=True)
        write_files(table, "all", TYPES)
        failures = 0
        for form in FORMS:
            rows = [(t, [t]) for t in TYPES] if cells else [("all", TYPES)]
            wrong = [(name, text) for name, text in (
                (name, table.cell(form, name, types)) for name, types in rows)
                     if text]
            failures += len(wrong)
            print("%-24s %2d of %d right%s" % (
                form, len(rows) - len(wrong), len(rows),
                "".join("\n    %s: %s" % (name, text.strip()[:300])
                        for name, text in wrong)))
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
