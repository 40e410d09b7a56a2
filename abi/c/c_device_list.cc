// The list of devices of the C API.
//
// Tested by device_list_test.cc.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/strip.h"
#include "eyrie/c.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"

namespace eyrie::abi {
namespace {

struct Row {
  std::string uri, driver, description, properties, error;
  eyrie_device_info_t info = {};
};

struct OwnedList : eyrie_device_list_t {
  std::vector<std::unique_ptr<Row>> rows;
  std::vector<const eyrie_device_info_t*> addresses;
};

std::unique_ptr<Row> RowOf(const hal::Driver& driver) {
  auto row = std::make_unique<Row>();
  row->driver = std::string(driver.name());
  row->description = std::string(driver.description());
  return row;
}

void ListDriver(const hal::Driver& driver, OwnedList& list) {
  const auto uris = driver.ListDevices();
  // An empty list has its reason in the description of the default device.
  absl::Status none = uris.status();
  if (uris.ok() && uris->empty()) {
    none = driver.DescribeDevice("").status();
    if (none.ok()) return;
  }
  if (!none.ok()) {
    std::unique_ptr<Row> row = RowOf(driver);
    row->error = std::string(none.message());
    list.rows.push_back(std::move(row));
    return;
  }
  for (const std::string& uri : *uris) {
    std::unique_ptr<Row> row = RowOf(driver);
    row->uri = uri;
    absl::string_view path = uri;
    absl::ConsumePrefix(&path, driver.name());
    absl::ConsumePrefix(&path, "://");
    row->properties = driver.DescribeDevice(path).value_or("");
    list.rows.push_back(std::move(row));
  }
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

const eyrie_device_list_t* eyrie_device_list_create(void) {
  auto list = std::make_unique<abi::OwnedList>();
  for (const auto& driver : eyrie::hal::AllDrivers()) {
    abi::ListDriver(*driver, *list);
  }
  for (const auto& row : list->rows) {
    row->info = {sizeof(eyrie_device_info_t), row->uri.c_str(),
                 row->driver.c_str(),         row->description.c_str(),
                 row->properties.c_str(),     row->error.c_str()};
    list->addresses.push_back(&row->info);
  }
  list->struct_size = sizeof(eyrie_device_list_t);
  list->devices = list->addresses.data();
  list->count = list->addresses.size();
  return list.release();
}

void eyrie_device_list_free(const eyrie_device_list_t* list) {
  delete static_cast<const abi::OwnedList*>(list);
}
