/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What modules hang at an object of a lower layer: a proxy, a server, a bind line, an exchange. The
 * object has a table of pointers and knows nothing of what they point to; a kind of part belongs to one module.
 * A part that nobody has asked for in writing is a NULL in that table. Its place there is given to
 * a kind when it is first needed, in the order of the list at the roof, and is the same for all
 * objects of the process.
 */
#ifndef BASE_PART_H
#define BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* One table of pointers of one type of object. Its first place belongs to nobody and stays NULL. */
struct part_table {
	const char *what; /* "settings of a proxy": for whoever has made it too short */
	size_t at;        /* in the object: void *[places] */
	size_t own;       /* in the object: uint32_t, a bit for each part that is not inherited */
	unsigned places, used;
};

enum { PART_PLACES_MOST = 32 };

struct part_kind {
	const char *name;
	struct part_table *table;
	size_t size;              /* of one, as part_make allocates it; 0: part_set alone */
	void (*init)(void *part); /* of a new one, which is zeroed: what else it begins with. May
				   * be NULL */
	bool afresh;              /* an heir that writes begins a new one, not a copy */
	uint8_t place;            /* in the table; 0: none was needed yet */
	uint32_t at;              /* of the pointer in the object: that of the first place before */
};

/* The kind gets its place, if it has none. More kinds than the table has room for is a BUG. */
void part_place(struct part_kind *kind);

/* NULL: the object has none. One that is inherited belongs to several objects: it is read only. */
static inline void *part_of(const void *object, const struct part_kind *kind)
{
	return *(void *const *)((const char *)object + kind->at);
}

/* The object's own, to be written: made in the arena if it has none, as a copy of the one that it
 * has inherited. Pointers in the copy point where those of the original do. NULL: no memory, in an
 * arena that may say so. */
void *part_make(void *object, struct part_kind *kind, struct arena *arena);

/* What the module has made itself, or NULL: none any more. The object's own from now on. */
void part_set(void *object, struct part_kind *kind, void *part);

#endif
