/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/walk.h"

#include "check/http.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "net/conn_link.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"

#include <errno.h>
#include <unistd.h>

/* -- what expressions see -------------------------------------------------------------------- */

struct span walk_received(const struct walk *walk)
{
	return walk->in ? (struct span){ buf_first(walk->in), walk->in->len } :
			  (struct span){ "", 0 };
}

struct view walk_view(const struct walk *walk)
{
	static const struct view_log no_numbers = { .wait_ms = -1, .connect_ms = -1,
						    .idle_ms = -1, .request_ms = -1,
						    .response_ms = -1, .termination = "--" };
	static struct view_log log;
	struct server *s = walk->check->server;
	struct walk *own = (struct walk *)walk;

	log = no_numbers;
	gettimeofday(&log.accepted, NULL);
	log.pid = (unsigned)getpid();
	return (struct view){ .frontend = s->proxy, .backend = s->proxy, .server = s,
			      .server_link = conn_link(walk->check->conn), .server_dst = &walk->check->to,
			      .request_final = true, .response = walk_received(walk),
			      .response_final = true, .session_vars = &own->session_vars,
			      .check_vars = &own->check_vars, .log = &log,
			      .http = http_view(own) };
}

bool walk_format(struct walk *walk, const struct logformat *format, struct text *t)
{
	struct view view = walk_view(walk);

	if (!walk->out)
		walk->out = buffer_take();
	if (!walk->out) {
		walk_set_no_memory(walk);
		return false;
	}
	text_init(t, walk->out->data, walk->out->size);
	logformat_write(format, &view, t);
	return true;
}

/* -- the result ------------------------------------------------------------------------------ */

void walk_set_no_memory(struct walk *walk)
{
	check_state(walk->check)->error = ENOMEM;
	check_state(walk->check)->cause = CAUSE_SOCKET;
	text_init(&walk->said, walk->memory, sizeof(walk->memory));
	walk->status = CHECK_SOCKERR;
}

const char *walk_comment(const struct walk *walk)
{
	return walk->step->comment ? walk->step->comment : walk->comment;
}

void walk_say_comment(struct walk *walk)
{
	if (walk_comment(walk))
		text_printf(&walk->said, " comment: %s", walk_comment(walk));
}

void walk_set_failure(struct walk *walk, enum check_status status, const char *said)
{
	walk->status = status;
	text_str(&walk->said, said);
	walk_say_comment(walk);
}
