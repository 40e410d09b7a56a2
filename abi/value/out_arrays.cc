#include "abi/value/out_arrays.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/named_function.h"
#include "abi/tensor/element_range.h"
#include "abi/value/convert.h"
#include "abi/value/encoder.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

// A dimension of more than one element.
struct Walk {
  int64_t count;
  int64_t stride;
};

// The bytes of an array: runs of `width` bytes, which all begin `walks` from
// the first one.
struct Layout {
  uintptr_t first = 0;  // the lowest address
  uintptr_t end = 0;    // one past the highest
  uint64_t width = 0;
  std::vector<Walk> walks;  // the longest stride last
};

// The array must not be empty. Its offsets are valid, since it exists.
Layout LayoutOf(const HostArray& array) {
  Layout layout;
  layout.first = reinterpret_cast<uintptr_t>(array.data());
  layout.width = array.byte_length();
  layout.end = layout.first + layout.width;
  if (array.is_dense()) return layout;
  layout.width = hal::StrideBits(array.type()) / 8;
  layout.end = layout.first + layout.width;
  for (size_t i = 0; i < array.shape().size(); ++i) {
    if (array.shape()[i] == 1) continue;
    const int64_t stride = array.strides()[i];
    const int64_t reach = (array.shape()[i] - 1) * stride;
    (reach < 0 ? layout.first : layout.end) += static_cast<uintptr_t>(reach);
    layout.walks.push_back({array.shape()[i], std::abs(stride)});
  }
  std::sort(layout.walks.begin(), layout.walks.end(),
            [](const Walk& a, const Walk& b) { return a.stride < b.stride; });
  // Elements that follow each other without a gap are one run.
  auto& walks = layout.walks;
  while (!walks.empty() &&
         static_cast<uint64_t>(walks.front().stride) == layout.width) {
    layout.width *= static_cast<uint64_t>(walks.front().count);
    walks.erase(walks.begin());
  }
  return layout;
}

// Reports whether two elements of an array may be at the same address.
bool SharesElements(const HostArray& array) {
  if (array.element_count() == 0 || array.is_dense()) return false;
  const Layout layout = LayoutOf(array);
  uint64_t reach = layout.width;
  for (const Walk& walk : layout.walks) {
    const auto stride = static_cast<uint64_t>(walk.stride);
    if (stride < reach) return true;
    reach += static_cast<uint64_t>(walk.count - 1) * stride;
  }
  return false;
}

// Reports whether elements of `type` are elements of the array as they are.
bool TakesElements(const HostArray& out, ElementType type) {
  return SameBits(type, out.type()) && !MayChangeValue(type, out.type());
}

// Writes dense elements to an array with strides.
void Scatter(const uint8_t* source, const HostArray& out) {
  auto* target = const_cast<uint8_t*>(out.data());
  const size_t width = hal::StrideBits(out.type()) / 8;
  const std::span<const int64_t> shape = out.shape();
  const std::span<const int64_t> strides = out.strides();
  const size_t last = shape.size() - 1;  // rank 0 is dense
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t done = 0; done < out.element_count(); done += shape[last]) {
    for (int64_t i = 0; i < shape[last]; ++i, source += width) {
      std::memcpy(target + i * strides[last], source, width);
    }
    for (size_t i = last; i-- > 0;) {
      target += strides[i];
      if (++index[i] < shape[i]) break;
      target -= shape[i] * strides[i];
      index[i] = 0;
    }
  }
}

// Copies the elements of an array, packed.
absl::Status PackApart(const HostArray& array, std::vector<uint8_t>& apart) {
  RETURN_IF_ERROR(
      Resize(apart, array.byte_length(), "a result that is copied apart"));
  array.Pack(apart.data());
  return absl::OkStatus();
}

// Reports whether WriteElements takes elements that overlap the array.
bool TakesOverlaps(const HostArray& out) {
  return !out.view() && out.is_dense();
}

// Writes dense elements.
absl::Status WriteElements(std::span<const uint8_t> elements,
                           const HostArray& out) {
  if (out.view()) return out.view()->buffer()->Write(0, elements);
  if (out.is_dense()) {
    std::memmove(const_cast<uint8_t*>(out.data()), elements.data(),
                 elements.size());
  } else {
    Scatter(elements.data(), out);
  }
  return absl::OkStatus();
}

