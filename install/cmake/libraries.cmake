# Written by tools/house/cmake_libraries.py out of the BUILD files. Do not edit.

set(EYRIE_OPTIONS
  -fno-exceptions
  -fno-rtti
  -fno-asynchronous-unwind-tables
  -fno-unwind-tables
)

set(EYRIE_OPTIONS_x86_64
)

set(EYRIE_OPTIONS_aarch64
  -ffp-contract=off
)

set(EYRIE_OPTIONS_riscv64
  -ffp-contract=off
)

set(EYRIE_TOOL_LINK_OPTIONS
  -Wl,--export-dynamic-symbol=XLA_FFI_GetApi
  -Wl,--export-dynamic-symbol=_ZN3xla3ffi12GetXlaFfiApiEv
  -Wl,--export-dynamic-symbol=__jit_debug_descriptor
  -Wl,--export-dynamic-symbol=__jit_debug_register_code
)

eyrie_generate(abi/call/vendor_executable_generated.h
  COMMAND "'${EYRIE_FLATC}' --cpp --scoped-enums --no-prefix -o '${EYRIE_GENERATED}/abi/call' abi/call/vendor_executable.fbs"
  FROM
    abi/call/vendor_executable.fbs
)

eyrie_generate(vm/module/module_generated.h
  COMMAND "'${EYRIE_FLATC}' --cpp --scoped-enums --no-prefix -o '${EYRIE_GENERATED}/vm/module' vm/module/module.fbs"
  FROM
    vm/module/module.fbs
)

eyrie_generate(vm/module/older_module_generated.h
  COMMAND "'${EYRIE_FLATC}' --cpp --scoped-enums --no-prefix --include-prefix vm/module -o '${EYRIE_GENERATED}/vm/module' vm/module/older_module.fbs"
  FROM
    vm/module/module.fbs
    vm/module/older_module.fbs
)

eyrie_generate(hal/cpu/isolate/worker_image.cc IF EYRIE_ISOLATION
  COMMAND "hal/cpu/isolate/make_image.sh \"${EYRIE_CXX}\" '${EYRIE_GENERATED}/hal/cpu/isolate/worker_image.cc' hal/cpu/isolate/protocol.h hal/cpu/isolate/worker_filter.h hal/cpu/isolate/worker_main.cc hal/cpu/isolate/worker_system.h base/pause.h base/${EYRIE_MACHINE}/pause.cc hal/cpu/dispatch_abi.h hal/cpu/machine/signal_place.h hal/cpu/${EYRIE_MACHINE}/signal_place.cc hal/cpu/isolate/${EYRIE_MACHINE}/worker_system.cc"
  FROM
    base/${EYRIE_MACHINE}/pause.cc
    base/pause.h
    hal/cpu/${EYRIE_MACHINE}/signal_place.cc
    hal/cpu/dispatch_abi.h
    hal/cpu/isolate/${EYRIE_MACHINE}/worker_system.cc
    hal/cpu/isolate/make_image.sh
    hal/cpu/isolate/protocol.h
    hal/cpu/isolate/worker_filter.h
    hal/cpu/isolate/worker_main.cc
    hal/cpu/isolate/worker_system.h
    hal/cpu/machine/signal_place.h
)

eyrie_generate(hal/vulkan/executable_generated.h IF EYRIE_VULKAN
  COMMAND "'${EYRIE_FLATC}' --cpp --scoped-enums --no-prefix -o '${EYRIE_GENERATED}/hal/vulkan' hal/vulkan/executable.fbs"
  FROM
    hal/vulkan/executable.fbs
)

eyrie_generate(hal/vulkan/older_executable_generated.h IF EYRIE_VULKAN
  COMMAND "'${EYRIE_FLATC}' --cpp --scoped-enums --no-prefix -o '${EYRIE_GENERATED}/hal/vulkan' hal/vulkan/older_executable.fbs"
  FROM
    hal/vulkan/older_executable.fbs
)

eyrie_generate(tools/wheel_packages.inc
  COMMAND "{ echo 'R\"python('; cat python/package/eyrie/_packages.py; echo ')python\"'; } > '${EYRIE_GENERATED}/tools/wheel_packages.inc'"
  FROM
    python/package/eyrie/_packages.py
)

eyrie_library(abi_native_guarded_call
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer -fexceptions -frtti
  SOURCES
    abi/native/guarded_call.cc
)

eyrie_library(base_reserve_string
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer -fexceptions -frtti
  SOURCES
    base/reserve_string.cc
)

