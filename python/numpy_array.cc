// Reads and creates arrays with NumPy's C API, which takes some 30 ns where
// attributes take a microsecond.
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include "numpy_array.h"

#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace eyrie::python {
namespace {

// Values of DLDataTypeCode.
enum : uint8_t {
  kInt = 0,
  kUint = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3Fn = 10,
  kFloat8E4M3Fnuz = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2Fnuz = 13,
  kFloat8E8M0Fnu = 14,
  kFloat6E2M3Fn = 15,
  kFloat6E3M2Fn = 16,
  kFloat4E2M1Fn = 17,
};

const DtypeRow kDtypes[] = {
    {"bool", EYRIE_DTYPE_BOOL8, kBool},
    {"int8", EYRIE_DTYPE_SI8, kInt},
    {"int16", EYRIE_DTYPE_SI16, kInt},
    {"int32", EYRIE_DTYPE_SI32, kInt},
    {"int64", EYRIE_DTYPE_SI64, kInt},
    {"uint8", EYRIE_DTYPE_UI8, kUint},
    {"uint16", EYRIE_DTYPE_UI16, kUint},
    {"uint32", EYRIE_DTYPE_UI32, kUint},
    {"uint64", EYRIE_DTYPE_UI64, kUint},
    {"float16", EYRIE_DTYPE_F16, kFloat},
    {"float32", EYRIE_DTYPE_F32, kFloat},
    {"float64", EYRIE_DTYPE_F64, kFloat},
    {"complex64", EYRIE_DTYPE_C64, kComplex},
    {"complex128", EYRIE_DTYPE_C128, kComplex},
    {"bfloat16", EYRIE_DTYPE_BF16, kBfloat, true},
    {"float8_e5m2", EYRIE_DTYPE_F8E5M2, kFloat8E5M2, true},
    {"float8_e4m3fn", EYRIE_DTYPE_F8E4M3FN, kFloat8E4M3Fn, true},
    {"float8_e5m2fnuz", EYRIE_DTYPE_F8E5M2FNUZ, kFloat8E5M2Fnuz, true},
    {"float8_e4m3fnuz", EYRIE_DTYPE_F8E4M3FNUZ, kFloat8E4M3Fnuz, true},
    {"float8_e8m0fnu", EYRIE_DTYPE_F8E8M0FNU, kFloat8E8M0Fnu, true},
    {"float6_e3m2fn", EYRIE_DTYPE_F6E3M2FN, kFloat6E3M2Fn, true},
    {"float6_e2m3fn", EYRIE_DTYPE_F6E2M3FN, kFloat6E2M3Fn, true},
    {"float4_e2m1fn", EYRIE_DTYPE_F4E2M1FN, kFloat4E2M1Fn, true},
    {"int4", static_cast<eyrie_dtype_t>(0x11000004), kInt, true},
    {"uint4", static_cast<eyrie_dtype_t>(0x12000004), kUint, true},
    {"int2", static_cast<eyrie_dtype_t>(0x11000002), kInt, true},
    {"uint2", static_cast<eyrie_dtype_t>(0x12000002), kUint, true},
};
constexpr size_t kRows = std::size(kDtypes);

// The element types of NumPy's own dtypes, by their type numbers.
constexpr std::array<eyrie_dtype_t, NPY_HALF + 1> ByNumber() {
  std::array<eyrie_dtype_t, NPY_HALF + 1> row = {};
  row[NPY_BOOL] = EYRIE_DTYPE_BOOL8;
  row[NPY_BYTE] = EYRIE_DTYPE_SI8;
  row[NPY_SHORT] = EYRIE_DTYPE_SI16;
  row[NPY_INT] = EYRIE_DTYPE_SI32;
  row[NPY_LONG] = EYRIE_DTYPE_SI64;
  row[NPY_LONGLONG] = EYRIE_DTYPE_SI64;
  row[NPY_UBYTE] = EYRIE_DTYPE_UI8;
  row[NPY_USHORT] = EYRIE_DTYPE_UI16;
  row[NPY_UINT] = EYRIE_DTYPE_UI32;
  row[NPY_ULONG] = EYRIE_DTYPE_UI64;
  row[NPY_ULONGLONG] = EYRIE_DTYPE_UI64;
  row[NPY_HALF] = EYRIE_DTYPE_F16;
  row[NPY_FLOAT] = EYRIE_DTYPE_F32;
  row[NPY_DOUBLE] = EYRIE_DTYPE_F64;
  row[NPY_CFLOAT] = EYRIE_DTYPE_C64;
  row[NPY_CDOUBLE] = EYRIE_DTYPE_C128;
  return row;
}
constexpr auto kByNumber = ByNumber();
static_assert(sizeof(long) == 8 && sizeof(npy_intp) == sizeof(int64_t));

// The numbers of the dtypes of ml_dtypes that were seen.
std::vector<std::pair<int, eyrie_dtype_t>> extensions;

// The dtype of each row of kDtypes; null until it is first needed.
PyObject* descriptors[kRows] = {};

constexpr uint8_t BitsOf(eyrie_dtype_t dtype) { return dtype & 0xFF; }

bool is_imported = false;

// Imports NumPy's C API. Throws ImportError.
void Import() {
  if (is_imported) return;
  if (_import_array() < 0) throw nb::python_error();
  is_imported = true;
}

// Objects of NumPy exist only if it is imported.
bool MayExist() {
  if (is_imported) [[likely]]
    return true;
  const nb::object module =
      nb::steal(PyImport_GetModule(nb::str("numpy").ptr()));
  if (!module.is_valid()) return false;
  Import();
  return true;
}

std::string NameOf(PyArray_Descr* descriptor) {
  const nb::handle object(reinterpret_cast<PyObject*>(descriptor));
  return nb::cast<std::string>(nb::str(object.attr("name")));
}

eyrie_dtype_t TypeOf(PyArray_Descr* descriptor) {
  if (!PyArray_ISNBO(descriptor->byteorder)) return EYRIE_DTYPE_NONE;
  const int number = descriptor->type_num;
  if (number >= 0 && number <= NPY_HALF) [[likely]]
    return kByNumber[number];
  if (number < NPY_USERDEF) return EYRIE_DTYPE_NONE;
  for (const auto& [seen, dtype] : extensions) {
    if (seen == number) return dtype;
  }
  const std::string name = NameOf(descriptor);
  for (const DtypeRow& row : kDtypes) {
    if (!row.is_extension || name != row.name) continue;
    extensions.emplace_back(number, row.dtype);
    return row.dtype;
  }
  return EYRIE_DTYPE_NONE;
}

nb::object Module(const DtypeRow& row) {
  if (!row.is_extension) return nb::module_::import_("numpy");
  try {
    return nb::module_::import_("ml_dtypes");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ModuleNotFoundError)) throw;
  }
  throw nb::import_error((std::string("An array of ") + row.name +
                          " needs the package ml_dtypes: run `pip install "
                          "ml_dtypes`.")
                             .c_str());
}

