/* SPDX-License-Identifier: BSD-2-Clause */
/* Learns of the running kernel what colocate/programs.c is written with. */
#include "colocate/kernel.h"

#include "base/bug.h"
#include "colocate/btf.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct member {
	size_t field;
	const char *structure, *path;
};

#define MEMBER(field, structure, path) { offsetof(struct colocate_kernel, field), structure, path }

static const struct member members[] = {
	MEMBER(state, "sock", "__sk_common.skc_state"),
	MEMBER(cookie, "sock", "__sk_common.skc_cookie"),
	MEMBER(rmem, "sock", "sk_backlog.rmem_alloc"),
	MEMBER(rcvlowat, "sock", "sk_rcvlowat"),
	MEMBER(ulp, "inet_connection_sock", "icsk_ulp_ops"),
	MEMBER(write_seq, "tcp_sock", "write_seq"),
	MEMBER(rcv_nxt, "tcp_sock", "rcv_nxt"),
	MEMBER(copied_seq, "tcp_sock", "copied_seq"),
	MEMBER(owned, "sock", "sk_lock.owned"),
	MEMBER(socket, "sock", "sk_socket"),
	MEMBER(file, "socket", "file"),
	MEMBER(file_flags, "file", "f_flags"),
	MEMBER(file_owner, "file", "f_owner"),
	MEMBER(wq, "sock", "sk_wq"),
	MEMBER(wait_first, "socket_wq", "wait.head"),
	MEMBER(entry_list, "wait_queue_entry", "entry"),
	MEMBER(entry_func, "wait_queue_entry", "func"),
	MEMBER(epoll_entry, "eppoll_entry", "wait"),
	MEMBER(epoll_item, "eppoll_entry", "base"),
	MEMBER(item_events, "epitem", "event.events"),
};

struct function {
	size_t field;
	const char *name;
};

static const struct function functions[] = {
	{ offsetof(struct colocate_kernel, epoll), "ep_poll_callback" },
	{ offsetof(struct colocate_kernel, poll), "pollwake" },
	{ offsetof(struct colocate_kernel, blocked), "woken_wake_function" },
};

static int learn_members(struct colocate_kernel *kernel, struct err *err)
{
	struct btf *btf = btf_load("/sys/kernel/btf/vmlinux", err);
	size_t i;

	if (!btf)
		return -1;
	for (i = 0; i < ARRAY_LEN(members); i++) {
		int at = btf_offset(btf, members[i].structure, members[i].path);

		if (at < 0)
			break;
		memcpy((char *)kernel + members[i].field, &at, sizeof(at));
	}
	btf_free(&btf);
	return i == ARRAY_LEN(members) ? 0 :
		err_set(err, "this kernel's struct %s has no member %s", members[i].structure,
			members[i].path);
}

/* A compiler may append to a name, behind a dot. */
static void learn_function(struct colocate_kernel *kernel, uint64_t address, char *name)
{
	size_t i;

	name[strcspn(name, ".\n")] = 0;
	for (i = 0; i < ARRAY_LEN(functions); i++)
		if (!strcmp(functions[i].name, name))
			memcpy((char *)kernel + functions[i].field, &address, sizeof(address));
}

static int learn_functions(struct colocate_kernel *kernel, struct err *err)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	unsigned long long address;

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && !strchr(line, '['))
			learn_function(kernel, address, name);
	if (in)
		fclose(in);
	if (!kernel->epoll || !kernel->poll || !kernel->blocked)
		return err_set(err, "/proc/kallsyms does not show addresses of functions "
			       "(CAP_SYSLOG is missing, or kernel.kptr_restrict is 2)");
	return 0;
}

int colocate_kernel_learn(struct colocate_kernel *kernel, struct err *err)
{
	*kernel = (struct colocate_kernel){ 0 };
	return learn_members(kernel, err) || learn_functions(kernel, err) ? -1 : 0;
}
