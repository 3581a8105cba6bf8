/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words of HTTP/2: what connections announce and bear. Manual 3.2. */
#include "h2/tune.h"

#include "config/config.h"
#include "h2/conn.h"
#include "relay/buffer.h"

/* Of one side. -1: as for both. */
struct tune_h2 {
	int window, streams;
	int total, glitches; /* 0: any number */
};

struct tune_both {
	int table, window, streams, frame; /* frame 0: as large as a buffer */
	struct tune_h2 fe, be;
	bool no_connect; /* h2-workaround-bogus-websocket-clients */
};

static void h2_tune_init(struct config *cfg, void *data)
{
	struct tune_both *t = data;

	(void)cfg;
	t->table = 4096;
	t->window = H2_WINDOW_FIRST;
	t->streams = 100;
	t->fe = t->be = (struct tune_h2){ .window = -1, .streams = -1 };
}

static struct h2_limits limits_of(const struct tune_both *t, const struct tune_h2 *side)
{
	int streams = side->streams < 0 ? t->streams : side->streams;
	size_t bufsize = buffer_size(), frame = t->frame ? (size_t)t->frame : bufsize;

	frame = frame < bufsize ? frame : bufsize;
	return (struct h2_limits){
		.streams = streams ? (uint32_t)streams : H2_STREAM_MOST,
		.window = (uint32_t)(side->window < 0 ? t->window : side->window),
		.table = (uint32_t)t->table,
		.frame = frame < H2_FRAME_MOST ? (uint32_t)frame : H2_FRAME_MOST,
		.total = (uint32_t)side->total,
		.no_connect = t->no_connect,
		.glitches = (unsigned)side->glitches,
	};
}

/* Buffers have their size already. */
static int h2_tune_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct tune_both *t = data;

	(void)cfg;
	(void)err;
	h2_conf.clients = limits_of(t, &t->fe);
	h2_conf.servers = limits_of(t, &t->be);
	return 0;
}

#define INT_ROW(word, field, lo, hi, deflt, text)                                              \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = "<number>", .parse = set_int,           \
	  .offset = offsetof(struct tune_both, field), .min = lo, .max = hi, .dflt = deflt,    \
	  .help = text }

static const struct keyword h2_tune_keywords[] = {
	{ "h2-workaround-bogus-websocket-clients", SCOPE_GLOBAL, 0, "", set_flag,
	  .offset = offsetof(struct tune_both, no_connect),
	  .help = "clients of HTTP/2 are not offered WebSocket over it" },
	INT_ROW("tune.h2.be.glitches-threshold", be.glitches, 0, 1 << 30, "0 (none)",
		"so many oddities end a connection of HTTP/2 to a server"),
	INT_ROW("tune.h2.be.initial-window-size", be.window, 1, H2_WINDOW_MOST,
		"tune.h2.initial-window-size", "the same, of connections to servers"),
	INT_ROW("tune.h2.be.max-concurrent-streams", be.streams, 0, H2_STREAM_MOST,
		"tune.h2.max-concurrent-streams", "the same, of connections to servers"),
	INT_ROW("tune.h2.fe.glitches-threshold", fe.glitches, 0, 1 << 30, "0 (none)",
		"so many oddities end a client's connection of HTTP/2"),
	INT_ROW("tune.h2.fe.initial-window-size", fe.window, 1, H2_WINDOW_MOST,
		"tune.h2.initial-window-size", "the same, of clients' connections"),
	INT_ROW("tune.h2.fe.max-concurrent-streams", fe.streams, 0, H2_STREAM_MOST,
		"tune.h2.max-concurrent-streams", "the same, of clients' connections"),
	INT_ROW("tune.h2.fe.max-total-streams", fe.total, 0, 1 << 30, "0 (any number)",
		"requests after which a client's connection of HTTP/2 takes no more"),
	INT_ROW("tune.h2.header-table-size", table, 1, 65536, "4096",
		"bytes of the table in which HTTP/2 keeps fields that a peer has sent"),
	INT_ROW("tune.h2.initial-window-size", window, 1, H2_WINDOW_MOST, "65535",
		"bytes of a body that a peer may send by HTTP/2 before it is allowed more"),
	INT_ROW("tune.h2.max-concurrent-streams", streams, 0, H2_STREAM_MOST, "100",
		"most exchanges at once on a connection of HTTP/2"),
	INT_ROW("tune.h2.max-frame-size", frame, H2_FRAME_LEAST, H2_FRAME_MOST, "tune.bufsize",
		"most bytes of a frame of HTTP/2 that a peer may send"),
	{ .name = NULL },
};

const struct module h2_tune_module = {
	.name = "tune h2",
	.keywords = h2_tune_keywords,
	.data_size = sizeof(struct tune_both),
	.init = h2_tune_init,
	.prepare = h2_tune_prepare,
};
