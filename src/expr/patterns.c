/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of patterns: adding, and comparing samples with them. Called by ACLs and maps; files
 * are read in pattern_file.c, words are understood in pattern_parse.c. Comparing allocates
 * nothing. */
#include "expr/pattern.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/pattern_cache.h"
#include "expr/pattern_index.h"
#include "expr/pattern_parse.h"
#include "expr/regex.h"
#include "expr/watch.h"
#include "http/message.h"
#include "http/scan.h"

#include <ctype.h>
#include <strings.h>

/* From so many patterns on results are kept: measured, doc/internals/expressions.md. */
enum { WALK_LONG = 4 };
/* A look into the index costs as much as so many parts that are told by their pairs not to be in
 * a text. A text that is longer has so many pairs that few parts are told so. */
enum { LOOK_COSTS = 8, PAIRS_TELL = 64 };

/* -- methods ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum sample_type type; /* that samples are cast to */
} methods[MATCHES] = {
	[MATCH_NONE] = { "", SMP_ANY },     [MATCH_FOUND] = { "found", SMP_ANY },
	[MATCH_BOOL] = { "bool", SMP_BOOL }, [MATCH_INT] = { "int", SMP_INT },
	[MATCH_IP] = { "ip", SMP_ADDR },    [MATCH_BIN] = { "bin", SMP_BIN },
	[MATCH_LEN] = { "len", SMP_STR },   [MATCH_STR] = { "str", SMP_STR },
	[MATCH_BEG] = { "beg", SMP_STR },   [MATCH_SUB] = { "sub", SMP_STR },
	[MATCH_DIR] = { "dir", SMP_STR },   [MATCH_DOM] = { "dom", SMP_STR },
	[MATCH_END] = { "end", SMP_STR },   [MATCH_REG] = { "reg", SMP_STR },
	[MATCH_VERSION] = { "", SMP_INT },
	[MATCH_METH] = { "", SMP_METH },    [MATCH_GROUP] = { "", SMP_STR },
};

enum match match_find(const char *name)
{
	int i;

	for (i = MATCH_FOUND; i < MATCHES; i++) {
		if (*name && !strcmp(methods[i].name, name))
			return (enum match)i;
	}
	return MATCH_NONE;
}

const char *match_name(enum match match)
{
	return methods[match].name;
}

enum match match_default(enum sample_type type)
{
	switch (type) {
	case SMP_BOOL:
		return MATCH_BOOL;
	case SMP_INT:
		return MATCH_INT;
	case SMP_IPV4:
	case SMP_IPV6:
	case SMP_ADDR:
		return MATCH_IP;
	case SMP_STR:
		return MATCH_STR;
	default:
		return MATCH_NONE;
	}
}

bool match_fits(enum match match, enum sample_type type)
{
	return sample_castable(type, methods[match].type);
}

bool match_has_patterns(enum match match)
{
	return match != MATCH_FOUND && match != MATCH_BOOL;
}

/* -- building --------------------------------------------------------------------------- */

struct pattern_set *pattern_set_new(enum match match, struct arena *arena)
{
	struct pattern_set *set = arena_alloc(arena, sizeof(*set));

	set->match = match;
	set->arena = arena;
	set->table.exact.arena = set->table.folded.arena = arena;
	return set;
}

static char *fold(struct arena *arena, struct span s)
{
	char *out = arena_strndup(arena, s.ptr, s.len);
	size_t i;

	for (i = 0; i < s.len && !arena->failed; i++)
		out[i] = (char)tolower((unsigned char)out[i]);
	return out;
}

/* Pairs of neighbouring bytes, their case aside, each a bit: a part with a pair that a text does
 * not have is not in it. */
static uint64_t pairs_of(struct span s)
{
	uint64_t pairs = 0;
	size_t i;

	for (i = 1; i < s.len; i++)
		pairs |= 1ull << (((uint8_t)s.ptr[i - 1] | 0x20) * 7u + ((uint8_t)s.ptr[i] | 0x20)) % 64;
	return pairs;
}

