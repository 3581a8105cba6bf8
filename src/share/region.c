/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions: a page that says what follows, and what follows. Called by their owners (segment.c, the
 * stores and notes of tls/) at start, by workers when they give up their rights, never by traffic
 * except for notes, which the parent writes.
 *
 * Invariant: a memfd that is mapped cannot be cut off by anybody (it is sealed against that), so
 * that no process is ended by touching what another has made away with.
 */
#include "share/region.h"

#include "base/bug.h"
#include "base/err.h"
#include "share/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x6e6f696765725350) /* "PSregion" */
enum { VERSION = 1, DESCRIPTORS_MORE = 64 };

struct region_head {
	uint64_t magic;
	uint32_t version, head_size;
	uint64_t layout;
	uint64_t size;    /* behind this page, when it was made */
	char name[32];
};

/* ---- memory ---------------------------------------------------------------------------- */

bool region_raise_limit(unsigned more)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur >= rl.rlim_max)
		return false;
	rl.rlim_cur = rl.rlim_max - rl.rlim_cur > more ? rl.rlim_cur + more : rl.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &rl) == 0;
}

static int memory_open(const char *name)
{
	char full[64];
	int fd;

	snprintf(full, sizeof(full), "penstock-%s", name);
	fd = memfd_create(full, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 && errno == EMFILE && region_raise_limit(DESCRIPTORS_MORE))
		fd = memfd_create(full, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0)
		fchmod(fd, S_IRUSR | S_IWUSR); /* a worker of another user opens it no more for writing */
	return fd;
}

static int seals_of(const struct region_spec *spec)
{
	if (spec->note)
		return F_SEAL_SEAL;
	return F_SEAL_SEAL | F_SEAL_SHRINK | (spec->grows ? 0 : F_SEAL_GROW);
}

static bool head_write(int fd, const struct region_spec *spec, size_t size)
{
	struct region_head head = { .magic = MAGIC, .version = VERSION, .head_size = sizeof(head),
				    .layout = spec->layout, .size = size };

	snprintf(head.name, sizeof(head.name), "%s", spec->name);
	return ftruncate(fd, (off_t)(REGION_PAGE + size)) == 0 &&
	       pwrite(fd, &head, sizeof(head), 0) == sizeof(head) &&
	       fcntl(fd, F_ADD_SEALS, seals_of(spec)) == 0;
}

const char *region_hint(int error)
{
	if (error == EMFILE)
		return ": raise the limit (ulimit -n, LimitNOFILE=)";
	return error == EFBIG ? ": raise the limit (ulimit -f, LimitFSIZE=)" : "";
}

int region_new(struct region *r, const struct region_spec *spec, size_t size, bool shared,
	       struct err *err)
{
	int error;

	*r = (struct region){ .spec = spec, .fd = -1, .size = size };
	if (!shared)
		return 0;
	r->fd = memory_open(spec->name);
	if (r->fd >= 0 && head_write(r->fd, spec, size))
		return 0;
	error = errno;
	region_free(r);
	return err_set(err, "no memory for %s: %s%s", spec->what, strerror(error), region_hint(error));
}

/* NULL: it can be taken; else what is wrong with it. */
static const char *refusal(const struct region_spec *spec, int fd, size_t *size)
{
	struct region_head head;
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || fstat(fd, &st) < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.magic != MAGIC || head.version != VERSION || head.head_size != sizeof(head) ||
	    strncmp(head.name, spec->name, sizeof(head.name)) != 0 || head.layout != spec->layout)
		return "of another version";
	if ((seals & seals_of(spec)) != seals_of(spec))
		return "not protected against being cut off";
	if (st.st_size < REGION_PAGE ||
	    (!spec->note && (size_t)st.st_size - REGION_PAGE < head.size))
		return "cut off";
	*size = (size_t)st.st_size - REGION_PAGE;
	return NULL;
}

int region_attach(struct region *r, const struct region_spec *spec, int fd, struct err *err)
{
	const char *why;

	*r = (struct region){ .fd = -1 };
	why = refusal(spec, fd, &r->size);
	if (why)
		return err_set(err, "the memory of %s is %s", spec->what, why);
	r->spec = spec;
	r->fd = fd;
	return 0;
}

bool region_attach_kept(struct region *r, const struct region_spec *spec)
{
	int fd = kept_get(spec->name);

	*r = (struct region){ .fd = -1 };
	if (fd < 0)
		return false;
	if (region_attach(r, spec, fd, NULL) < 0) {
		kept_refuse(spec->name);
		return false;
	}
	region_keep(r);
	return true;
}

void region_keep(struct region *r)
{
	BUG_ON(!r->spec || r->fd < 0 || r->confined);
	kept_set(r->spec->name, r->fd, &r->fd);
	r->kept = true;
}

void region_free(struct region *r)
{
	unsigned i;

	if (!r->spec)
		return;
	for (i = 0; i < r->window_count; i++)
		munmap(r->windows[i].base, r->windows[i].size);
	free(r->windows);
	if (r->kept)
		kept_leave(&r->fd);
	else if (r->fd >= 0)
		close(r->fd);
	*r = (struct region){ .fd = -1 };
}

