/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through all streams for "show sess". A stream that ends moves the walks that were
 * about to show it on to its successor; without walks that costs one comparison.
 */
#include "stream/scan.h"

#include "stream/stream.h"

static struct list scans = LIST_INIT(scans);

static struct stream *scan_after(const struct stream *s)
{
	return s->node.next == &streams_all ? NULL : list_entry(s->node.next, struct stream, node);
}

void stream_scan_start(struct stream_scan *scan)
{
	scan->next = NULL;
	scan->last_id = 0;
	list_append(&scans, &scan->node);
	if (list_empty(&streams_all))
		return;
	scan->next = list_first(&streams_all, struct stream, node);
	scan->last_id = list_entry(streams_all.prev, struct stream, node)->id;
}

struct stream *stream_scan_next(struct stream_scan *scan)
{
	struct stream *s = scan->next;

	if (!s || s->id > scan->last_id)
		return NULL;
	scan->next = scan_after(s);
	return s;
}

void stream_scan_end(struct stream_scan *scan)
{
	if (scan->node.next)
		list_remove(&scan->node);
	scan->next = NULL;
}

void stream_scans_leave(struct stream *s)
{
	struct stream_scan *scan;

	list_for_each(scan, &scans, node)
		if (scan->next == s)
			scan->next = scan_after(s);
}
