"""Collectives for ranks_test.py: sent and expected elements of each rank.

Expected results are computed here, independently of the runtime. A Layout puts
the ranges of all cases into one send buffer and one receive buffer, and writes
the assembly text of the module that runs all cases on a rank.
"""

import struct

KINDS = ["all_gather", "all_reduce", "all_to_all", "broadcast", "reduce",
         "reduce_scatter", "send", "receive", "send_receive"]
REDUCTIONS = ["none", "sum", "product", "minimum", "maximum", "average"]
# Name: code, letter for `struct`, bits if it is an integer.
TYPES = {
    "i8": (0, "b", 8), "u8": (1, "B", 8), "i16": (2, "h", 16),
    "u16": (3, "H", 16), "i32": (4, "i", 32), "u32": (5, "I", 32),
    "i64": (6, "q", 64), "u64": (7, "Q", 64), "f16": (8, "e", None),
    "f32": (9, "f", None), "f64": (10, "d", None), "bf16": (11, "f", None),
    "f8E5M2": (12, "b", 8),
}
ELEMENTS = 8  # in the send range of a case
ALIGNMENT = 16


def encode(kind_of, values):
    """Returns the bytes of numbers."""
    data = struct.pack(f"<{len(values)}{TYPES[kind_of][1]}", *values)
    if kind_of != "bf16":
        return data
    # The upper halves of f32 are enough: the numbers here have few bits.
    return b"".join(data[i + 2:i + 4] for i in range(0, len(data), 4))


def size_of(kind_of):
    return len(encode(kind_of, [0]))


def values(kind_of, rank, salt):
    """Returns a rank's elements: large integers or small floats."""
    number, _, bits = TYPES[kind_of]
    if bits is None:
        return [float((3 * rank + 5 * i + salt) % 7 - 3)
                for i in range(ELEMENTS)]
    mixed = [(rank + 1) * 0x9E3779B97F4A7C15 * (i + salt + number + 1)
             for i in range(ELEMENTS)]
    return [wrap(kind_of, value >> 3) for value in mixed]


def wrap(kind_of, value):
    bits = TYPES[kind_of][2]
    value %= 1 << bits
    if kind_of[0] == "i" and value >> (bits - 1):
        value -= 1 << bits
    return value


def reduce(kind_of, reduction, elements):
    """Reduces one element of each rank to a result."""
    if reduction in ("minimum", "maximum"):
        return (min if reduction == "minimum" else max)(elements)
    result = elements[0]
    for element in elements[1:]:
        result = (result * element if reduction == "product"
                  else result + element)
    is_float = TYPES[kind_of][2] is None
    if reduction == "average":
        if is_float:
            return result / len(elements)
        return abs(result) // len(elements) * (1 if result >= 0 else -1)
    return result if is_float else wrap(kind_of, result)


class Case:
    """A collective of one element type on a channel of `ranks` ranks.

    For a channel of one rank, `first` is the process that is in it.
    """

    def __init__(self, kind, kind_of, reduction, ranks, total=False,
                 first=None):
        self.kind, self.type, self.reduction = kind, kind_of, reduction
        self.name = f"{kind} {reduction} of {kind_of} on {ranks}"
        self.total = total  # for all-gather: the count includes all ranks
        self.first = first
        salt = KINDS.index(kind)
        self.given = [values(kind_of, rank + (first or 0), salt)
                      for rank in range(ranks)]
        self.ranks = ranks
        self.root = min(2, ranks - 1)

    def rank(self, process):
        """Returns the rank of a process in the channel."""
        return process if self.first is None else process - self.first

    def channel(self):
        return "%r4" if self.first is None else "%r8"

    def op(self):
        return (KINDS.index(self.kind) | REDUCTIONS.index(self.reduction) << 8
                | TYPES[self.type][0] << 16)

    def packed(self, rank):
        """Returns the operation's code. In a "send" case, odd ranks receive."""
        if self.kind == "send" and rank % 2:
            return self.op() + 1
        return self.op()

    def param(self, rank):
        if self.kind in ("broadcast", "reduce"):
            return self.root
        if self.kind == "send":
            return rank ^ 1
        if self.kind == "send_receive":  # the first and last have one neighbor
            to = 0xFFFF if rank == self.ranks - 1 else rank + 1
            return to | (0xFFFF if rank == 0 else rank - 1) << 16
        return 0

    def count(self):
        if self.kind == "all_gather":
            return ELEMENTS * (self.ranks if self.total else 1)
        if self.kind == "reduce_scatter":
            return ELEMENTS // self.ranks
        return ELEMENTS

    def results(self, rank):
        """Returns the elements that a rank receives, or None."""
        reduced = [reduce(self.type, self.reduction, column)
                   for column in zip(*self.given)]
        share = ELEMENTS // self.ranks
        own = slice(rank * share, (rank + 1) * share)
        if self.kind == "all_gather":
            return [value for given in self.given for value in given]
        if self.kind == "all_reduce":
            return reduced
        if self.kind == "all_to_all":
            return [value for given in self.given for value in given[own]]
        if self.kind == "broadcast":
            return self.given[self.root]
        if self.kind == "reduce":
            return reduced if rank == self.root else None
        if self.kind == "reduce_scatter":
            return reduced[own]
        if self.kind == "send":
            return self.given[rank - 1] if rank % 2 else None
        return [0] * ELEMENTS if rank == 0 else self.given[rank - 1]

    def wanted(self, rank):
        results = self.results(rank)
        size = self.receive_size()
        data = encode(self.type, results) if results is not None else b""
        return data + bytes(size - len(data))

    def send_size(self):
        return ELEMENTS * size_of(self.type)

    def receive_size(self):
        gathers = self.kind == "all_gather"
        return self.send_size() * (self.ranks if gathers else 1)

    def receive_length(self):
        """Returns the length that the call passes: exactly that received."""
        if self.kind == "reduce_scatter":
            return self.send_size() // self.ranks
        return self.receive_size()


