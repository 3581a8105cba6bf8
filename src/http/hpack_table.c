/* SPDX-License-Identifier: BSD-2-Clause */
/* The static table of HPACK, and one row of numbers for it and the dynamic one. */
#include "http/hpack_table.h"

const struct hpack_static hpack_statics[HPACK_STATICS + 1] = {
	{ { "", 0 }, { "", 0 }, 0 },
#define HPACK(id, name, value) { { name, sizeof(name) - 1 }, { value, sizeof(value) - 1 }, id },
#include "http/hpack_static.def"
#undef HPACK
};

bool hpack_table_get(const struct field_table *t, uint32_t index, struct field *f)
{
	if (index - 1 >= HPACK_STATICS)
		return field_table_get(t, index - HPACK_STATICS - 1, f);
	*f = (struct field){ .name = hpack_statics[index].name,
			     .value = hpack_statics[index].value,
			     .id = hpack_statics[index].id };
	return true;
}