// Checks that an array can take a result of `type`.
absl::Status CheckOut(const HostValue& out, const Type& type) {
  if (!type.is(Type::Kind::kArray) && !type.is(Type::Kind::kUnknown)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it is ", type.ToString(), "; only arrays are written to memory."));
  }
  const HostArray* array = out.array();
  if (array == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        out.Describe(), " is given as its memory; an array is expected."));
  }
  if (array->is_read_only()) {
    return absl::InvalidArgumentError(
        "a read-only array cannot receive a result.");
  }
  if (type.element != ElementType::kNone &&
      !TakesElements(*array, type.element)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the array ", array->ShapeText(), " is given as its memory; ",
        type.ToString(), " is expected, and results are not converted."));
  }
  const std::string difference = type.ShapeDifference(array->shape());
  if (!difference.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the array ", array->ShapeText(),
                     " is given as its memory; ", difference));
  }
  if (SharesElements(*array)) {
    return absl::InvalidArgumentError(
        "an array whose elements share memory cannot receive a result.");
  }
  return absl::OkStatus();
}

// Writes the elements of a result to `out`. The two may overlap, in any order
// of their elements.
absl::Status CopyToOut(const HostValue& result, const HostArray& out) {
  const HostArray* array = result.array();
  if (array == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        result.Describe(),
        " is returned, which is not an array that the host can read."));
  }
  if (!TakesElements(out, array->type()) ||
      !std::equal(array->shape().begin(), array->shape().end(),
                  out.shape().begin(), out.shape().end())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array ", array->ShapeText(), " is returned; the array ",
        "given as its memory is ", out.ShapeText(), "."));
  }
  if (array->byte_length() == 0) return absl::OkStatus();
  const bool in_place =
      array->is_dense() && (TakesOverlaps(out) || !MayOverlap(*array, out));
  if (in_place) return WriteElements(array->bytes(), out);
  std::vector<uint8_t> apart;
  RETURN_IF_ERROR(PackApart(*array, apart));
  return WriteElements(apart, out);
}

// Returns a dense copy of an array in memory of its own.
absl::StatusOr<HostValue> CopyApart(const HostArray& array) {
  const auto apart = std::make_shared<std::vector<uint8_t>>();
  RETURN_IF_ERROR(PackApart(array, *apart));
  ASSIGN_OR_RETURN(
      std::shared_ptr<const HostArray> copy,
      HostArray::Borrow(array.type(), array.shape(), {}, *apart, 0, apart));
  return HostValue(std::move(copy));
}

// Reports whether a call may use memory of the array through this argument.
bool MayReach(const HostValue& value, const HostArray& out) {
  if (const HostArray* array = value.array()) {
    return array->may_be_used() && MayOverlap(*array, out);
  }
  if (value.ref() != nullptr) return true;  // may be any buffer
  if (const HostValue::Items* items = value.items()) {
    return std::any_of(
        items->begin(), items->end(),
        [&out](const HostValue& item) { return MayReach(item, out); });
  }
  if (const HostValue::Entries* entries = value.entries()) {
    return std::any_of(entries->begin(), entries->end(),
                       [&out](const HostValue::Entry& entry) {
                         return MayReach(entry.second, out);
                       });
  }
  return false;
}

}  // namespace

bool MayOverlap(const HostArray& a, const HostArray& b) {
  if (a.byte_length() == 0 || b.byte_length() == 0) return false;
  const Layout one = LayoutOf(a);
  const Layout other = LayoutOf(b);
  if (one.end <= other.first || other.end <= one.first) return false;
  // All runs begin at multiples of the common divisor of all strides from the
  // first run of their array.
  uint64_t step = 0;
  for (const Layout* layout : {&one, &other}) {
    for (const Walk& walk : layout->walks) {
      step = std::gcd(step, static_cast<uint64_t>(walk.stride));
    }
  }
  if (step == 0) return true;  // both are dense
  const uint64_t apart = other.first > one.first
                             ? (other.first - one.first) % step
                             : (step - (one.first - other.first) % step) % step;
  return apart < one.width || step - apart < other.width;
}

const Type* StorageType(const Signature& signature, size_t argument) {
  const std::optional<int>& of = signature.arguments()[argument].storage_of;
  if (!of) return nullptr;
  const std::span<const Parameter> results = signature.results();
  const auto index = static_cast<size_t>(*of);
  if (!signature.results_are_slots()) return &results[index].type;
  const Type& only = results[0].type;
  return only.is_structure() ? &only.members[index].type
                             : &only.members[0].type;
}

const Type* StaticStorageType(const Signature& signature, size_t argument) {
  const Type* const type = StorageType(signature, argument);
  const bool is_static =
      type != nullptr && type->is(Type::Kind::kArray) && type->ranked &&
      type->element != hal::ElementType::kNone && type->is_static();
  return is_static ? type : nullptr;
}

