/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for records on their way (tls/records.h). Called by layer_ops.c alone. */
#include "tls/records.h"

#include "base/pool.h"

static struct pool records_pool = POOL_INIT("tls records", sizeof(struct buf) + RECORDS_SIZE);
static struct buf *scratch[2];

struct buf *records_scratch(enum records_use use)
{
	struct buf *buf = scratch[use];

	if (buf)
		return buf;
	buf = pool_take_raw(&records_pool);
	if (!buf)
		return NULL;
	*buf = (struct buf){ .size = RECORDS_SIZE };
	return scratch[use] = buf;
}

void records_settle(enum records_use use, struct buf **buf)
{
	if (*buf == NULL)
		return;
	if (*buf == scratch[use]) {
		if ((*buf)->len)
			scratch[use] = NULL;
		else
			*buf = NULL;
	} else if (!(*buf)->len) {
		pool_give(&records_pool, buf);
	}
}

void records_give(struct buf **buf)
{
	if (*buf)
		pool_give(&records_pool, buf);
}
