"""Reads and writes manifest.json: a block per module, a line per case.

Used by regenerate.py; run_manifest.py reads the file as plain JSON.
"""

import json

import directives


def load(path):
    if not path.exists():
        return {"flags": {}, "modules": []}
    return json.loads(path.read_text())


def release_order(name):
    """Returns a sort key: "3.9" comes before "3.11/add.vmfb" or "3.11.0"."""
    return directives.version(name.split("/")[0] + ".0"), name


def save(path, manifest):
    """Writes the manifest with one line per case, for readable diffs."""
    out = ['{', '"flags": {']
    out.append(",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}"
                          for k, v in sorted(manifest["flags"].items())))
    out += ['},', '"modules": [']
    out.append(",\n".join(_module(m) for m in manifest["modules"]))
    out += [']', '}', '']
    path.write_text("\n".join(out))


def _module(module):
    lines = []
    for key, value in module.items():
        if key == "cases":
            cases = ",\n".join("    " + json.dumps(case) for case in value)
            lines.append(f'  "cases": [\n{cases}\n  ]' if cases
                         else '  "cases": []')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return " {\n" + ",\n".join(lines) + "\n }"


def summary(modules):
    """Returns how many modules and cases each release has."""
    lines = []
    for release in dict.fromkeys(m["release"] for m in modules):
        here = [m for m in modules if m["release"] == release]
        cases = sum(len(m.get("cases", ())) for m in here)
        absent = sum("absent" in m for m in here)
        lines.append(f"{release}: {len(here) - absent} modules, "
                     f"{cases} cases, {absent} absent")
    return "\n".join(lines)
