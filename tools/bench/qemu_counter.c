/* A plug-in of qemu that counts the instructions a program executes, and the
 * calls of one of its functions. Its arguments are out=FILE, for both numbers,
 * and function=SYMBOL. `count_in_qemu` builds it.
 *
 * Debian 12 has no header for plug-ins of its qemu, so what this one uses is
 * declared here. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*translated_t)(uint64_t id, struct qemu_plugin_tb*);
typedef void (*executed_t)(unsigned cpu, void* data);
typedef void (*ended_t)(uint64_t id, void* data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated_t);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb*, executed_t,
                                          int flags, void* data);
void qemu_plugin_register_atexit_cb(uint64_t id, ended_t, void* data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*,
                                                 size_t index);
const char* qemu_plugin_insn_symbol(const struct qemu_plugin_insn*);

int qemu_plugin_version = 1; /* of this interface, in qemu 4.2 to 8 */

static const char* path;
static const char* function;
static uint64_t entry; /* the function's address, once it has been called */
static uint64_t instructions;
static uint64_t calls;

static void on_block(unsigned cpu, void* length) {
  (void)cpu;
  __atomic_fetch_add(&instructions, (uintptr_t)length, __ATOMIC_RELAXED);
}

static void on_call(unsigned cpu, void* data) {
  (void)cpu;
  (void)data;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

/* Blocks are translated before they are first executed, so the first block in
 * the function is its entry. */
static int is_entry(const struct qemu_plugin_tb* block) {
  if (function == NULL) return 0;
  if (entry == 0) {
    const char* symbol =
        qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    if (symbol == NULL || strcmp(symbol, function) != 0) return 0;
    entry = qemu_plugin_tb_vaddr(block);
  }
  return qemu_plugin_tb_vaddr(block) == entry;
}

static void on_translation(uint64_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, 0,
                                       (void*)qemu_plugin_tb_n_insns(block));
  if (is_entry(block)) {
    qemu_plugin_register_vcpu_tb_exec_cb(block, on_call, 0, NULL);
  }
}

static void on_end(uint64_t id, void* data) {
  (void)id;
  (void)data;
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%" PRIu64 " %" PRIu64 "\n", instructions, calls);
  fclose(file);
}

int qemu_plugin_install(uint64_t id, const void* info, int count, char** args) {
  (void)info;
  for (int i = 0; i < count; ++i) {
    if (strncmp(args[i], "out=", 4) == 0) path = args[i] + 4;
    if (strncmp(args[i], "function=", 9) == 0) function = args[i] + 9;
  }
  if (path == NULL) return -1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
