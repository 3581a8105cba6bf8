/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the programs of colocate/ hang (a control group) and stay (a folder of a BPF file system).
 * The link is pinned last and removed first: where it is, all else is. */
#include "colocate/attach.h"

#include "base/bug.h"
#include "base/result.h"
#include "net/bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef BPF_FS_MAGIC
#define BPF_FS_MAGIC 0xcafe4a11
#endif

/* ---- control groups ------------------------------------------------------------------------ */

/* How many programs see to connections there; effective: also those of the groups above. */
static int group_programs(const char *cgroup, bool effective)
{
	union bpf_attr a;
	int fd = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return 0; /* it has gone meanwhile */
	memset(&a, 0, sizeof(a));
	a.query.target_fd = (uint32_t)fd;
	a.query.attach_type = BPF_CGROUP_SOCK_OPS;
	a.query.query_flags = effective ? BPF_F_QUERY_EFFECTIVE : 0;
	r = bpf_call(BPF_PROG_QUERY, &a);
	close(fd);
	return r < 0 ? -1 : (int)a.query.prog_cnt;
}

static char group_taken[PATH_MAX]; /* by whom nftw was stopped */

static int group_look(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (kind != FTW_D || !group_programs(path, false))
		return 0;
	snprintf(group_taken, sizeof(group_taken), "%s", path);
	return 1;
}

int attach_may(const char *cgroup, struct err *err)
{
	struct statfs fs;
	int taken;

	if (statfs(cgroup, &fs) < 0)
		return err_set(err, "%s: %s", cgroup, strerror(errno));
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return err_set(err, "%s is no control group of version 2", cgroup);
	group_taken[0] = 0;
	taken = group_programs(cgroup, true);
	if (taken < 0)
		return err_set(err, "%s: what is attached there cannot be asked: %s", cgroup,
			       strerror(errno));
	if (taken)
		snprintf(group_taken, sizeof(group_taken), "%s", cgroup);
	if (group_taken[0] || nftw(cgroup, group_look, 16, FTW_PHYS) > 0)
		return err_set(err, "%s: a program of somebody else sees to connections there "
			       "already", group_taken);
	return 0;
}

int attach_link(int program, const char *cgroup, struct err *err)
{
	union bpf_attr a;
	int fd = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC), link;

	if (fd < 0)
		return err_set(err, "%s: %s", cgroup, strerror(errno));
	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (uint32_t)program;
	a.link_create.target_fd = (uint32_t)fd;
	a.link_create.attach_type = BPF_CGROUP_SOCK_OPS;
	link = bpf_call(BPF_LINK_CREATE, &a);
	if (link < 0)
		err_set(err, "%s: programs cannot be attached: %s", cgroup, strerror(errno));
	close(fd);
	return link;
}

/* ---- pins ---------------------------------------------------------------------------------- */

enum { PIN_LINK, PIN_PAIR, PIN_PASS, PIN_MAPS, PINS = PIN_MAPS + COLOCATE_MAPS };

static const char *pin_path(char *path, const char *pins, int pin)
{
	static const char *const names[] = { "link", "pair", "pass" };

	snprintf(path, PATH_MAX, "%s/%s", pins,
		 pin < PIN_MAPS ? names[pin] : colocate_map_names[pin - PIN_MAPS]);
	return path;
}

static int pin_put(const char *pins, int pin, int fd)
{
	char path[PATH_MAX];
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.pathname = (uintptr_t)pin_path(path, pins, pin);
	a.bpf_fd = (uint32_t)fd;
	return bpf_call(BPF_OBJ_PIN, &a);
}

static int pin_get(const char *pins, int pin)
{
	char path[PATH_MAX];
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.pathname = (uintptr_t)pin_path(path, pins, pin);
	return bpf_call(BPF_OBJ_GET, &a);
}

/* How many were there. */
static int pins_remove(const char *pins)
{
	char path[PATH_MAX];
	int pin, n = 0;

	for (pin = 0; pin < PINS; pin++)
		n += unlink(pin_path(path, pins, pin)) == 0;
	return n;
}

