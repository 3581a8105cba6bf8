/* SPDX-License-Identifier: BSD-2-Clause */
/* The unique id of an exchange or stream: made by the frontend's unique-id-format when it is first
 * asked for. Called by what sends it, by the fetch and the alias that show it. */
#include "expr/unique_id.h"

#include "base/arena.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "proxy/proxy.h"

enum { UNIQUE_ID_LONGEST = 1024 };

struct span unique_id_of(const struct view *view)
{
	const struct logformat *format = view->frontend ? view->frontend->set.unique_id : NULL;
	static char memory[UNIQUE_ID_LONGEST];
	struct span id;
	struct text t;

	if (!format)
		return (struct span){ NULL, 0 };
	if (view->http && view->http->unique_id.ptr)
		return view->http->unique_id;
	if (view->unique_id.ptr)
		return view->unique_id;
	text_init(&t, memory, sizeof(memory));
	logformat_write(format, view, &t);
	id = (struct span){ t.ptr, t.len };
	if (view->http && view->arena) {
		id = arena_keep(view->arena, id);
		view->http->unique_id = id;
	}
	return id;
}