eyrie_library(base
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    base/alarm.cc
    base/allocate.cc
    base/control_groups.cc
    base/descriptor.cc
    base/elf_machine.cc
    base/file_appender.cc
    base/file_attributes.cc
    base/file_growth.cc
    base/file_target.cc
    base/file_writer.cc
    base/folders.cc
    base/fork_mark.cc
    base/half.cc
    base/json.cc
    base/mapped_file.cc
    base/memory_meter.cc
    base/perf_map.cc
    base/plain_text.cc
    base/ref.cc
    base/signal_name.cc
    base/suggest.cc
    base/text_stream.cc
    base/thread.cc
    base/trace.cc
    base/trace_json.cc
    base/work_budget.cc
    base/writable_file.cc
    base/zip.cc
    base/zip_writer.cc
  MACHINE_SOURCES
    base/${EYRIE_MACHINE}/elf_machine.cc
    base/${EYRIE_MACHINE}/pause.cc
)

eyrie_library(hal_collectives
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    hal/collectives/channel.cc
    hal/collectives/collective.cc
    hal/collectives/messenger.cc
    hal/collectives/messenger_provider.cc
    hal/collectives/operation.cc
    hal/collectives/plugin.cc
    hal/collectives/rank_channel.cc
    hal/collectives/reduce.cc
)

eyrie_library(hal
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/allocator.cc
    hal/buffer.cc
    hal/buffer_mover.cc
    hal/buffer_view.cc
    hal/command_buffer.cc
    hal/command_validator.cc
    hal/device.cc
    hal/device_group.cc
    hal/element_type.cc
    hal/executable.cc
    hal/fence.cc
    hal/file.cc
    hal/file_transfer.cc
    hal/host_semaphore.cc
    hal/observed_commands.cc
    hal/packed_elements.cc
    hal/operation_queue.cc
    hal/pooled_allocator.cc
    hal/queue_validator.cc
    hal/tensor_type.cc
    hal/types.cc
)

eyrie_library(vm_isa
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/isa/callconv.cc
    vm/isa/opcode.cc
    vm/isa/release.cc
    vm/isa/version.cc
)

eyrie_library(vm_limits
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/limits/call_limits.cc
    vm/limits/cancel_token.cc
    vm/limits/cancellation.cc
    vm/limits/meter.cc
)

eyrie_library(vm_module
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/module/archive.cc
    vm/module/argument_watch.cc
    vm/module/backtrace.cc
    vm/module/flatbuffer.cc
    vm/module/function_verifier.cc
    vm/module/module_debug.cc
    vm/module/module_def.cc
    vm/module/module_growth.cc
    vm/module/module_tables.cc
    vm/module/older_code.cc
    vm/module/verifier.cc
    vm/module/verifier_flow.cc
)

eyrie_library(abi_native_conventions
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/native/attributes.cc
    abi/native/cuda_device.cc
    abi/native/elf_note.cc
    abi/native/ffi_registry.cc
    abi/native/ffi_types.cc
    abi/native/json_reader.cc
    abi/native/library.cc
    abi/native/mlir_scanner.cc
    abi/native/native_call.cc
    abi/native/numbers.cc
    abi/native/shape_rule.cc
    abi/native/task_pool.cc
    abi/native/tensor_layout.cc
)

eyrie_library(abi_native_memref
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/native/memref/descriptor.cc
    abi/native/memref/function.cc
    abi/native/memref/import.cc
    abi/native/memref/machine_call.cc
    abi/native/memref/plan.cc
    abi/native/memref/results.cc
    abi/native/memref/source.cc
    abi/native/memref/type.cc
  MACHINE_SOURCES
    abi/native/memref/${EYRIE_MACHINE}/machine_caller.cc
)

eyrie_library(abi_native_xla_host
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/native/xla/api.cc
    abi/native/xla/child_call.cc
    abi/native/xla/context.cc
    abi/native/xla/frame.cc
    abi/native/xla/layout.cc
    abi/native/xla/probe.cc
)

eyrie_library(vm_object
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/object/buffer.cc
    vm/object/list.cc
    vm/object/nested_lists.cc
    vm/object/ref_types.cc
)

eyrie_library(abi_native_xla
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/native/xla/call.cc
    abi/native/xla/custom_call.cc
    abi/native/xla/declaration.cc
    abi/native/xla/function.cc
    abi/native/xla/import.cc
    abi/native/xla/import_plan.cc
    abi/native/xla/mlir_attribute.cc
    abi/native/xla/packed_declaration.cc
    abi/native/xla/packed_function.cc
    abi/native/xla/packed_tensor.cc
    abi/native/xla/program.cc
)