static int pins_refused(const char *pins, struct err *err)
{
	const int saved = errno;

	pins_remove(pins);
	rmdir(pins);
	return err_set(err, "%s: %s", pins, strerror(saved));
}

int attach_may_pin(const char *pins, struct err *err)
{
	char folder[PATH_MAX];
	struct statfs fs;
	char *slash;

	snprintf(folder, sizeof(folder), "%s", pins);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	else
		snprintf(folder, sizeof(folder), ".");
	if (statfs(folder, &fs) < 0)
		return err_set(err, "%s: %s", folder, strerror(errno));
	if ((uint32_t)fs.f_type != BPF_FS_MAGIC)
		return err_set(err, "%s is no BPF file system; 'mount -t bpf bpf %s' makes it one",
			       folder, folder);
	if (!access(pins, F_OK))
		return err_set(err, "it is enabled already (%s); disable it first", pins);
	return 0;
}

int attach_pin(const char *pins, const struct colocate_set *set, int link, struct err *err)
{
	int i;

	if (mkdir(pins, 0700) < 0)
		return err_set(err, "%s: %s", pins, strerror(errno));
	for (i = 0; i < COLOCATE_MAPS; i++)
		if (pin_put(pins, PIN_MAPS + i, set->maps[i]))
			return pins_refused(pins, err);
	if (pin_put(pins, PIN_PAIR, set->pair) || pin_put(pins, PIN_PASS, set->pass) ||
	    pin_put(pins, PIN_LINK, link))
		return pins_refused(pins, err);
	return 0;
}

/* By errno; -1. */
static int pins_missing(const char *pins, struct err *err)
{
	if (errno == ENOENT)
		return err_set(err, "it is not enabled (%s)", pins);
	if (errno == EACCES || errno == EPERM)
		return err_set(err, "%s: %s; only root may look at it and disable it", pins,
			       strerror(errno));
	return err_set(err, "%s: %s", pins, strerror(errno));
}

int attach_open(const char *pins, struct colocate_set *set, struct err *err)
{
	int i;

	memset(set, -1, sizeof(*set));
	for (i = 0; i < COLOCATE_MAPS; i++) {
		set->maps[i] = pin_get(pins, PIN_MAPS + i);
		if (set->maps[i] >= 0)
			continue;
		pins_missing(pins, err);
		colocate_set_close(set);
		return -1;
	}
	return 0;
}

/* The number of the folder to which it is attached; 0: to none any more. -1: not known. */
static int64_t link_group(int link)
{
	struct bpf_link_info info;
	union bpf_attr a;

	memset(&info, 0, sizeof(info));
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (uint32_t)link;
	a.info.info_len = sizeof(info);
	a.info.info = (uintptr_t)&info;
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a) ? -1 : (int64_t)info.cgroup.cgroup_id;
}

int attach_holds(const char *pins, const char *cgroup, struct err *err)
{
	const int link = pin_get(pins, PIN_LINK);
	struct stat st;
	int64_t group;

	if (link < 0)
		return err_set(err, "%s/link is missing: no connections are paired any more; "
			       "disable it, and enable it anew", pins);
	group = link_group(link);
	close(link);
	if (group < 0 || (group && !stat(cgroup, &st) && (uint64_t)group == st.st_ino))
		return 0;
	return err_set(err, "the control group %s was removed: no connections are paired any more; "
		       "disable it, and enable it anew", cgroup);
}

int attach_remove(const char *pins, struct err *err)
{
	const int link = pin_get(pins, PIN_LINK);
	union bpf_attr a;
	int n;

	if (link < 0 && (errno == EPERM || errno == EACCES))
		return pins_missing(pins, err);
	if (link >= 0) {
		memset(&a, 0, sizeof(a));
		a.link_detach.link_fd = (uint32_t)link;
		DROPPED(bpf_call(BPF_LINK_DETACH, &a), "where the group has gone it is detached");
		close(link);
	}
	n = pins_remove(pins);
	if (rmdir(pins) == 0)
		return 0;
	return n || errno != ENOENT ? err_set(err, "%s: %s", pins, strerror(errno)) :
				      err_set(err, "it is not enabled (%s)", pins);
}
