/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads BTF (colocate/btf.h): a list of types, each with a head of twelve bytes and what its kind
 * has behind it. Pure but for btf_load. Every number of the input is checked before it is used. */
#include "colocate/btf.h"

#include "base/str.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 16 }; /* structures in structures, names of names */

struct btf {
	const char *types, *names;
	size_t types_len, names_len;
	const struct btf_type **list; /* [0] is void */
	unsigned count;
	char *own; /* of btf_load */
};

/* What stands behind the head of a type, in bytes; -1: a kind that is not known. */
static long type_rest(const struct btf_type *t)
{
	const long n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case 1: /* INT */
	case 14: /* VAR */
	case 17: /* DECL_TAG */
		return 4;
	case 2: /* PTR */
	case 7: /* FWD */
	case 8: /* TYPEDEF */
	case 9: /* VOLATILE */
	case 10: /* CONST */
	case 11: /* RESTRICT */
	case 12: /* FUNC */
	case 16: /* FLOAT */
	case 18: /* TYPE_TAG */
		return 0;
	case 3: /* ARRAY */
		return sizeof(struct btf_array);
	case 4: /* STRUCT */
	case 5: /* UNION */
		return n * (long)sizeof(struct btf_member);
	case 6: /* ENUM */
	case 13: /* FUNC_PROTO */
		return n * 8;
	case 15: /* DATASEC */
	case 19: /* ENUM64 */
		return n * 12;
	default:
		return -1;
	}
}

/* The type at the byte at, and how long it is; NULL: it is cut, or not known. */
static const struct btf_type *type_at(const struct btf *btf, size_t at, size_t *len)
{
	const struct btf_type *t = (const void *)(btf->types + at);
	long rest;

	if (btf->types_len - at < sizeof(*t))
		return NULL;
	rest = type_rest(t);
	if (rest < 0 || btf->types_len - at - sizeof(*t) < (size_t)rest)
		return NULL;
	*len = sizeof(*t) + (size_t)rest;
	return t;
}

static int types_list(struct btf *btf)
{
	size_t at, len;
	unsigned n = 1;

	for (at = 0; at < btf->types_len; at += len, n++)
		if (!type_at(btf, at, &len))
			return -1;
	btf->list = calloc(n, sizeof(*btf->list));
	if (!btf->list)
		return -1;
	for (at = 0; at < btf->types_len; at += len)
		btf->list[++btf->count] = type_at(btf, at, &len);
	return 0;
}

/* A part of the data, offsets from the end of the head. */
static const char *part(const char *data, size_t size, const struct btf_header *h, uint32_t at,
			uint32_t len)
{
	if (at > size - h->hdr_len || len > size - h->hdr_len - at)
		return NULL;
	return data + h->hdr_len + at;
}

struct btf *btf_read(const void *data, size_t size, struct err *err)
{
	const struct btf_header *h = data;
	struct btf *btf = calloc(1, sizeof(*btf));

	if (btf && size >= sizeof(*h) && h->magic == BTF_MAGIC && h->hdr_len >= sizeof(*h) &&
	    h->hdr_len <= size && h->hdr_len % 4 == 0 && h->type_off % 4 == 0) {
		btf->types = part(data, size, h, h->type_off, h->type_len);
		btf->names = part(data, size, h, h->str_off, h->str_len);
		btf->types_len = h->type_len;
		btf->names_len = h->str_len;
		if (btf->types && btf->names && btf->names_len && !btf->names[h->str_len - 1] &&
		    !types_list(btf))
			return btf;
	}
	btf_free(&btf);
	err_set(err, "the kernel's description of its types is not understood");
	return NULL;
}

struct btf *btf_load(const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	char *data = NULL, *more;
	size_t size = 0, room = 0, n = 1;
	struct btf *btf;

	if (!in) {
		err_set(err, "the kernel does not describe its types (%s): %s", path,
			strerror(errno));
		return NULL;
	}
	while (n) {
		if (size == room) {
			room = room ? 2 * room : 1 << 20;
			more = realloc(data, room);
			if (!more)
				break;
			data = more;
		}
		n = fread(data + size, 1, room - size, in);
		size += n;
	}
	fclose(in);
	btf = btf_read(data, size, err);
	if (btf)
		btf->own = data;
	else
		free(data);
	return btf;
}

void btf_free(struct btf **btfp)
{
	if (!*btfp)
		return;
	free((*btfp)->list);
	free((*btfp)->own);
	free(*btfp);
	*btfp = NULL;
}

static bool name_is(const struct btf *btf, uint32_t name, struct span want)
{
	return name < btf->names_len && span_equal(span_of(btf->names + name), want);
}

static bool is_structure(const struct btf_type *t)
{
	const unsigned kind = BTF_INFO_KIND(t->info);

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/* The structure behind typedefs and qualifiers; NULL: it is none. */
static const struct btf_type *structure_of(const struct btf *btf, uint32_t id)
{
	int deep;

	for (deep = 0; deep < DEEPEST && id && id <= btf->count; deep++) {
		const struct btf_type *t = btf->list[id];

		switch (BTF_INFO_KIND(t->info)) {
		case 8: /* TYPEDEF */
		case 9: /* VOLATILE */
		case 10: /* CONST */
		case 11: /* RESTRICT */
		case 18: /* TYPE_TAG */
			id = t->type;
			break;
		default:
			return is_structure(t) ? t : NULL;
		}
	}
	return NULL;
}

struct search {
	const struct btf *btf;
	struct span name;
	uint32_t type; /* of the member that was found */
	unsigned left; /* members that may be looked at: structures may stand in themselves */
};

/* In bits; -1: there is none. */
static long member_find(struct search *s, const struct btf_type *t, int deep)
{
	const struct btf_member *m = (const void *)(t + 1);
	unsigned i;

	for (i = 0; i < BTF_INFO_VLEN(t->info) && s->left; i++) {
		const struct btf_type *inner;
		long at = m[i].offset, in;

		s->left--;
		if (BTF_INFO_KFLAG(t->info)) /* the size of a bit field is above */
			at = BTF_MEMBER_BIT_OFFSET(m[i].offset);
		if (m[i].name_off && name_is(s->btf, m[i].name_off, s->name)) {
			s->type = m[i].type;
			return at;
		}
		if (m[i].name_off || deep == DEEPEST)
			continue;
		inner = structure_of(s->btf, m[i].type);
		in = inner ? member_find(s, inner, deep + 1) : -1;
		if (in >= 0)
			return at + in;
	}
	return -1;
}

static const struct btf_type *structure_named(const struct btf *btf, const char *name)
{
	const struct span want = span_of(name);
	unsigned i;

	for (i = 1; i <= btf->count; i++)
		if (BTF_INFO_KIND(btf->list[i]->info) == BTF_KIND_STRUCT &&
		    name_is(btf, btf->list[i]->name_off, want))
			return btf->list[i];
	return NULL;
}

int btf_offset(const struct btf *btf, const char *structure, const char *path)
{
	const struct btf_type *t = structure_named(btf, structure);
	long bits = 0;

	for (;;) {
		const size_t len = strcspn(path, ".");
		struct search s = { .btf = btf, .name = { path, len }, .left = 1 << 16 };
		long at = t ? member_find(&s, t, 0) : -1;

		if (at < 0)
			return -1;
		bits += at;
		if (!path[len])
			return bits % 8 || bits / 8 > 1 << 15 ? -1 : (int)(bits / 8);
		path += len + 1;
		t = structure_of(btf, s.type);
	}
}
