/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions of types, damaged: btf_read takes what btf_offset can walk through. */
#include "colocate/btf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err;
	char *copy = malloc(size + 1); /* aligned, and its end is watched */
	struct btf *btf;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	btf = btf_read(copy, size, &err);
	if (btf) {
		btf_offset(btf, "outer", "deep.b");
		btf_offset(btf, "outer", "last.a");
		btf_free(&btf);
	}
	free(copy);
	return 0;
}