static void pattern_text_key(struct pattern *p, struct arena *arena)
{
	const char *key = p->ignore_case ? fold(arena, p->str) : p->str.ptr;

	index_set_key(&p->node, key, p->str.len, p->str.len);
}

/* What it is found by, where its method has an index. */
static void pattern_make_key(const struct pattern_set *set, struct pattern *p, struct arena *arena)
{
	switch (set->match) {
	case MATCH_SUB:
		p->pairs = pairs_of(p->str);
		if (p->str.len) /* nothing contains what is empty */
			pattern_text_key(p, arena);
		break;
	case MATCH_BIN:
	case MATCH_STR:
	case MATCH_BEG:
	case MATCH_END:
		pattern_text_key(p, arena);
		break;
	case MATCH_IP:
		if (p->bits <= 128)
			index_set_key(&p->node, &p->addr, p->family == AF_INET ? 4 : 16,
				      p->bits);
		break;
	default:
		break;
	}
}

struct pattern *pattern_make(const struct pattern_set *set, struct arena *arena, const char *text,
			     enum pattern_op op, unsigned flags, struct err *err)
{
	struct pattern *p = arena_alloc(arena, sizeof(*p));

	if (!p)
		return NULL;
	p->text = text;
	p->ignore_case = flags & PATTERN_ICASE;
	if (pattern_parse(p, set->match, op, flags, arena, err) || arena->failed)
		return NULL;
	pattern_make_key(set, p, arena);
	return p;
}

void pattern_forget(const struct pattern_set *set, struct pattern *p)
{
	if (set->match == MATCH_REG)
		regex_forget(p->regex);
}

static struct pattern_index *pattern_index_of(const struct pattern_set *set,
					      struct pattern_table *table, const struct pattern *p)
{
	if (set->match == MATCH_IP)
		return p->family == AF_INET ? &table->exact : &table->folded;
	return p->ignore_case ? &table->folded : &table->exact;
}

bool pattern_enter(const struct pattern_set *set, struct pattern_table *table, struct pattern *p)
{
	if (!p->node.key)
		table->unindexed++;
	else if (!index_add(pattern_index_of(set, table, p), &p->node))
		return false;
	p->order = table->next_order++;
	p->next = NULL;
	p->prev = table->last;
	*(table->last ? &table->last->next : &table->first) = p;
	table->last = p;
	table->count++;
	table->stamp = pattern_cache_stamp();
	return true;
}

void pattern_leave(const struct pattern_set *set, struct pattern_table *table, struct pattern *p)
{
	*(p->prev ? &p->prev->next : &table->first) = p->next;
	*(p->next ? &p->next->prev : &table->last) = p->prev;
	table->count--;
	table->stamp = pattern_cache_stamp();
	if (p->node.key)
		index_remove(pattern_index_of(set, table, p), &p->node);
	else
		table->unindexed--;
}

int pattern_add(struct pattern_set *set, const char *text, const char *value,
		enum pattern_op op, unsigned flags, struct err *err)
{
	struct pattern *p = pattern_make(set, set->arena, arena_strdup(set->arena, text), op, flags,
					 err);

	if (!p)
		return -1;
	p->value = value ? arena_strdup(set->arena, value) : NULL;
	if (value && set->convert && set->convert(text, p->value, &p->data, set->arena, err))
		return -1;
	return pattern_enter(set, &set->table, p) ? 0 : err_set(err, "out of memory");
}

const struct pattern *pattern_first(const struct pattern_set *set)
{
	return set->table.first;
}

bool pattern_in_tree(const struct pattern_set *set, const struct pattern *p)
{
	if (set->match == MATCH_IP)
		return p->bits <= 128;
	return (set->match == MATCH_STR || set->match == MATCH_BEG) && !p->ignore_case;
}

/* -- strings ---------------------------------------------------------------------------- */

static const struct pattern *pattern_of(const struct index_node *node)
{
	return node ? container_of(node, struct pattern, node) : NULL;
}

