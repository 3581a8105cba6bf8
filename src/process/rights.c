/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Giving up what is not needed any more. Called once, by the process that will serve, when all is
 * open. The order matters: the root directory and the bounding set need root, capabilities are
 * lost with the change of user unless they are asked for, and the mark that allows dumps falls
 * with it.
 */
#include "process/rights.h"

#include "base/err.h"
#include "process/caps.h"
#include "process/process.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
	bool leave = (conf->has_uid || conf->has_gid) && geteuid() == 0;

	if (leave && (conf->has_gid ? setgroups(1, &conf->gid) : setgroups(0, NULL)) < 0)
		return err_set(err, "cannot leave the supplementary groups: %s", strerror(errno));
	if (conf->has_gid && setresgid(conf->gid, conf->gid, conf->gid) < 0)
		return err_set(err, "cannot become group %u: %s", (unsigned)conf->gid,
			       strerror(errno));
	return 0;
}

static bool rights_changes_user(const struct process_conf *conf)
{
	return conf->has_uid && (conf->uid != getuid() || conf->uid != geteuid());
}

static int rights_user(const struct process_conf *conf, bool keep_caps, struct err *err)
{
	if (!rights_changes_user(conf))
		return 0;
	if (keep_caps)
		prctl(PR_SET_KEEPCAPS, 1);
	if (setresuid(conf->uid, conf->uid, conf->uid) < 0)
		return err_set(err, "cannot become user %u: %s", (unsigned)conf->uid,
			       strerror(errno));
	return 0;
}

/* What is left of them after the change of user. */
static int rights_caps(const struct process_conf *conf, caps_set keep, struct err *err)
{
	caps_set have = caps_permitted(), missing = conf->setcap & ~have;
	char names[128];

	if (missing)
		return err_set(err, "setcap: the process was started without %s",
			       caps_print(missing, names, sizeof(names)));
	if (caps_set_all(keep & have) < 0)
		return err_set(err, "cannot give up capabilities: %s", strerror(errno));
	return 0;
}

/* Commands that root runs may need what the configuration does not tell. */
static bool rights_leaves_caps(const struct process_conf *conf, const struct rights *wanted)
{
	return wanted->fork && !rights_changes_user(conf) && !conf->setcap;
}

static int rights_identity(const struct process_conf *conf, const struct rights *wanted,
			   struct err *err)
{
	bool leave_caps = rights_leaves_caps(conf, wanted);
	caps_set keep = conf->setcap | wanted->caps;

	if (geteuid() == 0 && (!conf->has_uid || conf->uid == 0))
		keep |= caps_of_root();
	if (!leave_caps && !wanted->setuid)
		caps_bound(keep);
	if (rights_user(conf, keep != 0, err) < 0)
		return -1;
	return leave_caps ? 0 : rights_caps(conf, keep, err);
}

/* Only root may raise what the system has set. */
static void rights_core(void)
{
	static const int which[] = { RLIMIT_CORE, RLIMIT_FSIZE };
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	size_t i;

	for (i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
		if (setrlimit(which[i], &limit) == 0 || getrlimit(which[i], &limit) < 0)
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(which[i], &limit);
	}
}

int rights_drop(const struct process_conf *conf, const struct rights *wanted, struct err *err)
{
	if (conf->dumpable)
		rights_core();
	if (rights_chroot(conf->chroot, err) < 0 || rights_group(conf, err) < 0 ||
	    rights_identity(conf, wanted, err) < 0)
		return -1;
	if (!wanted->setuid)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (conf->dumpable && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return err_set(err, "cannot allow dumps: %s", strerror(errno));
	return 0;
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
