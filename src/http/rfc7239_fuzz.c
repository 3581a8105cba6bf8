/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an element of Forwarded, as a node and as a name. What is valid lies within the
 * bytes, and written again from its parts it is the same; what is written of any text is a valid
 * node.
 */
#include "http/rfc7239.h"

#include "base/bug.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 512 };

static void check_inside(struct span part, struct span whole)
{
	BUG_ON(part.ptr < whole.ptr || part.ptr + part.len > whole.ptr + whole.len);
}

static void put_quoted(struct text *t, const char *name, struct span value)
{
	if (!value.ptr)
		return;
	text_printf(t, "%s%s=\"", t->len ? ";" : "", name);
	text_add(t, value.ptr, value.len);
	text_char(t, '"');
}

static void check_element(struct span whole)
{
	struct rfc7239 parts, again;
	char memory[LEN_MAX * 2];
	struct text t;
	unsigned i;

	if (!rfc7239_parse(whole, &parts))
		return;
	for (i = 0; i < RFC7239_NAMES; i++)
		if (parts.value[i].ptr)
			check_inside(parts.value[i], whole);
	text_init(&t, memory, sizeof(memory));
	put_quoted(&t, "for", parts.value[RFC7239_FOR]);
	put_quoted(&t, "by", parts.value[RFC7239_BY]);
	put_quoted(&t, "host", parts.value[RFC7239_HOST]);
	if (!t.len)
		return;
	BUG_ON(!rfc7239_parse((struct span){ t.ptr, t.len }, &again));
	for (i = 0; i < RFC7239_PROTO; i++) {
		BUG_ON(!parts.value[i].ptr != !again.value[i].ptr);
		BUG_ON(parts.value[i].ptr && !span_equal(parts.value[i], again.value[i]));
	}
}

static void check_written(struct span any)
{
	char memory[LEN_MAX * 2];
	struct rfc7239_node node;
	struct text t;

	text_init(&t, memory, sizeof(memory));
	rfc7239_put_node(&t, any);
	BUG_ON(!rfc7239_node_parse((struct span){ t.ptr, t.len }, &node));
	text_char(&t, ':');
	if (rfc7239_put_port(&t, any))
		BUG_ON(!rfc7239_node_parse((struct span){ t.ptr, t.len }, &node));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rfc7239_node node;
	struct span any;
	char *copy;

	if (!len || len > LEN_MAX)
		return 0;
	copy = malloc(len); /* of its own, so that a read beyond its end is seen */
	BUG_ON(!copy);
	memcpy(copy, data, len);
	any = (struct span){ copy, len };
	check_element(any);
	if (rfc7239_node_parse(any, &node) && node.name.ptr)
		check_inside(node.name, any);
	check_written(any);
	free(copy);
	return 0;
}
