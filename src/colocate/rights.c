/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities without which no program can be loaded or attached. The kernel itself says only
 * EPERM, or EINVAL with a text of its verifier. */
#include "colocate/rights.h"

#include "base/bug.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_BPF /* older headers */
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

/* In force for this process; 0: the kernel does not say. */
static uint64_t rights_now(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

int colocate_may(struct err *err)
{
	static const struct {
		int number;
		const char *name;
	} needed[] = { { CAP_BPF, "CAP_BPF" }, { CAP_PERFMON, "CAP_PERFMON" },
		       { CAP_NET_ADMIN, "CAP_NET_ADMIN" } };
	const uint64_t rights = rights_now();
	char missing[64] = "";
	size_t i, len = 0;

	if (rights >> CAP_SYS_ADMIN & 1) /* it stands for each of them */
		return 0;
	for (i = 0; i < ARRAY_LEN(needed); i++) {
		if (rights >> needed[i].number & 1)
			continue;
		len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s",
					len ? ", " : "", needed[i].name);
	}
	return len ? err_set(err, "rights are missing that root has: %s", missing) : 0;
}
