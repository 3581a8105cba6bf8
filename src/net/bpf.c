/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf(2), for net/sockmap.c and colocate/. Never decides, keeps no state. */
#include "net/bpf.h"

#include "base/bug.h"
#include "base/result.h"
#include "net/bpf_code.h"

#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int bpf_call(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool insn_jumps(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_JMP && BPF_OP(i->code) != BPF_CALL &&
	       BPF_OP(i->code) != BPF_EXIT;
}

unsigned bpf_code_link(struct bpf_insn *out, const struct bpf_insn *code, unsigned len,
		       const int *maps)
{
	int labels[64] = { 0 };
	unsigned i, n = 0;

	for (i = 0; i < len; i++) {
		if (code[i].code != LABEL_CODE) {
			out[n++] = code[i];
			continue;
		}
		BUG_ON((size_t)code[i].off >= ARRAY_LEN(labels));
		labels[code[i].off] = (int)n;
	}
	for (i = 0; i < n; i++)
		if (insn_jumps(&out[i]))
			out[i].off = (int16_t)(out[i].off < 0 ? -out[i].off :
								labels[out[i].off] - (int)i - 1);
		else if (out[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
			 out[i].src_reg == BPF_PSEUDO_MAP_FD)
			out[i].imm = maps[out[i].imm];
	return n;
}

int bpf_program_load(const struct bpf_program *program, const struct bpf_log *log)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = program->type;
	a.expected_attach_type = program->attach_type;
	a.insn_cnt = program->len;
	a.insns = (uintptr_t)program->code;
	a.license = (uintptr_t)"Dual BSD/GPL";
	if (log) {
		a.log_buf = (uintptr_t)log->text;
		a.log_size = (uint32_t)log->size;
		a.log_level = 1;
	}
	memcpy(a.prog_name, program->name, strnlen(program->name, sizeof(a.prog_name) - 1));
	return bpf_call(BPF_PROG_LOAD, &a);
}

int bpf_map_create(const char *name, unsigned type, unsigned key, unsigned value, unsigned entries,
		   unsigned flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = type;
	a.key_size = key;
	a.value_size = value;
	a.max_entries = entries;
	a.map_flags = flags;
	memcpy(a.map_name, name, strnlen(name, sizeof(a.map_name) - 1));
	return bpf_call(BPF_MAP_CREATE, &a);
}

static int map_call(int command, int map, const void *key, const void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)map;
	a.key = (uintptr_t)key;
	a.value = (uintptr_t)value; /* also: next_key */
	return bpf_call(command, &a);
}

int bpf_map_put(int map, const void *key, const void *value)
{
	return map_call(BPF_MAP_UPDATE_ELEM, map, key, value); /* flags 0: BPF_ANY */
}

int bpf_map_get(int map, const void *key, void *value)
{
	return map_call(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

void bpf_map_remove(int map, const void *key)
{
	DROPPED(map_call(BPF_MAP_DELETE_ELEM, map, key, NULL), "what is not there is gone");
}

int bpf_map_next(int map, const void *key, void *next)
{
	return map_call(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

int bpf_map_attach(int map, int program, unsigned attach_type)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.target_fd = (uint32_t)map;
	a.attach_bpf_fd = (uint32_t)program;
	a.attach_type = attach_type;
	return bpf_call(BPF_PROG_ATTACH, &a);
}