eyrie_library(abi_native
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/native/manifest.cc
    abi/native/native_libraries.cc
)

eyrie_library(abi_v0
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/v0/attributes.cc
    abi/v0/mangle.cc
    abi/v0/raw_signature.cc
    abi/v0/sip_signature.cc
)

eyrie_library(vm_asm
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    vm/asm/assembler.cc
    vm/asm/code_operands.cc
    vm/asm/code_parser.cc
    vm/asm/code_printer.cc
    vm/asm/cursor.cc
    vm/asm/debug_locations.cc
    vm/asm/disassembler.cc
    vm/asm/frame_needs.cc
    vm/asm/function_names.cc
    vm/asm/function_texts.cc
    vm/asm/instruction.cc
    vm/asm/module_notes.cc
    vm/asm/module_parser.cc
    vm/asm/module_plan.cc
    vm/asm/module_rodata.cc
    vm/asm/module_scope.cc
    vm/asm/syntax.cc
)

eyrie_library(vm_lower
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/lower/code_walk.cc
    vm/lower/lowering.cc
    vm/lower/redirect.cc
    vm/lower/remap.cc
)

eyrie_library(vm_flow
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/flow/value_flow.cc
)

eyrie_library(abi_signature
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    abi/signature/declaration.cc
    abi/signature/host_signature.cc
    abi/signature/inferred_types.cc
    abi/signature/records.cc
    abi/signature/signature_json.cc
    abi/signature/signature_reader.cc
    abi/signature/signature_text.cc
    abi/signature/structures.cc
    abi/signature/type_sources.cc
    abi/signature/user_exports.cc
)

eyrie_library(abi_tensor
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/tensor/element_range.cc
    abi/tensor/npy.cc
    abi/tensor/npz.cc
    abi/tensor/tensor.cc
    abi/tensor/tensor_compare.cc
    abi/tensor/tensor_text.cc
)

eyrie_library(abi_value
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/value/array_encoder.cc
    abi/value/convert.cc
    abi/value/decoder.cc
    abi/value/direct.cc
    abi/value/encoder.cc
    abi/value/host_value.cc
    abi/value/json_value.cc
    abi/value/out_arrays.cc
)

eyrie_library(vm_native
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/native/native_module.cc
)

eyrie_library(vm_run
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer -ffp-contract=off
  SOURCES
    vm/run/async_call.cc
    vm/run/bytecode_module.cc
    vm/run/compiled_steps.cc
    vm/run/context.cc
    vm/run/host_call.cc
    vm/run/interpreter.cc
    vm/run/invocation.cc
    vm/run/machine.cc
    vm/run/machine_compiled.cc
    vm/run/stack.cc
)

eyrie_library(abi_v0_call
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/v0/call/buffer_description.cc
    abi/v0/call/result_storage.cc
    abi/v0/call/sip_values.cc
)

eyrie_library(hal_cpu_machine
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/aarch64/instruction.cc
    hal/cpu/aarch64/instruction_set.cc
    hal/cpu/machine/cpu_features.cc
    hal/cpu/machine/instruction_set.cc
    hal/cpu/riscv64/instruction.cc
    hal/cpu/riscv64/instruction_set.cc
    hal/cpu/x86_64/instruction.cc
    hal/cpu/x86_64/instruction_set.cc
  MACHINE_SOURCES
    hal/cpu/${EYRIE_MACHINE}/detect_features.cc
    hal/cpu/${EYRIE_MACHINE}/float_state.cc
    hal/cpu/${EYRIE_MACHINE}/signal_place.cc
)

eyrie_library(hal_cpu
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/allocator.cc
    hal/cpu/buffer.cc
    hal/cpu/code_places.cc
    hal/cpu/code_scan.cc
    hal/cpu/device.cc
    hal/cpu/driver.cc
    hal/cpu/elf_layout.cc
    hal/cpu/elf_loader.cc
    hal/cpu/elf_symbols.cc
    hal/cpu/executable.cc
    hal/cpu/executor.cc
    hal/cpu/host_dispatch.cc
    hal/cpu/image.cc
    hal/cpu/kernel_executable.cc
    hal/cpu/kernel_plugin.cc
    hal/cpu/library.cc
    hal/cpu/library_executable.cc
    hal/cpu/library_facts.cc
    hal/cpu/library_rewrite.cc
    hal/cpu/native_executable.cc
    hal/cpu/perf_functions.cc
    hal/cpu/rank_run.cc
    hal/cpu/system_library.cc
)