/* The parts of s that have a length which occurs: from its begin, or from its end. */
static const struct pattern *lookup_parts(const struct pattern_index *index, struct span s,
					  bool at_end)
{
	const struct pattern *best = NULL, *p;
	size_t i, len;

	for (i = 0; i < index->length_count; i++) {
		len = index->lengths[i];
		if (len > s.len)
			continue;
		p = pattern_of(index_find(index, at_end ? s.ptr + s.len - len : s.ptr, len, len));
		if (p && !at_end)
			return p; /* the longest */
		if (p && (!best || p->order < best->order))
			best = p;
	}
	return best;
}

/* The first of all parts that s contains. */
static const struct pattern *lookup_inside(const struct pattern_index *index, struct span s)
{
	const struct pattern *best = NULL, *p;
	size_t i, at, len;

	for (i = 0; i < index->length_count; i++) {
		len = index->lengths[i];
		for (at = 0; at + len <= s.len; at++) {
			p = pattern_of(index_find(index, s.ptr + at, len, len));
			if (p && (!best || p->order < best->order))
				best = p;
		}
	}
	return best;
}

static const struct pattern *lookup_one(const struct pattern_set *set,
					const struct pattern_index *index, struct span s)
{
	if (!index->used)
		return NULL;
	if (set->match == MATCH_BEG || set->match == MATCH_END)
		return lookup_parts(index, s, set->match == MATCH_END);
	if (set->match == MATCH_SUB)
		return lookup_inside(index, s);
	/* Most ACLs have one pattern, and most rules do not apply: no hash for what is longer. */
	if (index->length_count == 1 && index->lengths[0] != s.len)
		return NULL;
	return pattern_of(index_find(index, s.ptr, s.len, s.len));
}

static const struct pattern *lookup_str(const struct pattern_set *set, struct span s)
{
	const struct pattern_table *t = &set->table;
	const struct pattern *exact = lookup_one(set, &t->exact, s), *folded;
	char *low;
	size_t i;

	if (!t->folded.used || s.len > expr_scratch_size)
		return exact;
	low = expr_scratch();
	for (i = 0; i < s.len; i++)
		low[i] = (char)tolower((unsigned char)s.ptr[i]);
	folded = lookup_one(set, &t->folded, (struct span){ low, s.len });
	if (!exact || !folded)
		return exact ? exact : folded;
	if (set->match == MATCH_BEG && exact->str.len != folded->str.len)
		return exact->str.len > folded->str.len ? exact : folded;
	return exact->order < folded->order ? exact : folded;
}

static bool str_same(const char *a, const char *b, size_t len, bool ignore_case)
{
	return ignore_case ? strncasecmp(a, b, len) == 0 : memcmp(a, b, len) == 0;
}

static bool test_sub(const struct pattern *p, struct span s)
{
	const char *at = s.ptr, *end;
	char lower, upper;

	if (!p->str.len || p->str.len > s.len)
		return false;
	if (!p->ignore_case)
		return memmem(s.ptr, s.len, p->str.ptr, p->str.len) != NULL;
	end = s.ptr + s.len - p->str.len + 1; /* of the places where it may begin */
	lower = (char)tolower((unsigned char)*p->str.ptr);
	upper = (char)toupper((unsigned char)*p->str.ptr);
	while ((at = scan_until(s.ptr, at, end, lower, upper, upper)) < end) {
		if (str_same(at, p->str.ptr, p->str.len, true))
			return true;
		at++;
	}
	return false;
}

/* Each place of s with each length that occurs, or each part? */
static bool sub_by_index(const struct pattern_table *t, struct span s)
{
	size_t lengths = t->exact.length_count + t->folded.length_count;
	size_t costs = s.len > PAIRS_TELL ? 1 : LOOK_COSTS;

	return s.len * lengths * costs < t->count && s.len <= expr_scratch_size;
}