// Returns a borrowed reference.
PyObject* DescriptorOf(eyrie_dtype_t dtype) {
  const DtypeRow* const row = FindDtype(dtype);
  if (row == nullptr) {
    throw nb::type_error("NumPy does not have the array's element type.");
  }
  PyObject*& kept = descriptors[row - kDtypes];
  if (kept == nullptr) {
    Import();
    const nb::object numpy = nb::module_::import_("numpy");
    kept = numpy
               .attr("dtype")(Module(*row).attr(
                   row->dtype == EYRIE_DTYPE_BOOL8 ? "bool_" : row->name))
               .release()
               .ptr();
  }
  return kept;
}

bool IsNarrow(eyrie_dtype_t dtype) {
  return BitsOf(dtype) == 4 || BitsOf(dtype) == 2;
}

// Returns a numpy.ndarray with a copy of elements of 4 or 2 bits, the first one
// in the lowest bits of a byte.
nb::object Unpack(const eyrie_array_t& array, nb::handle descriptor) {
  const auto* const bytes = static_cast<const uint8_t*>(array.data);
  const bool is_integer = array.dtype >> 28 == 1;
  const bool is_signed = is_integer && array.dtype >> 24 != 0x12;
  size_t count = 1;
  nb::list shape;
  for (size_t i = 0; i < array.rank; ++i) {
    count *= static_cast<size_t>(array.shape[i]);
    shape.append(array.shape[i]);
  }
  std::vector<int8_t> wide(count);
  const size_t bits = BitsOf(array.dtype);
  const int values = 1 << bits;
  for (size_t i = 0; i < count; ++i) {
    const int part = bytes[i * bits / 8] >> (i * bits % 8) & (values - 1);
    const bool is_negative = is_signed && part >= values / 2;
    wide[i] = static_cast<int8_t>(is_negative ? part - values : part);
  }
  const nb::object numpy = nb::module_::import_("numpy");
  // Floats are their bits; integers are numbers.
  const char* const convert = is_integer ? "astype" : "view";
  return numpy
      .attr("frombuffer")(
          nb::bytes(reinterpret_cast<const char*>(wide.data()), count), "int8")
      .attr("reshape")(shape)
      .attr(convert)(descriptor);
}

}  // namespace