eyrie_library(hal_cpu_isolate_lane
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/isolate/lane.cc
)

eyrie_library(hal_cpu_isolate_worker
  IF EYRIE_ISOLATION
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/isolate/spawn.cc
    ${EYRIE_GENERATED}/hal/cpu/isolate/worker_image.cc
    hal/cpu/isolate/${EYRIE_MACHINE}/worker_system.cc
)

eyrie_library(hal_cpu_isolate
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/isolate/binding_copies.cc
    hal/cpu/isolate/driver.cc
    hal/cpu/isolate/end_pipe.cc
    hal/cpu/isolate/executable.cc
    hal/cpu/isolate/shared_heap.cc
    hal/cpu/isolate/shared_mapping.cc
    hal/cpu/isolate/worker.cc
)

eyrie_library(hal_cpu_task
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/task/command_run.cc
    hal/cpu/task/device.cc
    hal/cpu/task/driver.cc
    hal/cpu/task/job.cc
    hal/cpu/task/pool.cc
    hal/cpu/task/shared_pool.cc
    hal/cpu/task/sharing.cc
    hal/cpu/task/topology.cc
)

eyrie_library(hal_vulkan
  IF EYRIE_VULKAN
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    hal/vulkan/allocator.cc
    hal/vulkan/api.cc
    hal/vulkan/buffer.cc
    hal/vulkan/device.cc
    hal/vulkan/device_limits.cc
    hal/vulkan/driver.cc
    hal/vulkan/engine.cc
    hal/vulkan/executable.cc
    hal/vulkan/executable_def.cc
    hal/vulkan/external_memory.cc
    hal/vulkan/features.cc
    hal/vulkan/host_device.cc
    hal/vulkan/instance.cc
    hal/vulkan/logical_device.cc
    hal/vulkan/lost_functions.cc
    hal/vulkan/memory_block.cc
    hal/vulkan/native_commands.cc
    hal/vulkan/older_executable.cc
    hal/vulkan/physical_device.cc
    hal/vulkan/pipeline.cc
    hal/vulkan/pipeline_cache.cc
    hal/vulkan/queue.cc
    hal/vulkan/record_dispatch.cc
    hal/vulkan/recorder.cc
    hal/vulkan/shader_facts.cc
    hal/vulkan/spirv.cc
    hal/vulkan/spirv_check.cc
    hal/vulkan/spirv_scan.cc
    hal/vulkan/spirv_validate.cc
    hal/vulkan/timestamps.cc
)

eyrie_library(hal_drivers
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/drivers/device_settings.cc
    hal/drivers/drivers.cc
)

eyrie_library(hal_parameters
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    hal/parameters/gguf.cc
    hal/parameters/irpa.cc
    hal/parameters/irpa_writer.cc
    hal/parameters/parameter_entry.cc
    hal/parameters/parameter_file.cc
    hal/parameters/parameter_formats.cc
    hal/parameters/parameter_index.cc
    hal/parameters/safetensors.cc
)

eyrie_library(hal_module
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/module/arguments.cc
    hal/module/buffer_imports.cc
    hal/module/buffer_view_imports.cc
    hal/module/channel_imports.cc
    hal/module/command_imports.cc
    hal/module/descriptor_imports.cc
    hal/module/device_imports.cc
    hal/module/executable_imports.cc
    hal/module/fence_imports.cc
    hal/module/file_image.cc
    hal/module/file_imports.cc
    hal/module/hal_module.cc
    hal/module/import_releases.cc
    hal/module/inline_imports.cc
    hal/module/inline_modules.cc
    hal/module/loader_imports.cc
    hal/module/parameter_transfers.cc
    hal/module/parameters_module.cc
    hal/module/state.cc
    hal/module/types.cc
)

eyrie_library(hal_vmvx_tiles
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer -O3 -ffp-contract=fast
  SOURCES
  MACHINE_SOURCES
    hal/vmvx/${EYRIE_MACHINE}/tiles.cc
)

eyrie_library(hal_vmvx_module
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer -O3
  SOURCES
    hal/vmvx/mmt4d.cc
    hal/vmvx/module.cc
    hal/vmvx/pack.cc
    hal/vmvx/strided.cc
)

eyrie_library(hal_vmvx
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/vmvx/executable.cc
    hal/vmvx/worker.cc
)

