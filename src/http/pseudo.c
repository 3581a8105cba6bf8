/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of pseudo fields. */
#include "http/pseudo.h"

#include "base/literal.h"

static const struct {
	struct span name;
	uint8_t id;
} pseudos[] = {
	{ SPAN(":authority"), PSEUDO_AUTHORITY }, { SPAN(":method"), PSEUDO_METHOD },
	{ SPAN(":path"), PSEUDO_PATH },           { SPAN(":scheme"), PSEUDO_SCHEME },
	{ SPAN(":status"), PSEUDO_STATUS },       { SPAN(":protocol"), PSEUDO_PROTOCOL },
};

uint8_t pseudo_or_field_id(struct span name)
{
	unsigned i;

	if (!name.len || name.ptr[0] != ':')
		return (uint8_t)field_id(name);
	for (i = 0; i < sizeof(pseudos) / sizeof(pseudos[0]); i++)
		if (span_equal(name, pseudos[i].name))
			return pseudos[i].id;
	return PSEUDO_OTHER;
}