static const struct pattern *lookup_sub(const struct pattern_set *set, struct span s)
{
	const struct pattern *p;
	uint64_t missing;

	if (sub_by_index(&set->table, s))
		return lookup_str(set, s);
	missing = ~pairs_of(s);
	for (p = set->table.first; p; p = p->next) {
		if (!(p->pairs & missing) && test_sub(p, s))
			return p;
	}
	return NULL;
}

enum { DELIMITS_DIR = 1, DELIMITS_DOM = 2 };

static const uint8_t delimiters[256] = {
	['/'] = DELIMITS_DIR | DELIMITS_DOM, ['?'] = DELIMITS_DIR | DELIMITS_DOM,
	['.'] = DELIMITS_DOM, [':'] = DELIMITS_DOM,
};

static inline bool delimits(char c, unsigned kind)
{
	return delimiters[(uint8_t)c] & kind;
}

/* Between two delimiters or the ends of the sample; those around the pattern do not count. */
static bool test_delimited(const struct pattern *p, struct span s, unsigned kind)
{
	struct span want = p->str;
	size_t i;

	while (want.len && delimits(*want.ptr, kind)) {
		want.ptr++;
		want.len--;
	}
	while (want.len && delimits(want.ptr[want.len - 1], kind))
		want.len--;
	for (i = 0; want.len && i + want.len <= s.len; i++) {
		if ((s.ptr[i] == *want.ptr || p->ignore_case) &&
		    (i + want.len == s.len || delimits(s.ptr[i + want.len], kind)) &&
		    str_same(s.ptr + i, want.ptr, want.len, p->ignore_case))
			return true;
		while (i < s.len && !delimits(s.ptr[i], kind))
			i++;
	}
	return false;
}

/* -- addresses -------------------------------------------------------------------------- */

static bool masked_equal(const struct pattern *p, const uint8_t *addr, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if ((addr[i] & p->mask.s6_addr[i]) != p->addr.s6_addr[i])
			return false;
	}
	return true;
}

/* Masks that are no prefixes stand in the list alone. */
static const struct pattern *lookup_masks(const struct pattern_set *set, const uint8_t *addr)
{
	const struct pattern *p;

	for (p = set->table.unindexed ? set->table.first : NULL; p; p = p->next) {
		if (p->bits > 128 && masked_equal(p, addr, 4))
			return p;
	}
	return NULL;
}

static const struct pattern *lookup_net(const struct pattern_index *index, const uint8_t *addr,
					size_t size)
{
	const struct pattern *p;
	uint8_t key[16];
	size_t i, bits;

	for (i = 0; i < index->length_count; i++) {
		bits = index->lengths[i];
		memset(key, 0, sizeof(key));
		memcpy(key, addr, bits / 8);
		if (bits % 8)
			key[bits / 8] = addr[bits / 8] & (uint8_t)(0xff00 >> bits % 8);
		p = pattern_of(index_find(index, key, size, bits));
		if (p)
			return p;
	}
	return NULL;
}

static const struct pattern *lookup_v4(const struct pattern_set *set, const uint8_t *addr)
{
	const struct pattern *p = lookup_net(&set->table.exact, addr, 4);

	return p ? p : lookup_masks(set, addr);
}

/* The IPv4 address inside 2002:a.b.c.d::/48, ::a.b.c.d or ::ffff:a.b.c.d; NULL: none. */
static const uint8_t *embedded_v4(const struct in6_addr *v6)
{
	static const uint8_t zeroes[12];
	const uint8_t *b = v6->s6_addr;

	if (b[0] == 0x20 && b[1] == 0x02)
		return b + 2;
	if (!memcmp(b, zeroes, 12) || IN6_IS_ADDR_V4MAPPED(v6))
		return b + 12;
	return NULL;
}

