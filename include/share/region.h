/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A region: memory that several processes share, or that outlives an image of the program (the
 * parent executes itself anew at a reload). It is a memfd whose first page says what it is; who
 * finds it takes it only when it is of the same layout, and whole. Numbers and bytes only, never
 * pointers. Which kinds of regions there are, and what each guarantees when a writer dies, memory
 * is short or the next image is another build: doc/internals/share.md.
 *
 * A region is read and written through windows, or by calls (notes). Not for the data path: what is
 * asked often keeps the address of its window.
 */
#ifndef SHARE_REGION_H
#define SHARE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { REGION_PAGE = 4096 }; /* windows begin and end at multiples */

/* What a region is: a constant of its owner. */
struct region_spec {
	const char *name;  /* one word: it is kept under it, and the memfd is "penstock-<name>" */
	const char *what;  /* is in it, for sentences: "TLS sessions" */
	uint64_t layout;   /* region_layout: of all that the meaning of its bytes depends on */
	bool grows;        /* it may get longer; nobody can make it shorter */
	bool note;         /* read and written by calls, never mapped; may get longer and shorter */
	bool secret;       /* what is in it is in no dump of the memory */
};

struct region {
	const struct region_spec *spec; /* NULL: there is none */
	int fd;            /* -1: none: of this process and those that it forks, or given up */
	bool kept;         /* fd is the table's (share/kept.h) */
	bool confined;     /* windows that come only read */
	size_t size;       /* bytes behind the first page, when it was made or found, or grew */
	struct region_window {
		char *base;
		size_t at, size;
	} *windows;
	unsigned window_count;
};
#define REGION_NONE { .fd = -1 }

/* [from, to) of the region, multiples of REGION_PAGE. */
struct region_span {
	size_t from, to;
};

/* A region that is kept stays where it is in memory. Zeroed or REGION_NONE: there is none. */

/* ---- having one -------------------------------------------------------------------------- */

/* A fresh region of so many bytes, zeroed. Pages that nobody touches cost no memory. shared: the
 * region lies in a memfd (close-on-exec). Else the region belongs to this process and its children,
 * and can neither grow nor be kept. 0; or -1 and err, without descriptors or memory: nothing is
 * left behind then. */
int region_new(struct region *r, const struct region_spec *spec, size_t size, bool shared,
	       struct err *err);
/* That of an earlier image, by its descriptor, which is taken over if it succeeds. Refused: what
 * is not a region, is of another name or layout, is shorter than its head says, or could be cut off
 * by somebody who has it. 0, or -1 and err. */
int region_attach(struct region *r, const struct region_spec *spec, int fd, struct err *err);
/* The same by its name. One that is refused is given up: it can never come back after others have
 * begun anew without it; kept_known still says that there was one. False: there is none. */
bool region_attach_kept(struct region *r, const struct region_spec *spec);
/* From now on it is handed over to the next image, in the place of another one of that name. */
void region_keep(struct region *r);
/* Unmaps, and closes unless it is kept. Nothing when there is none. */
void region_free(struct region *r);
static inline bool region_is(const struct region *r)
{
	return r->spec;
}
/* A number that no other region of this machine has as long as this one is there. Shared ones. */
uint64_t region_identity(const struct region *r);

/* ---- windows ----------------------------------------------------------------------------- */

/* Maps so many bytes from there on, for the life of the region: they do not move. They must lie in
 * it (whoever let it grow has said so). NULL: errno. */
void *region_window(struct region *r, size_t at, size_t size);
/* One that is not shared has windows of its own memory instead, zeroed. 0, or -1 and errno. */
int region_grow(struct region *r, size_t size);
/* In a process that serves: from now on it writes the spans alone, whatever becomes of it. All else
 * is mapped from a descriptor that only reads, and the one that writes is not this region's any
 * more. Spans: ascending; windows that come later are read. 0 (also where nothing is shared), or -1
 * and err. */
int region_confine(struct region *r, const struct region_span *own, unsigned count,
		   struct err *err);

/* ---- by calls: heads before they are believed, and notes ----------------------------------- */

/* All of them say no where there is no region, or its descriptor was given up. */

/* False: there are not so many bytes; then `to` may be half written. */
bool region_read(const struct region *r, size_t at, void *to, size_t size);
/* False: not all of it could be written: no memory. */
bool region_write(struct region *r, size_t at, const void *from, size_t size);
/* A note is so long from now on. */
bool region_cut(struct region *r, size_t size);
/* How long it is now. */
size_t region_length(const struct region *r);

/* ---- layouts ----------------------------------------------------------------------------- */

/* A member of a structure that lies in a region: names, places and sizes are the layout. */
struct region_member {
	const char *name;
	size_t at, size;
};
#define REGION_MEMBER(type, member) \
	{ #type "." #member, offsetof(type, member), sizeof(((type *)0)->member) }
#define REGION_SIZE(type) { #type, 0, sizeof(type) }

/* The hash of count members on top of another one. Begin with a number that is raised when
 * something changes its meaning, but neither name, place nor size. */
uint64_t region_layout(uint64_t hash, const struct region_member *members, size_t count);

/* What to do about an error number, to stand behind its text; may be empty. */
const char *region_hint(int error);
/* The limit of descriptors that is in force may be a low one that this process may raise: what a
 * start needs in all is not known yet. By so many. False: it may not. */
bool region_raise_limit(unsigned more);

#endif