def all_cases(ranks, first=None):
    cases = []
    for kind_of in TYPES:
        if kind_of.startswith("f8"):
            continue
        for kind in KINDS:
            if kind == "receive":  # tested by the odd ranks of "send"
                continue
            if kind == "send" and ranks == 1:  # there is no other rank
                continue
            reduces = "reduce" in kind
            for reduction in REDUCTIONS[1:] if reduces else REDUCTIONS[:1]:
                cases.append(Case(kind, kind_of, reduction, ranks,
                                  first=first))
        cases.append(Case("all_gather", kind_of, "none", ranks, total=True,
                          first=first))
    return cases


HEAD = """vm.module @ranks version 0
vm.type !hal.buffer
vm.type !hal.buffer_view
vm.type !hal.channel
vm.type !hal.command_buffer
vm.type !hal.device
vm.type !hal.fence
vm.type !vm.buffer
vm.import @hal.buffer_view.buffer cconv "0r_r"
vm.import @hal.buffer_view.create cconv "0rIIiiCID_r"
vm.import @hal.channel.create cconv "0rIIrrii_r"
vm.import @hal.channel.split cconv "0riiI_r"
vm.import @hal.command_buffer.create cconv "0riiIi_r"
vm.import @hal.command_buffer.collective cconv "0rriiiirrIIIII_v"
vm.import @hal.command_buffer.finalize cconv "0r_v"
vm.import @hal.device.queue.alloca cconv "0rIrrIiiII_r"
vm.import @hal.device.queue.execute cconv "0rIrrrI_v"
vm.import @hal.devices.get cconv "0i_r"
vm.import @hal.fence.create cconv "0rI_r"
vm.import @hal.fence.await cconv "0iICrD_i"
"""

# Registers: i0 is 0, i2 -1, i4:5 0, i6:7 -1. r0 is the buffer to send, r2 the
# device, r3 null, r4 the channel, r5 the command buffer, and r8, after SPLIT,
# the channel of this rank only.
BEGIN = """  %i0 = vm.const.i32.zero
  %i1 = vm.const.i32 3
  %i2 = vm.const.i32 -1
  %i3 = vm.const.i32 1
  %i4:5 = vm.const.i64.zero
  %i6:7 = vm.const.i64 -1
  %r2 = vm.call @hal.devices.get(%i0)
  %r3 = vm.const.ref.zero
  %r4 = vm.call @hal.channel.create(%r2, %i6, %i4, %r3, %r3, %i2, %i2)
  %r5 = vm.call @hal.command_buffer.create(%r2, %i3, %i1, %i6, %i0)
"""
SPLIT = """  %i8 = vm.const.i32 {rank}
  %r8 = vm.call @hal.channel.split(%r4, %i8, %i0, %i4)
"""
END = """  vm.call @hal.command_buffer.finalize(%r5)
  %r6 = vm.call @hal.fence.create(%r2, %i4)
  vm.call @hal.device.queue.execute(%r2, %i6, %r3, %r6, %r5, %i4)
  %i1 = vm.call.variadic @hal.fence.await segments[65535, 65535, 1](%i2, %i4, \
%r6)
  vm.cond_br %i1, ^bb2(), ^bb1()
"""
FAIL = """^bb2:
  vm.fail %i1, "a collective has failed"
}
"""