uint64_t region_identity(const struct region *r)
{
	struct stat st;

	return r->fd >= 0 && fstat(r->fd, &st) == 0 ? st.st_ino : 0;
}

/* ---- windows ----------------------------------------------------------------------------- */

static char *map(const struct region *r, size_t at, size_t size)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (r->fd < 0 ? MAP_ANONYMOUS : 0);
	int protection = r->confined ? PROT_READ : PROT_READ | PROT_WRITE;
	char *p = mmap(NULL, size, protection, flags, r->fd,
		       r->fd < 0 ? 0 : (off_t)(REGION_PAGE + at));

	if (p == MAP_FAILED)
		return NULL;
	if (r->spec->secret)
		madvise(p, size, MADV_DONTDUMP);
	return p;
}

void *region_window(struct region *r, size_t at, size_t size)
{
	struct region_window *more;
	char *base;

	BUG_ON(r->spec->note || at % REGION_PAGE || size % REGION_PAGE);
	more = realloc(r->windows, (r->window_count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	r->windows = more;
	base = map(r, at, size);
	if (base)
		r->windows[r->window_count++] = (struct region_window){ base, at, size };
	return base;
}

int region_grow(struct region *r, size_t size)
{
	BUG_ON(!r->spec->grows || size < r->size);
	if (r->fd >= 0 && ftruncate(r->fd, (off_t)(REGION_PAGE + size)) < 0)
		return -1;
	r->size = size;
	return 0;
}

/* ---- what a process may write -------------------------------------------------------------- */

static int only_read(const struct region *r, int fd, const struct region_window *w, size_t from,
		     size_t to)
{
	char *at = w->base + (from - w->at);

	if (from >= to)
		return 0;
	if (mmap(at, to - from, PROT_READ, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
		 (off_t)(REGION_PAGE + from)) == MAP_FAILED)
		return -1;
	return r->spec->secret ? madvise(at, to - from, MADV_DONTDUMP) : 0;
}

static int confine_window(const struct region *r, int fd, const struct region_window *w,
			  const struct region_span *own, unsigned count)
{
	size_t at = w->at, end = w->at + w->size;
	unsigned i;

	for (i = 0; i < count && own[i].from < end; i++) {
		if (own[i].to <= at)
			continue;
		if (only_read(r, fd, w, at, own[i].from) < 0)
			return -1;
		at = own[i].to;
	}
	return only_read(r, fd, w, at, end);
}

/* Without /proc the rest cannot be written either, though mapped from a descriptor that could. */
static int open_to_read(int fd)
{
	char path[32];
	int reads;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reads = open(path, O_RDONLY | O_CLOEXEC);
	return reads < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : reads;
}

int region_confine(struct region *r, const struct region_span *own, unsigned count,
		   struct err *err)
{
	unsigned i;
	int fd;

	if (r->fd < 0)
		return 0;
	fd = open_to_read(r->fd);
	for (i = 0; fd >= 0 && i < r->window_count; i++)
		if (confine_window(r, fd, &r->windows[i], own, count) < 0)
			break;
	if (fd < 0 || i < r->window_count) {
		err_set(err, "cannot protect the memory of %s: %s", r->spec->what, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (r->kept)
		kept_leave(&r->fd);
	else
		close(r->fd);
	r->kept = false;
	r->confined = true;
	r->fd = r->spec->grows ? fd : -1;
	if (!r->spec->grows)
		close(fd);
	return 0;
}

/* ---- by calls ------------------------------------------------------------------------------ */

static bool is_open(const struct region *r)
{
	return r->spec && r->fd >= 0;
}

bool region_read(const struct region *r, size_t at, void *to, size_t size)
{
	return is_open(r) && pread(r->fd, to, size, (off_t)(REGION_PAGE + at)) == (ssize_t)size;
}

bool region_write(struct region *r, size_t at, const void *from, size_t size)
{
	return is_open(r) && pwrite(r->fd, from, size, (off_t)(REGION_PAGE + at)) == (ssize_t)size;
}

bool region_cut(struct region *r, size_t size)
{
	BUG_ON(is_open(r) && !r->spec->note);
	return is_open(r) && ftruncate(r->fd, (off_t)(REGION_PAGE + size)) == 0;
}

size_t region_length(const struct region *r)
{
	struct stat st;

	return is_open(r) && fstat(r->fd, &st) == 0 && st.st_size > REGION_PAGE ?
		       (size_t)st.st_size - REGION_PAGE : 0;
}

/* ---- layouts ----------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	while (len--)
		hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t region_layout(uint64_t hash, const struct region_member *members, size_t count)
{
	const struct region_member *m;

	hash ^= UINT64_C(0xcbf29ce484222325);
	for (m = members; m < members + count; m++) {
		const uint64_t numbers[] = { m->at, m->size };

		hash = mix(hash, m->name, strlen(m->name) + 1);
		hash = mix(hash, numbers, sizeof(numbers));
	}
	return hash;
}