absl::Status OutArrays::Check() const {
  const std::span<const Parameter> parameters = signature_.results();
  if (outs_.size() > parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        NamedFunction(signature_.function()), " has ",
        Counted(parameters.size(), "result"), "; arrays for ", outs_.size(),
        outs_.size() == 1 ? " is given." : " are given."));
  }
  for (size_t i = 0; i < outs_.size(); ++i) {
    if (outs_[i] == nullptr) continue;
    const absl::Status status = CheckOut(*outs_[i], parameters[i].type);
    if (!status.ok()) return Located(status, signature_.ResultName(i));
    for (size_t other = 0; other < i; ++other) {
      if (outs_[other] == nullptr ||
          !MayOverlap(*outs_[i]->array(), *outs_[other]->array())) {
        continue;
      }
      return Located(absl::InvalidArgumentError(absl::StrCat(
                         "the array that is given as its memory overlaps the "
                         "one of result ",
                         other, ".")),
                     signature_.ResultName(i));
    }
  }
  return absl::OkStatus();
}

bool OutArrays::MayBeStorage() const {
  const std::span<const Parameter> parameters = signature_.arguments();
  return std::any_of(
      parameters.begin(), parameters.end(), [this](const Parameter& parameter) {
        return parameter.storage_of &&
               At(static_cast<size_t>(*parameter.storage_of)) != nullptr;
      });
}

absl::Status OutArrays::UseAsStorage(size_t argument,
                                     std::span<const HostValue* const> given,
                                     hal::Device* device,
                                     CallStatistics& statistics,
                                     vm::Slot& slot) const {
  const Parameter& parameter = signature_.arguments()[argument];
  if (!parameter.storage_of || device == nullptr) return absl::OkStatus();
  const HostArray* out = At(static_cast<size_t>(*parameter.storage_of));
  const Type* type = StorageType(signature_, argument);
  if (out == nullptr || type == nullptr || !out->is_dense()) {
    return absl::OkStatus();
  }
  // The function may read a lent argument after it has written results.
  for (const HostValue* value : given) {
    if (MayReach(*value, *out)) return absl::OkStatus();
  }
  const hal::ElementType element =
      type->element == hal::ElementType::kNone ? out->type() : type->element;
  Ref<hal::BufferView> view = out->view();
  if (view) {
    if (!device->allocator().CanUse(*view->buffer()) ||
        view->element_type() != element) {
      return absl::OkStatus();
    }
  } else {
    absl::StatusOr<Ref<hal::BufferView>> made = out->Import(*device, element);
    if (absl::IsUnavailable(made.status())) return absl::OkStatus();
    ASSIGN_OR_RETURN(view, std::move(made));
  }
  ++statistics.lent;
  if (parameter.type.is(Type::Kind::kBuffer)) {
    slot.ref = Ref<hal::Buffer>(view->buffer()).release();
  } else {
    slot.ref = view.release();
  }
  return absl::OkStatus();
}

absl::Status OutArrays::MoveApart(std::vector<HostValue>& results,
                                  CallStatistics& statistics) const {
  for (size_t i = 0; i < results.size(); ++i) {
    const HostArray* array = results[i].array();
    for (size_t other = 0; array != nullptr && other < outs_.size(); ++other) {
      const HostArray* out = other != i ? At(other) : nullptr;
      if (out == nullptr || !MayOverlap(*array, *out)) continue;
      // Write counts the copies of results that have arrays.
      if (At(i) == nullptr) statistics.CountCopy(array->byte_length());
      ASSIGN_OR_RETURN(results[i], CopyApart(*array));
      break;
    }
  }
  return absl::OkStatus();
}

absl::Status OutArrays::Write(std::vector<HostValue>& results,
                              CallStatistics& statistics) const {
  RETURN_IF_ERROR(MoveApart(results, statistics));
  for (size_t i = 0; i < outs_.size(); ++i) {
    const HostArray* out = At(i);
    if (out == nullptr) continue;
    HostValue& result = results[i];
    const HostArray* array = result.array();
    const bool is_there =
        array != nullptr && array->data() == out->data() && out->is_dense() &&
        array->byte_length() == out->byte_length() &&
        std::equal(array->shape().begin(), array->shape().end(),
                   out->shape().begin(), out->shape().end());
    if (!is_there) {
      const absl::Status status = CopyToOut(result, *out);
      if (!status.ok()) {
        results.clear();
        return Located(status, signature_.ResultName(i));
      }
      statistics.CountCopy(out->byte_length());
    }
    result = *outs_[i];
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
