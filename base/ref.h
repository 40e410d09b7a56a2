// Intrusive reference counting for every object that a module can hold.
//
// RefObject is the base class of VM lists and buffers and of all HAL objects.
// The VM's ref registers hold plain RefObject pointers. Counts are atomic, so
// threads may share references. Each class documents whether threads may also
// share its contents.
// Tested by base_test.cc.
#ifndef EYRIE_BASE_REF_H_
#define EYRIE_BASE_REF_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/lone_thread.h"

namespace eyrie {

// A type of reference-counted objects. Instances must be constants with static
// storage: types are compared by address.
struct RefType {
  const char* name;  // in modules, without the '!': "hal.buffer_view"
};

struct RefObjectLayout;

class RefObject {
 public:
  RefObject(const RefObject&) = delete;
  RefObject& operator=(const RefObject&) = delete;

  const RefType& type() const { return *type_; }

  void AddRef() const {
    FetchAdd<uint32_t>(count_, 1, std::memory_order_relaxed);
  }
  void DropRef() const {
    if (DropsLast()) DropLast();
  }
  // DropRef in two steps. Drops a reference and returns false; if it is the
  // last, returns true, and the caller must call DropLast().
  bool DropsLast() const {
    // A sole owner needs no atomic read-modify-write, nor does a lone thread.
    const uint32_t count = count_.load(std::memory_order_acquire);
    if (count == 1) return true;
    if (!IsLoneThread()) {
      return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    count_.store(count - 1, std::memory_order_relaxed);
    return false;
  }
  void DropLast() const { const_cast<RefObject*>(this)->OnLastRef(); }

  // Returns the number of references that all threads hold.
  uint32_t use_count() const { return count_.load(std::memory_order_acquire); }
  // Reports whether the caller's reference is the only one.
  bool IsUnique() const { return use_count() == 1; }

 protected:
  explicit RefObject(const RefType& type) : type_(&type) {}
  virtual ~RefObject() = default;

  // Called when the last reference is dropped. Deletes the object. A class with
  // a free list overrides it to call ResetRef() and keep the object there.
  virtual void OnLastRef();
  void ResetRef() { count_.store(1, std::memory_order_relaxed); }

 private:
  friend struct RefObjectLayout;  // for compiled code

  mutable std::atomic<uint32_t> count_{1};
  const RefType* type_;
};

// An owning pointer to a RefObject, or null.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: null converts, as for std pointers
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) object_->AddRef();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  Ref(Ref<U> other) : object_(other.release()) {}  // NOLINT: upcasts convert
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->DropRef();
  }

  // Takes ownership of a reference from the caller.
  static Ref Adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  // Adds a reference.
  static Ref Share(T* object) {
    if (object) object->AddRef();
    return Adopt(object);
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Transfers the reference to the caller, who must drop it.
  T* release() { return std::exchange(object_, nullptr); }
  void reset() { *this = Ref(); }

  friend bool operator==(const Ref& a, const Ref& b) = default;

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>::Adopt(new T(std::forward<Args>(args)...));
}

// Returns the object as a T, or null if it is null or has another type. T must
// declare its type as `static constexpr RefType kType`.
template <typename T>
T* RefCast(RefObject* object) {
  if (object == nullptr || &object->type() != &T::kType) return nullptr;
  return static_cast<T*>(object);
}

}  // namespace eyrie

#endif  // EYRIE_BASE_REF_H_