eyrie_library(abi_call
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/call/callable.cc
    abi/call/compare.cc
    abi/call/describe_executable.cc
    abi/call/globals.cc
    abi/call/host_imports.cc
    abi/call/invoker.cc
    abi/call/object_copier.cc
    abi/call/pending_call.cc
    abi/call/prepared_call.cc
    abi/call/result_memory.cc
    abi/call/sample_values.cc
    abi/call/session.cc
    abi/call/snapshot.cc
    abi/call/value_reader.cc
    abi/call/value_text.cc
    abi/call/value_writer.cc
    abi/call/vendor_executable.cc
)

eyrie_library(abi_needs
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    abi/needs/machine.cc
    abi/needs/module_facts.cc
    abi/needs/needs.cc
    abi/needs/size_text.cc
)

eyrie_library(vm_jit_compiler
  IF EYRIE_JIT
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/jit/assembly.cc
    vm/jit/checks.cc
    vm/jit/code_memory.cc
    vm/jit/comparison.cc
    vm/jit/constants.cc
    vm/jit/emit_call.cc
    vm/jit/emit_control.cc
    vm/jit/emit_element.cc
    vm/jit/emit_entry.cc
    vm/jit/emit_object.cc
    vm/jit/emit_step.cc
    vm/jit/emitter.cc
    vm/jit/gdb.cc
    vm/jit/homes.cc
    vm/jit/inlining.cc
    vm/jit/jit.cc
    vm/jit/labels.cc
    vm/jit/program.cc
    vm/jit/references.cc
    vm/jit/registers.cc
    vm/jit/residents.cc
    vm/jit/thunks.cc
    vm/jit/treatment.cc
    vm/jit/views.cc
    vm/jit/webs.cc
  MACHINE_SOURCES
    vm/jit/${EYRIE_MACHINE}/comparisons.cc
    vm/jit/${EYRIE_MACHINE}/elements.cc
    vm/jit/${EYRIE_MACHINE}/emit_float.cc
    vm/jit/${EYRIE_MACHINE}/emit_integer.cc
    vm/jit/${EYRIE_MACHINE}/homes.cc
    vm/jit/${EYRIE_MACHINE}/machine.cc
    vm/jit/${EYRIE_MACHINE}/machine_code.cc
    vm/jit/${EYRIE_MACHINE}/thunk_writer.cc
)

eyrie_library(abi_c
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    abi/c/c_call.cc
    abi/c/c_device_list.cc
    abi/c/c_external.cc
    abi/c/c_fence.cc
    abi/c/c_function.cc
    abi/c/c_limits.cc
    abi/c/c_linker.cc
    abi/c/c_native.cc
    abi/c/c_needs.cc
    abi/c/c_options.cc
    abi/c/c_parameters.cc
    abi/c/c_program.cc
    abi/c/c_state.cc
    abi/c/c_trace.cc
    abi/c/c_value.cc
    abi/c/host_call.cc
    abi/c/host_module.cc
    abi/c/host_values.cc
    abi/c/runtime.cc
)

eyrie_library(vm_jit_without
  UNLESS EYRIE_JIT
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    vm/jit/without.cc
)

eyrie_library(hal_cpu_isolate_without
  UNLESS EYRIE_ISOLATION
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    hal/cpu/isolate/without.cc
)

eyrie_library(hal_vulkan_without
  UNLESS EYRIE_VULKAN
  OPTIMIZE -Os
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden
  SOURCES
    hal/vulkan/without.cc
)

eyrie_library(tools_bench_rows
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/bench_rows.cc
)

eyrie_library(tools_call_times
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/call_times.cc
)

eyrie_library(tools_flags
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/arg_parser.cc
    tools/capture.cc
    tools/command.cc
    tools/dispatch_dump.cc
    tools/flatbuffer_fields.cc
    tools/flatbuffer_json.cc
    tools/interrupt.cc
    tools/interrupt_thread.cc
    tools/jit_flags.cc
    tools/json_flags.cc
    tools/json_object.cc
    tools/limit_flags.cc
    tools/load_flags.cc
    tools/load_progress.cc
    tools/module_json.cc
    tools/module_text.cc
    tools/native_flags.cc
    tools/other_files.cc
    tools/parameter_flags.cc
    tools/progress_line.cc
    tools/shell_word.cc
    tools/trace_flags.cc
    tools/usage_error.cc
    tools/vulkan_flags.cc
    tools/wheel.cc
)

