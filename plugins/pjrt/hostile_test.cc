// Lists, sizes and files that a careless or hostile client passes.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/zip.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/ffi.h"
#include "plugins/pjrt/layouts.h"
#include "plugins/pjrt/program_image.h"
#include "plugins/pjrt/shape.h"
#include "plugins/pjrt/testing/test_client.h"
#include "tests/support/files.h"

namespace eyrie::pjrt {
namespace {

// Lists that are null and not empty, and structs of wrong sizes.
TEST_F(ClientTest, WrongLists) {
  NamedValue option = options_[0];
  auto create = Zero<Client_Create_Args>();
  create.num_options = 1;
  const auto try_create = [&] { return Call(TheApi().Client_Create, create); };
  EXPECT_EQ(try_create(), "3: `NamedValue` is null, and its size is 1.");
  create.create_options = &option;
  option.struct_size = 48;
  EXPECT_EQ(try_create(),
            "3: PJRT_NamedValue: struct_size is 48; at least 56 is required.");
  option.struct_size = 4097;
  EXPECT_EQ(
      try_create(),
      "3: PJRT_NamedValue: struct_size is 4097; at most 4096 is possible.");
  option = options_[0];
  option.name = nullptr;
  EXPECT_EQ(try_create(), "3: `name` is null, and its size is 6.");
  option = options_[0];
  option.string_value = nullptr;
  EXPECT_EQ(try_create(), "3: `string_value` is null, and its size is 10.");
  option = options_[0];
  option.value_size = SIZE_MAX;
  EXPECT_EQ(try_create(),
            "3: The size of `string_value` is 18446744073709551615.");
  option = options_[0];
  option.type = static_cast<NamedType>(77);
  EXPECT_TRUE(absl::StartsWith(try_create(), "3: The option \"device\" is a"));
}

TEST_F(ClientTest, WrongListsOfPrograms) {
  Program program = {};
  auto compile = Zero<Client_Compile_Args>();
  compile.client = client_;
  const auto try_compile = [&] {
    return Call(TheApi().Client_Compile, compile);
  };
  const char* const small =
      "3: The program is null, or its struct_size is less than 48.";
  EXPECT_EQ(try_compile(), small);
  compile.program = &program;
  program.struct_size = 40;
  EXPECT_EQ(try_compile(), small);
  program.struct_size = sizeof(program);
  program.format_size = 4;
  EXPECT_EQ(try_compile(), "3: `format` is null, and its size is 4.");
  program.format = "mlir";
  program.code_size = 9;
  EXPECT_EQ(try_compile(), "3: `code` is null, and its size is 9.");
  program.code_size = 0;
  EXPECT_TRUE(absl::StartsWith(try_compile(), "3: The compiler refuses"));
  compile.compile_options_size = 3;
  EXPECT_EQ(try_compile(), "3: `compile_options` is null, and its size is 3.");

  auto load = Zero<Executable_DeserializeAndLoad_Args>();
  load.client = client_;
  load.serialized_executable_size = 7;
  EXPECT_EQ(Call(TheApi().Executable_DeserializeAndLoad, load),
            "3: `serialized_executable` is null, and its size is 7.");
  auto assignment = Zero<Client_DefaultDeviceAssignment_Args>();
  assignment.client = client_;
  assignment.num_replicas = assignment.num_partitions = 1;
  assignment.default_assignment_size = 1;
  EXPECT_EQ(Call(TheApi().Client_DefaultDeviceAssignment, assignment),
            "3: `default_assignment` is null, and its size is 1.");
  auto topology = Zero<TopologyDescription_Deserialize_Args>();
  topology.serialized_topology_size = 1;
  EXPECT_EQ(Call(TheApi().TopologyDescription_Deserialize, topology),
            "3: `serialized_topology` is null, and its size is 1.");
}

// The options of a later client are larger than those that are known.
TEST_F(ClientTest, LargerOptions) {
  struct Later {
    NamedValue known;
    uint64_t more = ~uint64_t{0};
  };
  std::vector<Later> options;
  for (const NamedValue& option : options_) {
    options.push_back({option});
    options.back().known.struct_size = sizeof(Later);
  }
  auto create = Zero<Client_Create_Args>();
  create.create_options = &options[0].known;
  create.num_options = options.size();
  ASSERT_EQ(Call(TheApi().Client_Create, create), "OK");
  auto devices = Zero<Client_Devices_Args>();
  devices.client = create.client;
  EXPECT_EQ(Call(TheApi().Client_Devices, devices), "OK");
  EXPECT_EQ(devices.num_devices, 2u);
  auto destroy = Zero<Client_Destroy_Args>();
  destroy.client = create.client;
  EXPECT_EQ(Call(TheApi().Client_Destroy, destroy), "OK");
}

TEST_F(ClientTest, WrongListsOfBuffers) {
  auto args = Zero<Client_BufferFromHostBuffer_Args>();
  const float number = 1;
  const int64_t dims[] = {1};
  const auto create = [&] {
    return Call(TheApi().Client_BufferFromHostBuffer, args);
  };
  args.client = client_;
  args.type = kBufferTypeF32;
  args.data = &number;
  args.num_dims = 2;
  EXPECT_EQ(create(), "3: `dims` is null, and its size is 2.");
  args.dims = dims;
  args.num_dims = args.num_byte_strides = 1;
  EXPECT_EQ(create(), "3: `byte_strides` is null, and its size is 1.");
  args.num_byte_strides = 0;
  Buffer_MemoryLayout layout = {};
  layout.tiled.minor_to_major_size = 1;
  args.device_layout = &layout;
  EXPECT_EQ(create(), "3: `minor_to_major` is null, and its size is 1.");
  layout = {};
  layout.type = Buffer_MemoryLayout::kStrides;
  layout.strides.num_byte_strides = 1;
  EXPECT_EQ(create(), "3: `byte_strides` is null, and its size is 1.");
  layout.type = 7;
  EXPECT_EQ(create(), "12: Tiled layouts are not possible.");
  args.device_layout = nullptr;
  args.type = static_cast<Buffer_Type>(-1);
  EXPECT_EQ(create(), "3: The element type -1 is unknown.");

  auto view = Zero<Client_CreateViewOfDeviceBuffer_Args>();
  view.client = client_;
  view.dims = dims;
  view.num_dims = 1;
  view.element_type = kBufferTypeF32;
  EXPECT_EQ(Call(TheApi().Client_CreateViewOfDeviceBuffer, view),
            "3: The address of the elements is null.");
  auto failed = Zero<Client_CreateErrorBuffer_Args>();
  failed.client = client_;
  failed.shape_element_type = kBufferTypeF32;
  failed.error_message_size = 5;
  EXPECT_EQ(Call(TheApi().Client_CreateErrorBuffer, failed),
            "3: `error_message` is null, and its size is 5.");
}

TEST_F(ClientTest, WrongListsOfShapes) {
  const int64_t dims[] = {1};
  Buffer_MemoryLayout layout = {};
  layout.type = 7;
  ShapeSpec specs[2] = {};
  auto transfer = Zero<Client_CreateBuffersForAsyncHostToDevice_Args>();
  const auto begin = [&] {
    return Call(TheApi().Client_CreateBuffersForAsyncHostToDevice, transfer);
  };
  transfer.client = client_;
  transfer.num_shape_specs = 2;
  EXPECT_EQ(begin(), "3: `ShapeSpec` is null, and its size is 2.");
  transfer.shape_specs = specs;
  EXPECT_EQ(begin(),
            "3: PJRT_ShapeSpec: struct_size is 0; at least 36 is required.");
  // Clients do not count the padding at the end.
  for (ShapeSpec& spec : specs) {
    spec = {36, nullptr, dims, 1, kBufferTypeF32};
  }
  transfer.num_device_layouts = 1;
  EXPECT_EQ(begin(), "3: `device_layouts` is null, and its size is 1.");
  Buffer_MemoryLayout* layouts[] = {nullptr, &layout};
  transfer.device_layouts = layouts;
  EXPECT_EQ(begin(), "3: 1 layouts are given for 2 shapes.");
  transfer.num_device_layouts = 2;
  EXPECT_EQ(begin(), "12: Tiled layouts are not possible.");
}

// Sizes at the limits: no elements, one, many dimensions, too many bytes.
TEST_F(ClientTest, SizesOfBuffers) {
  for (const HostBufferSemantics semantics :
       {kImmutableOnlyDuringCall, kImmutableUntilTransferCompletes,
        kImmutableZeroCopy, kMutableZeroCopy}) {
    std::string error;
    Buffer* const empty =
        Floats(nullptr, {0, int64_t{1} << 60}, {}, &error, semantics);
    ASSERT_EQ(error, "OK");
    EXPECT_EQ(Read(empty, &error).size(), 0u);
    EXPECT_EQ(error, "OK");
    Destroy(empty);
  }
  const float number = 3;
  Buffer* const scalar = Floats(&number, {});
  EXPECT_EQ(Read(scalar), std::vector<float>{3});
  Destroy(scalar);
  Buffer* const deep = Floats(&number, std::vector<int64_t>(1024, 1));
  EXPECT_EQ(Read(deep), std::vector<float>{3});
  auto layout = Zero<Buffer_GetMemoryLayout_Args>();
  layout.buffer = deep;
  EXPECT_EQ(Call(TheApi().Buffer_GetMemoryLayout, layout), "OK");
  EXPECT_EQ(layout.layout.tiled.minor_to_major[1023], 0);
  Destroy(deep);
  std::string error;
  EXPECT_EQ(Floats(&number, std::vector<int64_t>(1025, 1), {}, &error),
            nullptr);
  EXPECT_EQ(error, "3: The rank is 1025; at most 1024 is possible.");

  const int64_t dims[] = {int64_t{1} << 60};
  auto large = Zero<Client_CreateUninitializedBuffer_Args>();
  large.client = client_;
  large.shape_dims = dims;
  large.shape_num_dims = 1;
  large.shape_element_type = kBufferTypeU8;
  EXPECT_TRUE(absl::StartsWith(
      Call(TheApi().Client_CreateUninitializedBuffer, large), "8: "));
  ShapeSpec spec = {sizeof(ShapeSpec), nullptr, dims, 1, kBufferTypeU8};
  auto create = Zero<Client_CreateBuffersForAsyncHostToDevice_Args>();
  create.client = client_;
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  ASSERT_EQ(Call(TheApi().Client_CreateBuffersForAsyncHostToDevice, create),
            "OK");
  auto send = Zero<AsyncHostToDeviceTransferManager_TransferData_Args>();
  send.transfer_manager = create.transfer_manager;
  send.data = &number;
  send.transfer_size = 1;
  EXPECT_TRUE(absl::StartsWith(
      Call(TheApi().AsyncHostToDeviceTransferManager_TransferData, send),
      "8: "));
  auto end = Zero<AsyncHostToDeviceTransferManager_Destroy_Args>();
  end.transfer_manager = create.transfer_manager;
  EXPECT_EQ(Call(TheApi().AsyncHostToDeviceTransferManager_Destroy, end), "OK");
}

// Nothing is written outside of the host's memory.
TEST_F(ClientTest, StridesOfTheHost) {
  const float numbers[] = {1, 2, 3, 4};
  Buffer* const buffer = Floats(numbers, {2, 2});
  const struct {
    std::vector<int64_t> strides;
    size_t size;  // of the host's memory
    const char* want;
  } kRows[] = {
      {{8, 4}, 16, "OK"},
      {{12, 4}, 20, "OK"},
      {{12, 4}, 16, ""},
      {{0, 0}, 16, "OK"},
      {{-8, 4}, 16, ""},
      {{8, INT64_MAX}, 16, ""},
      {{INT64_MAX, INT64_MAX}, 16, ""},
  };
  for (const auto& row : kRows) {
    Buffer_MemoryLayout layout = {};
    layout.type = Buffer_MemoryLayout::kStrides;
    layout.strides.byte_strides = row.strides.data();
    layout.strides.num_byte_strides = row.strides.size();
    const std::unique_ptr<char[]> memory(new char[row.size]);
    auto args = Zero<Buffer_ToHostBuffer_Args>();
    args.src = buffer;
    args.dst = memory.get();
    args.dst_size = row.size;
    args.host_layout = &layout;
    EXPECT_EQ(Call(TheApi().Buffer_ToHostBuffer, args),
              *row.want != '\0'
                  ? row.want
                  : absl::StrCat("3: The layout leads to elements outside of "
                                 "the memory of ",
                                 row.size, " bytes."));
    if (args.event != nullptr) Destroy(args.event);
  }
  Destroy(buffer);
}

TEST_F(ClientTest, WrongListsOfExecutions) {
  LoadedExecutable* const digits = Digits();
  const std::vector<float> image = Image();
  Buffer* const buffer = Floats(image.data(), {8, 8});
  Buffer* const arguments[] = {buffer};
  Buffer* result = nullptr;
  Buffer* const* lists[] = {arguments};
  Buffer** results[] = {&result};
  ExecuteOptions options = {};
  auto args = Zero<LoadedExecutable_Execute_Args>();
  const auto execute = [&] {
    return Call(TheApi().LoadedExecutable_Execute, args);
  };
  args.executable = digits;
  args.num_devices = args.num_args = 1;
  const char* const null = "3: The lists of arguments or results are null.";
  EXPECT_EQ(execute(), null);
  args.argument_lists = lists;
  EXPECT_EQ(execute(), null);
  args.output_lists = results;
  args.options = &options;
  EXPECT_EQ(
      execute(),
      "3: PJRT_ExecuteOptions: struct_size is 0; at least 72 is required.");
  options.struct_size = 72;
  options.num_non_donatable_input_indices = 1;
  EXPECT_EQ(execute(),
            "3: `non_donatable_input_indices` is null, and its size is 1.");
  args.options = nullptr;
  lists[0] = nullptr;
  EXPECT_EQ(execute(), "3: `argument_lists[0]` is null, and its size is 1.");
  lists[0] = arguments;
  results[0] = nullptr;
  EXPECT_EQ(execute(), "3: `output_lists[0]` is null, and its size is 1.");
  results[0] = &result;
  EXPECT_EQ(execute(), "OK");
  Destroy(result);
  Destroy(buffer);
  Destroy(digits);
}

// Files whose notes do not fit their modules.
TEST_F(ClientTest, WrongNotes) {
  const std::string module = FileText(kDigits);
  const Shape image = *ReadShape("8x8xf32"), scores = *ReadShape("10xf32");
  const std::string wrong_result = "3: Result 0 of f is not the array of ";
  const struct {
    std::vector<Shape> arguments;
    std::vector<Shape> results;
    std::string want;  // how the execution's error begins
  } kRows[] = {
      {{image}, {scores}, "OK"},
      {{image},
       {*ReadShape("4096xf32")},
       wrong_result + "4096xf32 that the program's note describes."},
      {{image}, {*ReadShape("10xf64")}, wrong_result + "10xf64"},
      {{image}, {*ReadShape("2x5xf32")}, wrong_result + "2x5xf32"},
      {{image},
       {scores, scores},
       "3: Result 1 of f is not the array of 10xf32"},
      {{image}, {}, "3: "},
      {{image, image}, {scores}, "3: "},
      {{}, {scores}, "3: "},
      {{*ReadShape("4x4xf32")}, {scores}, "3: "},
  };
  const std::vector<float> floats = Image();
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    const absl::StatusOr<std::string> file =
        WithNote(module, {"f",
                          row.arguments,
                          row.results,
                          std::vector<bool>(row.arguments.size(), false),
                          {},
                          true});
    ASSERT_TRUE(file.ok());
    std::string error;
    LoadedExecutable* const loaded = Load(*file, &error);
    ASSERT_EQ(error, "OK");
    std::vector<Buffer*> arguments;
    for (const Shape& shape : row.arguments) {
      arguments.push_back(Floats(floats.data(), shape.dims));
    }
    Buffer* results[2] = {};
    error = Execute(loaded, arguments, results);
    EXPECT_TRUE(absl::StartsWith(error, row.want)) << error;
    for (Buffer* const each : arguments) Destroy(each);
    for (Buffer* const each : results) Destroy(each);
    Destroy(loaded);
  }
}

// A buffer that the program may overwrite must not be another argument, too.
TEST_F(ClientTest, DonatedTwice) {
  const Shape shape = *ReadShape("8x8xf32");
  const struct {
    std::vector<bool> donated;
    std::vector<int64_t> kept;
    const char* want;
  } kRows[] = {
      {{true, false, false},
       {},
       "3: Arguments 0 and 2 of f are the same "
       "buffer, and argument 0 is donated: the program may overwrite it."},
      {{false, true, true},
       {},
       "3: Arguments 0 and 2 of f are the same "
       "buffer, and argument 2 is donated: the program may overwrite it."},
      {{true, true, true}, {0, 2}, "3: "},  // the function has one argument
      {{false, true, false}, {}, "3: "},
  };
  const std::vector<float> image = Image();
  Buffer* const same = Floats(image.data(), {8, 8});
  for (const auto& row : kRows) {
    Buffer* const other = Floats(image.data(), {8, 8});
    const auto file = WithNote(FileText(kDigits),
                               {"f", {3, shape}, {}, row.donated, {}, true});
    ASSERT_TRUE(file.ok());
    std::string error;
    LoadedExecutable* const loaded = Load(*file, &error);
    ASSERT_EQ(error, "OK");
    Buffer* result = nullptr;
    error = Execute(loaded, {same, other, same}, &result, row.kept);
    EXPECT_TRUE(absl::StartsWith(error, row.want)) << error;
    EXPECT_EQ(absl::StrContains(error, "donated"), row.want[3] != '\0');
    // An execution has begun, and may have changed what it was given.
    EXPECT_EQ(IsDeleted(other), row.want[3] == '\0');
    Destroy(loaded);
    Destroy(other);
  }
  Destroy(same);
}

// Notes that are no notes, and imports that cannot be made.
TEST_F(ClientTest, DamagedNotes) {
  const std::string module = FileText(kDigits);
  const std::string good =
      R"({"version": 1, "name": "f", "arguments": [{"shape": "8x8xf32"}], )"
      R"("results": [{"shape": "10xf32"}])";
  const std::string damaged =
      "3: The program's note, eyrie.pjrt.json, is damaged: ";
  const struct {
    std::string note;
    std::string want;
  } kRows[] = {
      {"", "3: "},
      {"no JSON", "3: "},
      {"[]", damaged + "it has no version."},
      {R"({"version": 2})",
       "12: The program's note has version 2; this plug-in reads version 1."},
      {R"({"version": 1})", damaged + "it has no name."},
      {R"({"version": 1, "name": "f"})", damaged + "\"arguments\" is no list."},
      {R"({"version": 1, "name": "f", "arguments": [4]})",
       damaged + "an item of \"arguments\" has no shape."},
      {good + R"(, "manifest": 1, "handlers": []})",
       damaged + "its imports are not a text and a list."},
      {good + R"(, "manifest": "no JSON", "handlers": ["none"]})",
       "5: The program calls the handler 'none' of XLA FFI"},
      {good + R"(, "manifest": "no JSON", "handlers": []})", "OK"},
      {std::string(5 << 20, '['),
       "3: The program's note, eyrie.pjrt.json, has 5242880 bytes; at most "
       "4194304 are read."},
      {std::string(4 << 20, '['), "3: "},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    const auto bytes = [](const std::string& text) {
      return std::span(reinterpret_cast<const uint8_t*>(text.data()),
                       text.size());
    };
    const auto members = ReadZip(bytes(module), "it");
    ASSERT_TRUE(members.ok());
    ZipWriter writer(bytes(module), *members);
    writer.Add("eyrie.pjrt.json", row.note, 1);
    std::string file = module.substr(0, writer.begin());
    file += writer.Finish();
    std::string error;
    LoadedExecutable* const loaded = Load(file, &error);
    EXPECT_TRUE(absl::StartsWith(error, row.want)) << error;
    Destroy(loaded);
  }
}

TEST_F(ClientTest, Layouts) {
  const Extension* at = TheApi().extension_start;
  while (at != nullptr && at->type != ExtensionType::kLayouts) at = at->next;
  ASSERT_NE(at, nullptr);
  const auto& table = *reinterpret_cast<const LayoutsTable*>(at);
  const auto text_of = [&](MemoryLayout* layout) {
    auto args = Zero<Layouts_MemoryLayout_Serialize_Args>();
    args.layout = layout;
    EXPECT_EQ(Call(table.Layouts_MemoryLayout_Serialize, args), "OK");
    return std::string(args.serialized_bytes, args.serialized_bytes_size);
  };
  auto layout = Zero<Layouts_Client_GetDefaultLayout_Args>();
  layout.client = client_;
  layout.type = kBufferTypeF32;
  layout.num_dims = 2;
  EXPECT_EQ(Call(table.Layouts_Client_GetDefaultLayout, layout),
            "3: `dims` is null, and its size is 2.");
  const std::vector<int64_t> dims(1025, 1);
  layout.dims = dims.data();
  EXPECT_EQ(Call(table.Layouts_Client_GetDefaultLayout, layout), "OK");
  EXPECT_EQ(text_of(layout.layout), "{1,0}");
  layout.num_dims = 100;
  EXPECT_EQ(Call(table.Layouts_Client_GetDefaultLayout, layout), "OK");
  EXPECT_TRUE(absl::StartsWith(text_of(layout.layout), "{99,98,"));
  layout.num_dims = 1025;
  EXPECT_EQ(Call(table.Layouts_Client_GetDefaultLayout, layout),
            "3: The rank is 1025; at most 1024 is possible.");
  // Each list lives as long as the executable.
  LoadedExecutable* const digits = Digits();
  Executable* const executable = ExecutableOf(digits);
  auto outputs = Zero<Layouts_Executable_GetOutputLayouts_Args>();
  auto parameters = Zero<Layouts_Executable_GetParameterLayouts_Args>();
  outputs.executable = parameters.executable = executable;
  std::thread([&] {
    EXPECT_EQ(Call(table.Layouts_Executable_GetOutputLayouts, outputs), "OK");
  }).join();
  EXPECT_EQ(Call(table.Layouts_Executable_GetParameterLayouts, parameters),
            "OK");
  EXPECT_EQ(text_of(outputs.layouts[0]), "{0}");
  EXPECT_EQ(text_of(parameters.layouts[0]), "{1,0}");
  Destroy(executable);
  Destroy(digits);
}

// Returns the extension for XLA FFI.
const FfiTable& Ffi() {
  const Extension* at = TheApi().extension_start;
  while (at->type != ExtensionType::kFfi) at = at->next;
  return *reinterpret_cast<const FfiTable*>(at);
}

TEST(Ffi, WrongHandlers) {
  RegisterHandlerArgs args = {};
  const auto add = [&] { return Text(Ffi().register_handler(&args)); };
  EXPECT_EQ(Text(Ffi().register_handler(nullptr)),
            "3: PJRT_FFI_Register_Handler: struct_size is 0; at least 48 is "
            "required.");
  EXPECT_EQ(add(),
            "3: PJRT_FFI_Register_Handler: struct_size is 0; at least 48 is "
            "required.");
  args.struct_size = sizeof(args);
  EXPECT_EQ(
      add(),
      "3: PJRT_FFI_Register_Handler: the handler or its name is missing.");
  args.handler = &args;
  args.target_name_size = 4;
  EXPECT_EQ(add(), "3: `target_name` is null, and its size is 4.");
  args.target_name = "same";
  EXPECT_EQ(add(), "OK");
  EXPECT_EQ(add(), "OK");
  args.handler = &args.traits;
  EXPECT_EQ(add(), "6: Another handler is registered with the name 'same'.");
  EXPECT_EQ(Text(Ffi().type_register(nullptr)).substr(0, 4), "12: ");
  EXPECT_EQ(Text(Ffi().user_data_add(nullptr)).substr(0, 4), "12: ");
}

// Handlers are registered while programs that need them are loaded.
TEST_F(ClientTest, RegistersWhileLoading) {
  Imports imports;
  imports.manifest = "no JSON";
  imports.handlers = {"handler0", "handler99"};
  const auto file =
      WithNote(FileText(kDigits), {"f", {}, {}, {}, imports, true});
  ASSERT_TRUE(file.ok());
  std::thread thread([] {
    for (int i = 0; i < 100; ++i) {
      const std::string name = absl::StrCat("handler", i);
      RegisterHandlerArgs args = {};
      args.struct_size = sizeof(args);
      args.target_name = name.data();
      args.target_name_size = name.size();
      args.handler = &args;
      EXPECT_EQ(Text(Ffi().register_handler(&args)), "OK");
    }
  });
  std::string error;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Load(*file, &error), nullptr);
    EXPECT_NE(error, "OK");
  }
  thread.join();
  EXPECT_EQ(Load(*file, &error), nullptr);
  EXPECT_TRUE(absl::StartsWith(error, "3: ")) << error;
}

}  // namespace
}  // namespace eyrie::pjrt
