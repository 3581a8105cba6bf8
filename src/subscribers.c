/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of those who hear of moments of streams. A test that hears of them brings a list of its
 * own. */
#include "stream/subscriber.h"

#include "explain/record.h"
#include "stream/accesslog.h"
#include "stream/filtering.h"
#include "stream/trace.h"

#include <stddef.h>

/* In the order in which they are told. What a record is about is said before, and what became of it
 * behind the line of the log. */
const struct subscriber *const subscribers[] = {
	&record_begins_subscriber,
	&accesslog_subscriber,
	&trace_subscriber,
	&record_ends_subscriber,
	&filtering_subscriber,
	NULL,
};