const DtypeRow* FindDtype(eyrie_dtype_t dtype) {
  if (dtype >> 24 == 0x10) {
    dtype = static_cast<eyrie_dtype_t>(dtype | 0x01000000);
  }
  for (const DtypeRow& row : kDtypes) {
    if (dtype == row.dtype) return &row;
  }
  return nullptr;
}

eyrie_dtype_t FindDtype(uint8_t code, uint8_t bits) {
  for (const DtypeRow& row : kDtypes) {
    if (row.code == code && BitsOf(row.dtype) == bits && bits >= 8) {
      return row.dtype;
    }
  }
  return EYRIE_DTYPE_NONE;
}

bool IsNumpyArray(PyObject* object) {
  return MayExist() && PyArray_Check(object);
}

bool IsNumpyScalar(PyObject* object) {
  return MayExist() && PyArray_IsScalar(object, Generic);
}

size_t RankOf(PyObject* object) {
  return static_cast<size_t>(
      PyArray_NDIM(reinterpret_cast<PyArrayObject*>(object)));
}

bool IsMasked(PyObject* object) {
  const nb::handle array(object);
  return !PyArray_CheckExact(object) && nb::hasattr(array, "mask") &&
         nb::cast<bool>(nb::bool_(array.attr("mask").attr("any")()));
}

bool Describe(PyObject* object, eyrie_array_t& description,
              bool& is_read_only) {
  if (IsMasked(object)) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  description.dtype = TypeOf(PyArray_DESCR(array));
  if (description.dtype == EYRIE_DTYPE_NONE || IsNarrow(description.dtype)) {
    return false;
  }
  description.rank = RankOf(object);
  description.shape = reinterpret_cast<const int64_t*>(PyArray_DIMS(array));
  description.strides =
      reinterpret_cast<const int64_t*>(PyArray_STRIDES(array));
  description.data = PyArray_DATA(array);
  // Used only for an array of rank 0, whose strides are null.
  description.size = (BitsOf(description.dtype) + 7) / 8;
  is_read_only = (PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE) == 0;
  return true;
}

std::string DtypeText(PyObject* object) {
  PyArray_Descr* const descriptor =
      PyArray_DESCR(reinterpret_cast<PyArrayObject*>(object));
  const bool is_native = PyArray_ISNBO(descriptor->byteorder);
  return (is_native ? "" : "big-endian ") + NameOf(descriptor);
}

nb::object NewNumpyArray(const eyrie_array_t& array, nb::object owner) {
  PyObject* const descriptor = DescriptorOf(array.dtype);
  if (IsNarrow(array.dtype)) return Unpack(array, descriptor);
  Py_INCREF(descriptor);  // the array takes this reference
  nb::object made = nb::steal(PyArray_NewFromDescr(
      &PyArray_Type, reinterpret_cast<PyArray_Descr*>(descriptor),
      static_cast<int>(array.rank),
      reinterpret_cast<const npy_intp*>(array.shape),
      reinterpret_cast<const npy_intp*>(array.strides),
      const_cast<void*>(array.data), NPY_ARRAY_CARRAY, nullptr));
  if (!made.is_valid() ||
      PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(made.ptr()),
                            owner.release().ptr()) != 0) {
    throw nb::python_error();
  }
  return made;
}

nb::object NumpyDtype(eyrie_dtype_t dtype) {
  return nb::borrow(DescriptorOf(dtype));
}

nb::object CallNumpy(const char* name, nb::handle argument) {
  return nb::module_::import_("numpy").attr(name)(argument);
}

}  // namespace eyrie::python