eyrie_library(tools_commands
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/asm.cc
    tools/batch.cc
    tools/batch_source.cc
    tools/bench.cc
    tools/bench_compare.cc
    tools/benchmark_flags.cc
    tools/collective_flags.cc
    tools/compat_flag.cc
    tools/completion.cc
    tools/cpuinfo.cc
    tools/device_flags.cc
    tools/dump.cc
    tools/executable_bench.cc
    tools/note.cc
    tools/parameter_changes.cc
    tools/parameter_text.cc
    tools/params.cc
    tools/result_flags.cc
    tools/run.cc
)

eyrie_library(tools_fault_report
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/fault_report.cc
)

eyrie_library(tools_terminate
  IF EYRIE_TOOL
  OPTIMIZE -Os
  OPTIONS -fexceptions -frtti
  SOURCES
    tools/terminate.cc
)

eyrie_library(tools_compiler
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/compiler/compiler.cc
    tools/compiler/flag_sets.cc
    tools/compiler/model_compiler.cc
    tools/compiler/result_folder.cc
)

eyrie_library(tools_inspect
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/inspect/dispatch_map.cc
    tools/inspect/dispatch_times.cc
    tools/inspect/html_text.cc
    tools/inspect/inspect.cc
    tools/inspect/kernel_times.cc
    tools/inspect/kernel_words.cc
    tools/inspect/measure.cc
    tools/inspect/pools.cc
    tools/inspect/report.cc
    tools/inspect/report_dot.cc
    tools/inspect/report_html.cc
    tools/inspect/report_json.cc
    tools/inspect/report_text.cc
)

eyrie_library(tools_bisect
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/bisect/aligned_run.cc
    tools/bisect/alignment.cc
    tools/bisect/bisect.cc
    tools/bisect/bisect_html.cc
    tools/bisect/bisect_report.cc
    tools/bisect/bisection.cc
    tools/bisect/bytes.cc
    tools/bisect/difference.cc
    tools/bisect/dispatch_module.cc
    tools/bisect/element_guess.cc
    tools/bisect/kernel_name.cc
    tools/bisect/lockstep.cc
    tools/bisect/meeting.cc
    tools/bisect/recording.cc
    tools/bisect/reproducer.cc
    tools/bisect/side.cc
)

eyrie_library(tools_check
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/check/check.cc
    tools/check/check_flags.cc
    tools/check/check_module.cc
    tools/check/console_report.cc
    tools/check/expectation.cc
    tools/check/expected_failures.cc
    tools/check/junit_report.cc
    tools/check/name_filter.cc
    tools/check/test_plan.cc
    tools/check/test_record.cc
    tools/check/test_runner.cc
)

eyrie_library(tools_debug
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/debug/breakpoints.cc
    tools/debug/condition.cc
    tools/debug/debug.cc
    tools/debug/debugger.cc
    tools/debug/frame_tracker.cc
    tools/debug/line_editor.cc
    tools/debug/listing.cc
    tools/debug/object_text.cc
    tools/debug/places.cc
    tools/debug/value_lines.cc
)

eyrie_library(base_sha256
  IF EYRIE_TOOL
  OPTIMIZE -O2
  OPTIONS -fvisibility=hidden -fvisibility-inlines-hidden -fomit-frame-pointer
  SOURCES
    base/sha256.cc
)

eyrie_library(tools_diff
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/diff/changes.cc
    tools/diff/diff.cc
    tools/diff/diff_report.cc
    tools/diff/line_diff.cc
    tools/diff/module_parts.cc
)

eyrie_library(tools_tune
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/tune/ranking.cc
    tools/tune/tune.cc
    tools/tune/tune_report.cc
    tools/tune/tuner.cc
)

eyrie_library(tools_upgrade
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/upgrade/call_rewriter.cc
    tools/upgrade/code_editor.cc
    tools/upgrade/encoding.cc
    tools/upgrade/executables.cc
    tools/upgrade/import_call.cc
    tools/upgrade/kernel_names.cc
    tools/upgrade/module_plan_of.cc
    tools/upgrade/pipeline_layouts.cc
    tools/upgrade/pushed_arguments.cc
    tools/upgrade/rewrite.cc
    tools/upgrade/shims.cc
    tools/upgrade/upgrade.cc
    tools/upgrade/upgrade_check.cc
)

eyrie_library(tools_eyrie
  IF EYRIE_TOOL
  OPTIMIZE -Os
  SOURCES
    tools/eyrie.cc
)
