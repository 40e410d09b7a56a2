"""Parameter files of zeros that take no room on the disk.

A file has a tensor `table` of 1 GiB, and `rest`, which no program reads.
Tested by tests/house_test.py.
"""

import json
import os
import struct

GIB = 1 << 30
ROW_FLOATS = 1024
_ROW_BYTES = 4 * ROW_FLOATS
_ALIGNMENT = 64


def write(path, gib):
    """Writes a file of `gib` GiB of parameters, in the format of its name."""
    tensors = [("table", GIB)]
    if gib > 1:
        tensors.append(("rest", (gib - 1) * GIB))
    make = _irpa if path.endswith(".irpa") else _safetensors
    with open(path + ".new", "wb") as file:
        file.write(make(tensors))
        file.truncate(file.tell() + gib * GIB)
    os.rename(path + ".new", path)


def _safetensors(tensors):
    """Returns the bytes before the data, padded so that tensors are aligned."""
    header, offset = {}, 0
    for name, size in tensors:
        header[name] = {"dtype": "F32",
                        "shape": [size // _ROW_BYTES, ROW_FLOATS],
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    return struct.pack("<Q", len(text)) + text


def _irpa(tensors):
    """Returns the header, the table of entries, and the names."""
    header_size, entry_size, entry_room = 88, 76, 80
    names = "".join(name for name, _ in tensors).encode()
    table = header_size + 8
    place = table + len(tensors) * entry_room
    entries, name_offset, offset = b"", 0, 0
    for name, size in tensors:
        entries += struct.pack(
            "<QIQQQQQQQQ4x", entry_size, 2, 0, name_offset, len(name), 0, 0,
            _ALIGNMENT, offset, size)
        name_offset += len(name)
        offset += size
    data = place + len(names)
    data += -data % _ALIGNMENT
    header = b"IRPA" + struct.pack(
        "<HHQQQQQQQQQQ", 0, 0, header_size, 0, 0, len(tensors), table,
        len(entries), place, len(names), data, offset)
    return (header + bytes(8) + entries + names).ljust(data, b"\0")
