/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to a link (net/link.h): what a row does not answer is not known. */
#include "net/link.h"

#include "net/addr.h"

bool link_local(struct link link, struct addr *addr)
{
	bool (*local)(const void *, struct addr *) = LINK_OP(link, local);

	return local && local(link.of, addr);
}

bool link_original_dst(struct link link, struct addr *addr)
{
	bool (*dst)(const void *, struct addr *) = LINK_OP(link, original_dst);

	return dst && dst(link.of, addr);
}

bool link_path(struct link link, struct link_path *path)
{
	bool (*ask)(const void *, struct link_path *) = LINK_OP(link, path);

	return ask && ask(link.of, path);
}

bool link_glitches(struct link link, uint64_t *count)
{
	bool (*glitches)(const void *, uint64_t *) = LINK_OP(link, glitches);

	return glitches && glitches(link.of, count);
}

struct link_shown link_show(struct link link)
{
	struct link_shown (*shown)(const void *) = LINK_OP(link, shown);

	return shown ? shown(link.of) : (struct link_shown){ .number = -1 };
}

void link_set_mark(struct link link, uint32_t mark)
{
	void (*set)(void *, uint32_t) = LINK_OP(link, set_mark);

	if (set)
		set(link.of, mark);
}

void link_set_tos(struct link link, bool ipv6, int tos)
{
	void (*set)(void *, bool, int) = LINK_OP(link, set_tos);

	if (set)
		set(link.of, ipv6, tos);
}

void link_vanish(struct link link, unsigned hops)
{
	void (*vanish)(void *, unsigned) = LINK_OP(link, vanish);

	if (vanish)
		vanish(link.of, hops);
}

void link_acknowledge(struct link link)
{
	void (*acknowledge)(void *) = LINK_OP(link, acknowledge);

	if (acknowledge)
		acknowledge(link.of);
}

void link_discard(struct link link)
{
	void (*discard)(void *) = LINK_OP(link, discard);

	if (discard)
		discard(link.of);
}

bool link_at_end(struct link link)
{
	bool (*at_end)(const void *) = LINK_OP(link, at_end);

	return at_end && at_end(link.of);
}

bool link_is_quiet(struct link link)
{
	bool (*is_quiet)(void *) = LINK_OP(link, is_quiet);

	return !is_quiet || is_quiet(link.of);
}

bool link_drained(struct link link)
{
	bool (*drained)(const void *) = LINK_OP(link, drained);

	return !drained || drained(link.of);
}
