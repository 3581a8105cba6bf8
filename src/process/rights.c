/* SPDX-License-Identifier: BSD-2-Clause */
/* Giving up what is not needed any more. Called once, by process_run, when all is bound. */
#include "process/rights.h"

#include "base/err.h"
#include "process/process.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int rights_chroot(const char *dir, struct err *err)
{
	if (!dir)
		return 0;
	if (chroot(dir) < 0 || chdir("/") < 0)
		return err_set(err, "cannot change the root directory to '%s': %s", dir,
			       strerror(errno));
	return 0;
}

static int rights_group(const struct process_conf *conf, struct err *err)
{
	if (conf->has_uid && getuid() == 0 && (conf->has_gid ? setgroups(1, &conf->gid) :
							       setgroups(0, NULL)) < 0)
		return err_set(err, "cannot leave the supplementary groups: %s", strerror(errno));
	if (conf->has_gid && setgid(conf->gid) < 0)
		return err_set(err, "cannot become group %u: %s", (unsigned)conf->gid,
			       strerror(errno));
	return 0;
}

/* After setuid: only these stay effective. */
static void rights_keep(unsigned caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { caps, caps, 0 }, { 0, 0, 0 } };

	syscall(SYS_capset, &head, data);
}

static int rights_user(const struct process_conf *conf, bool keep_network, struct err *err)
{
	if (!conf->has_uid || conf->uid == getuid())
		return 0;
	if (keep_network)
		prctl(PR_SET_KEEPCAPS, 1);
	if (setuid(conf->uid) < 0)
		return err_set(err, "cannot become user %u: %s", (unsigned)conf->uid,
			       strerror(errno));
	if (keep_network)
		rights_keep(1u << CAP_NET_ADMIN | 1u << CAP_NET_RAW);
	return 0;
}

int rights_drop(const struct process_conf *conf, bool keep_network, struct err *err)
{
	if (rights_chroot(conf->chroot, err) < 0 || rights_group(conf, err) < 0)
		return -1;
	return rights_user(conf, keep_network, err);
}

/* Private memory of all kinds, mapped or from the heap, counts; code and stacks do not. */
int rights_memory(int megabytes, struct err *err)
{
	struct rlimit limit;

	if (!megabytes)
		return 0;
	limit.rlim_cur = limit.rlim_max = (rlim_t)megabytes << 20;
	if (setrlimit(RLIMIT_DATA, &limit) < 0)
		return err_set(err, "cannot limit memory to %d megabytes: %s", megabytes,
			       strerror(errno));
	return 0;
}

void rights_forbid_processes(void)
{
#if !defined(__SANITIZE_ADDRESS__) /* its leak checker needs a thread at the end */
	static const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NPROC, &none); /* lowering a limit cannot fail */
#endif
}
