/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as keys of stick tables: cast to the type of the table's keys (manual 4.2, 7.1). Called
 * by rules, fetches and converters that look something up, and by the stats socket. */
#include "expr/stick_key.h"

#include "expr/expr.h"

#include <arpa/inet.h>
#include <string.h>

enum sample_type stick_key_sample(enum stick_key_type type)
{
	static const enum sample_type types[STICK_KEY_TYPES] = {
		[STICK_IP] = SMP_IPV4, [STICK_IPV6] = SMP_IPV6, [STICK_INTEGER] = SMP_INT,
		[STICK_STRING] = SMP_STR, [STICK_BINARY] = SMP_BIN,
	};

	return types[type];
}

bool stick_key_of_sample(enum stick_key_type type, struct sample *smp,
			 struct stick_key_memory *memory, struct span *key)
{
	uint32_t number;

	if (!sample_cast(smp, stick_key_sample(type)))
		return false;
	key->ptr = (const char *)memory->bytes;
	switch (type) {
	case STICK_IP:
		memcpy(memory->bytes, &smp->v4, key->len = sizeof(smp->v4));
		return true;
	case STICK_IPV6:
		memcpy(memory->bytes, &smp->v6, key->len = sizeof(smp->v6));
		return true;
	case STICK_INTEGER:
		number = (uint32_t)smp->num;
		memcpy(memory->bytes, &number, key->len = sizeof(number));
		return true;
	case STICK_STRING:
	case STICK_BINARY:
	case STICK_KEY_TYPES:
		break;
	}
	*key = smp->str;
	return true;
}

bool stick_key_of_text(enum stick_key_type type, struct span text, struct stick_key_memory *memory,
		       struct span *key)
{
	char word[INET6_ADDRSTRLEN];
	uint32_t number;
	int64_t value;

	if (type == STICK_STRING || type == STICK_BINARY) {
		*key = text;
		return true;
	}
	if (text.len >= sizeof(word))
		return false;
	memcpy(word, text.ptr, text.len);
	word[text.len] = '\0';
	key->ptr = (const char *)memory->bytes;
	if (type == STICK_INTEGER) {
		if (!str_to_int(word, 0, UINT32_MAX, &value))
			return false;
		number = (uint32_t)value;
		memcpy(memory->bytes, &number, key->len = sizeof(number));
		return true;
	}
	key->len = type == STICK_IP ? 4 : 16;
	return inet_pton(type == STICK_IP ? AF_INET : AF_INET6, word, memory->bytes) == 1;
}
