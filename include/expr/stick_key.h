/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of stick tables: out of samples, and as text. Manual chapter 4.2, stick-table. */
#ifndef EXPR_STICK_KEY_H
#define EXPR_STICK_KEY_H

#include "base/sample.h"
#include "stick/table.h"

#include <stdbool.h>


/* The bytes of a key of that type; where the sample lies in the memory, it is not copied. */
struct stick_key_memory {
	unsigned char bytes[16];
};
/* False: the value cannot be a key of that type. key: good as long as the sample and memory. */
bool stick_key_of_sample(enum stick_key_type type, struct sample *smp,
			 struct stick_key_memory *memory, struct span *key);
/* As the stats socket takes it: the whole text is one. False: it is none of that type. */
bool stick_key_of_text(enum stick_key_type type, struct span text, struct stick_key_memory *memory,
		       struct span *key);
/* The sample type that a key is cast to. */
enum sample_type stick_key_sample(enum stick_key_type type);

#endif