def collective(op, param, ranges, count, to="%r1", channel="%r4"):
    """Returns the lines that record a collective.

    ranges: send offset, send length, receive offset, receive length.
    """
    numbers = [*ranges, count]
    lines = [f"  %i8 = vm.const.i32 {op}",
             f"  %i9 = vm.const.i32 {param - (param >> 31 << 32)}"]
    lines += [f"  %i{10 + 2 * i}:{11 + 2 * i} = vm.const.i64 {number}"
              for i, number in enumerate(numbers)]
    lines.append(
        f"  vm.call @hal.command_buffer.collective(%r5, {channel}, %i8, %i9, "
        f"%i0, %i0, %r0, {to}, %i10, %i12, %i14, %i16, %i18)")
    return "\n".join(lines) + "\n"


class Layout:
    """The ranges of cases in a send buffer and a receive buffer."""

    def __init__(self, cases, ranks):
        self.cases, self.ranks = cases, ranks
        self.places = {}
        self.send_bytes = self.receive_bytes = 0
        for case in cases:
            self.places[id(case)] = (self.send_bytes, self.receive_bytes)
            self.send_bytes += -(-case.send_size() // ALIGNMENT) * ALIGNMENT
            self.receive_bytes += (-(-case.receive_size() // ALIGNMENT) *
                                   ALIGNMENT)

    def sent(self, process):
        data = bytearray(self.send_bytes)
        for case in self.cases:
            begin, _ = self.places[id(case)]
            part = encode(case.type, case.given[case.rank(process)])
            data[begin:begin + len(part)] = part
        return bytes(data)

    def received(self, data, case):
        _, begin = self.places[id(case)]
        return data[begin:begin + case.receive_size()]

    def module(self, process):
        """Returns a module that takes the send buffer and a view for results.

        Its function returns that view.
        """
        text = HEAD + """vm.export @run
vm.func @run(%r0: !hal.buffer_view, %r1: !hal.buffer_view) -> \
(!hal.buffer_view) {
^bb0:
  %r7 = vm.call @hal.buffer_view.buffer(%r1)
  %r0 = vm.call @hal.buffer_view.buffer(%r0)
""" + BEGIN
        if any(case.first is not None for case in self.cases):
            text += SPLIT.format(rank=process)
        for case in self.cases:
            rank = case.rank(process)
            send, receive = self.places[id(case)]
            ranges = (send, case.send_size(), receive, case.receive_length())
            text += collective(case.packed(rank), case.param(rank), ranges,
                               case.count(), to="%r7",
                               channel=case.channel())
        return text + END + "^bb1:\n  vm.return %r1\n" + FAIL


def one_collective(kind, kind_of, count, param=0):
    """Returns a module that runs one collective in memory it allocates."""
    op = KINDS.index(kind) | TYPES[kind_of][0] << 16
    if "reduce" in kind:
        op |= REDUCTIONS.index("sum") << 8
    size = 8 * count
    return (HEAD + "vm.export @run\nvm.func @run() -> () {\n^bb0:\n" + BEGIN +
            f"""  %i20:21 = vm.const.i64 {size}
  %i22 = vm.const.i32 48
  %i23 = vm.const.i32 3075
  %r6 = vm.call @hal.fence.create(%r2, %i4)
  %r0 = vm.call @hal.device.queue.alloca(%r2, %i6, %r3, %r6, %i4, %i22, \
%i23, %i20, %i4)
  %r1 = vm.call @hal.device.queue.alloca(%r2, %i6, %r6, %r3, %i4, %i22, \
%i23, %i20, %i4)
""" + collective(op, param, (0, size, 0, size), count) + END +
            "^bb1:\n  vm.return\n" + FAIL)


# A rank that uses no collectives.
IDLE = HEAD + """vm.export @run
vm.func @run() -> () {
^bb0:
  vm.return
}
"""

# A rank that fails before its first collective.
FAILING = HEAD + """vm.export @run
vm.func @run() -> () {
^bb0:
""" + BEGIN + """  vm.fail %i3, "This rank is unwell"
}
"""
