/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an answer to a question of each type. What is taken has the form that was asked for, and
 * is the same when it is read again; its head alone, or all but its last byte, is no better answer. */
#include "base/bug.h"
#include "dns/files.h"
#include "dns/message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_record(const struct dns_record *record, enum dns_type type)
{
	char name[DNS_NAME_MOST + 1];

	BUG_ON(record->v4.family != AF_UNSPEC && record->v4.family != AF_INET);
	BUG_ON(record->v6.family != AF_UNSPEC && record->v6.family != AF_INET6);
	BUG_ON(type == DNS_A && (!record->v4.family || record->v6.family));
	BUG_ON(type == DNS_AAAA && (record->v4.family || !record->v6.family));
	BUG_ON((type == DNS_SRV) != (record->target != NULL));
	BUG_ON(record->target && dns_name(span_of(record->target), name) != strlen(record->target));
	BUG_ON(record->ttl > INT32_MAX);
}

static unsigned read_as(const unsigned char *data, size_t size, enum dns_type type)
{
	const struct dns_answer_records *records;
	enum dns_said said = dns_answer_read((struct span){ (const char *)data, size }, "a.test", type, &records);
	unsigned i;

	BUG_ON((said == DNS_SAID_RECORDS) != (records->count > 0) && said != DNS_SAID_INVALID);
	BUG_ON(records->count > DNS_RECORDS);
	BUG_ON(size < DNS_HEAD && said != DNS_SAID_INVALID);
	if (said != DNS_SAID_RECORDS)
		return 0;
	for (i = 0; i < records->count; i++)
		check_record(&records->record[i], type);
	return records->count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum dns_type types[] = { DNS_A, DNS_AAAA, DNS_SRV };
	unsigned char *copy;
	unsigned count;
	size_t i;

	if (!size || size > DNS_MESSAGE_MOST)
		return 0;
	/* Memory of its own size: what is read beyond is seen. */
	copy = malloc(size);
	BUG_ON(!copy);
	memcpy(copy, data, size);
	for (i = 0; i < ARRAY_LEN(types); i++) {
		count = read_as(copy, size, types[i]);
		BUG_ON(count != read_as(copy, size, types[i]));
		if (count)
			BUG_ON(read_as(copy, size - 1, types[i]) > count);
	}
	free(copy);
	return 0;
}
