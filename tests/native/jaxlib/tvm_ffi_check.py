"""Calls functions that were compiled with apache-tvm-ffi's headers.

Used by jaxlib_test.py. tvm_ffi.cc has the functions, which are linked with the
library of the same package.
"""

COLUMNS = {"buffer": "?x?xf32", "layout": "column_major"}
SIZES = [{"dtype": "s64", "shape": [1]}]
STRIDES = [{"dtype": "s64", "shape": [5]}]
LIKE = [{"like": 0}]
TURNED = {"dtype": 0, "shape": ["0.1", "0.0"]}


def function(arguments, results, **more):
    """Returns a function of the manifest."""
    return {"convention": "tvm_ffi", "arguments": arguments,
            "results": results, **more}


MANIFEST = {
    "module": "tvm",
    "functions": {
        "row_sum": function(["?x?xf32"], [{"dtype": "f32", "shape": ["0.0"]}]),
        "row_sum_of_columns": function(
            [COLUMNS], [{"dtype": "f32", "shape": ["0.0"]}],
            symbol="__tvm_ffi_row_sum"),
        "strides": function(["*xf32"], STRIDES),
        "strides_of_columns": function([COLUMNS], STRIDES,
                                       symbol="__tvm_ffi_strides"),
        "strides_of_order": function(
            [{"buffer": "?x?x?xf32", "layout": [0, 1, 2]}], STRIDES,
            symbol="__tvm_ffi_strides"),
        "own_strides": function(["*xf32"], STRIDES),
        "optional": function([{"optional": "buffer"}], SIZES),
        "raw": function(["buffer", "buffer"],
                        [{"dtype": "s64", "shape": [2]}]),
        "keep": function(["*xf32"], LIKE),
        "same": function(["*xf32"], LIKE, order=["args"]),
        "same_of_columns": function([COLUMNS], LIKE, order=["args"],
                                    symbol="__tvm_ffi_same"),
        "same_in_columns": function(
            ["?x?xf32"], [{"like": 0, "layout": "column_major"}],
            order=["args"], symbol="__tvm_ffi_same"),
        "transposed": function(["?x?xf32"], [TURNED], order=["args"]),
        "fail": function(["buffer"], []),
        "shape_of": function(["buffer"], LIKE, order=["args"]),
        "any": function(["buffer"], LIKE, order=["args"],
                        symbol="__tvm_ffi_same"),
    },
}

MATRIX = "2x3xf32=1 2 3 4 5 6"
SAME = "2x3xf32=[1 2 3][4 5 6]"
# Function, inputs, and the last line of output or a part of the error.
ROWS = [
    ("tvm.row_sum", [MATRIX], "2xf32=6 15"),
    ("tvm.row_sum_of_columns", [MATRIX], "2xf32=6 15"),
    ("tvm.strides", [MATRIX], "5xi64=2 3 1 0 0"),
    ("tvm.strides", ["f32=1"], "5xi64=0 0 0 0 0"),
    ("tvm.strides", ["4x0x2x5xf32"], "5xi64=4 0 10 5 1"),
    ("tvm.strides_of_columns", [MATRIX], "5xi64=2 1 2 0 0"),
    ("tvm.strides_of_order", ["2x3x4xf32"], "5xi64=3 1 2 6 0"),
    ("tvm.own_strides", ["2x3x4xf32"], "5xi64=3 12 4 1 0"),
    ("tvm.optional", ["7xf32"], "1xi64=7"),
    ("tvm.optional", [], "1xi64=-1"),
    ("tvm.raw", ["7xf32", "8xi8"], "2xi64=7 8"),
    ("tvm.keep", ["1xf32=0"],
     "UNIMPLEMENTED: The function keeps argument 0 after it has returned."),
    ("tvm.keep", ["1xf32=1"],
     "UNIMPLEMENTED: The function keeps result 0 after it has returned."),
    ("tvm.same", [MATRIX], SAME),
    ("tvm.same", ["0x3xf32"], "0x3xf32="),
    ("tvm.same_of_columns", [MATRIX], SAME),
    ("tvm.same_in_columns", [MATRIX], SAME),
    ("tvm.transposed", [MATRIX], "3x2xf32=[1 4][2 5][3 6]"),
    ("tvm.fail", ["1xf32"], "OUT_OF_RANGE: IndexError: one\n  two"),
    ("tvm.shape_of", ["2xf32"], "The function returned a shape."),
    ("tvm.any", ["2xf8E4M3FN=1 2"], "2xf8E4M3FN=1 2"),
    ("tvm.any", ["2xbf16=1 2"], "2xbf16=1 2"),
    ("tvm.any", ["2xi4=1 2"], "Functions of TVM-FFI expect several elements"),
    ("tvm.any", ["2xi1=1 0"], "2xi1=01 00"),
    ("tvm.any", ["1xcf128=1"], "1xcf128=000000000000F03F"),
]