static const struct pattern *lookup_addr(const struct pattern_set *set, const struct sample *smp)
{
	const struct pattern *p;
	struct sample mapped = *smp;
	const uint8_t *v4;

	if (smp->type == SMP_IPV4) {
		p = lookup_v4(set, (const uint8_t *)&smp->v4);
		if (p || !set->table.folded.used)
			return p;
		sample_cast(&mapped, SMP_IPV6);
		return lookup_net(&set->table.folded, mapped.v6.s6_addr, 16);
	}
	p = lookup_net(&set->table.folded, smp->v6.s6_addr, 16);
	v4 = p ? NULL : embedded_v4(&smp->v6);
	return v4 ? lookup_v4(set, v4) : p;
}

/* Methods that the reference knows by name, whose case always counts. */
static bool is_named_method(struct span s)
{
	enum method m = method_find(s);

	return m != METHOD_OTHER && m != METHOD_PATCH;
}

static bool test_method(const struct pattern *p, struct span s)
{
	bool fold = p->ignore_case && !is_named_method(s) && !is_named_method(p->str);

	return s.len == p->str.len && str_same(s.ptr, p->str.ptr, s.len, fold);
}

/* -- comparing -------------------------------------------------------------------------- */

static bool pattern_test(const struct pattern_set *set, const struct pattern *p,
			 const struct sample *smp)
{
	int64_t len;

	switch (set->match) {
	case MATCH_INT:
	case MATCH_VERSION:
		return smp->num >= p->min && smp->num <= p->max;
	case MATCH_LEN:
		len = (int64_t)smp->str.len;
		return len >= p->min && len <= p->max;
	case MATCH_SUB:
		return test_sub(p, smp->str);
	case MATCH_DIR:
		return test_delimited(p, smp->str, DELIMITS_DIR);
	case MATCH_DOM:
		return test_delimited(p, smp->str, DELIMITS_DOM);
	case MATCH_REG:
		return regex_test(p->regex, smp->str);
	case MATCH_METH:
		return test_method(p, smp->str);
	default:
		return false;
	}
}

static const struct pattern *pattern_walk(const struct pattern_set *set, const struct sample *smp)
{
	const struct pattern *p;

	for (p = set->table.first; p; p = p->next) {
		if (pattern_test(set, p, smp))
			return p;
	}
	return NULL;
}

/* As many patterns of this kind cost more than a look into the cache. */
static bool pattern_walk_is_long(const struct pattern_set *set)
{
	switch (set->match) {
	case MATCH_REG:
	case MATCH_SUB:
	case MATCH_DIR:
	case MATCH_DOM:
		return set->table.count >= WALK_LONG;
	default:
		return false;
	}
}

/* What a search that was given up would have found is not known. */
static const struct pattern *pattern_walk_kept(const struct pattern_set *set, const struct sample *smp)
{
	const uint64_t given_up = regex_given_up;
	const struct pattern *p;

	if (pattern_cache_find(set->table.stamp, smp->str, &p))
		return p;
	p = set->match == MATCH_SUB ? lookup_sub(set, smp->str) : pattern_walk(set, smp);
	if (given_up == regex_given_up)
		pattern_cache_keep(set->table.stamp, smp->str, p);
	return p;
}

static inline const struct pattern *pattern_find(const struct pattern_set *set, struct sample *smp)
{
	if (!sample_cast(smp, methods[set->match].type))
		return NULL;
	switch (set->match) {
	case MATCH_IP:
		return lookup_addr(set, smp);
	case MATCH_BIN:
	case MATCH_STR:
	case MATCH_BEG:
	case MATCH_END:
		return lookup_str(set, smp->str);
	default:
		break;
	}
	return pattern_walk_is_long(set) ? pattern_walk_kept(set, smp) : pattern_walk(set, smp);
}

COLD static const struct pattern *pattern_match_watched(const struct pattern_set *set,
							struct sample *smp)
{
	const struct pattern *p = pattern_find(set, smp);

	watch->pattern(set, p);
	return p;
}

const struct pattern *pattern_match(const struct pattern_set *set, struct sample *smp)
{
	return unlikely(watch != NULL) ? pattern_match_watched(set, smp) : pattern_find(set, smp);
}
