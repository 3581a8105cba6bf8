/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words that set how bytes move, and their effect at start. Manual 3.2. */
#include "stream/tune.h"

#include "stream/exchange.h"

#include "base/err.h"
#include "config/config.h"
#include "expr/expr.h"
#include "net/conn.h"
#include "net/sock.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "stream/idle.h"
#include "tls/conn.h"

enum { BUFSIZE = 16384, MAXREWRITE = 1024, BUFSIZE_MIN = 1024, PIPES_A_CONN = 4 };

static void tune_init(struct config *cfg, void *data)
{
	struct tune *t = data;

	(void)cfg;
	t->bufsize = BUFSIZE;
	t->maxrewrite = MAXREWRITE;
	t->maxpipes = -1;
	t->maxpollevents = 200;
	t->maxhdr = 101;
}

static int tune_finish(struct config *cfg, void *data)
{
	struct tune *t = data;

	(void)cfg;
	if (t->maxrewrite >= t->bufsize / 2)
		t->maxrewrite = t->bufsize / 2;
	return 0;
}

void tune_pipes(const struct tune *t)
{
	unsigned pipes = t->maxpipes < 0 ? global_state->maxconn / PIPES_A_CONN :
					   (unsigned)t->maxpipes;

	pipes_init(t->nosplice ? 0 : pipes, t->pipesize);
	idle_limit((unsigned)(limits.maxsock * (uint64_t)t->pool_low / 100),
		   (unsigned)(limits.maxsock * (uint64_t)t->pool_high / 100));
}

static int tune_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct tune *t = data;

	(void)cfg;
	if (!expr_scratch_resize(t->bufsize)) {
		err_set(err, "out of memory: buffers of %zu bytes for expressions", (size_t)t->bufsize);
		return -1;
	}
	buffer_configure(t->bufsize, t->maxrewrite, (unsigned)t->buffers_limit);
	exchange_max_fields = (unsigned)t->maxhdr - 1; /* the first line counts */
	exchange_any_payload = t->any_payload;
	tls_early_most = (unsigned)(t->bufsize - t->maxrewrite);
	conn_recv_enough = (unsigned)t->recv_enough;
	sock_tune = (struct sock_tune){
		.rcvbuf_client = t->rcvbuf_client,
		.sndbuf_client = t->sndbuf_client,
		.rcvbuf_server = t->rcvbuf_server,
		.sndbuf_server = t->sndbuf_server,
	};
	return 0;
}

static void tune_stop(void)
{
	pipes_free();
}

#define SIZE_ROW(word, field, lo, hi, deflt, text)                                             \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = "<size>", .parse = set_size,            \
	  .offset = offsetof(struct tune, field), .min = lo, .max = hi, .dflt = deflt,         \
	  .help = text }
#define INT_ROW(word, field, lo, hi, deflt, text)                                              \
	{ .name = word, .scope = SCOPE_GLOBAL, .args = "<number>", .parse = set_int,           \
	  .offset = offsetof(struct tune, field), .min = lo, .max = hi, .dflt = deflt,         \
	  .help = text }

static const struct keyword tune_keywords[] = {
	INT_ROW("maxpipes", maxpipes, 0, 1000000, "a quarter of maxconn",
		"most pipes in use at once; without a free one bytes are copied"),
	{ .name = "nosplice", .scope = SCOPE_GLOBAL, .flags = KW_NO, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune, nosplice), .dflt = "off",
	  .help = "never splice: every direction copies" },
	SIZE_ROW("tune.bufsize", bufsize, BUFSIZE_MIN, 1 << 30, "16384",
		 "bytes of a buffer in which data wait to be looked at"),
	SIZE_ROW("tune.maxrewrite", maxrewrite, 0, 1 << 30, "1024",
		 "bytes of a buffer kept free for what is put in front of the data"),
	INT_ROW("tune.buffers.limit", buffers_limit, 0, 1 << 30, "0 (no limit)",
		"most buffers of tune.bufsize in use at once"),
	SIZE_ROW("tune.pipesize", pipesize, 4096, 1 << 30, "1m",
		 "bytes that a pipe should hold; the system may allow less"),
	INT_ROW("tune.http.maxhdr", maxhdr, 1, 32767, "101", "most lines in the head of a message"),
	{ .name = "h1-accept-payload-with-any-method", .scope = SCOPE_GLOBAL, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune, any_payload), .dflt = "off",
	  .help = "let HTTP/1.0 requests of any method have a body" },
	INT_ROW("tune.maxpollevents", maxpollevents, 1, 1000000, "200",
		"most events taken from one poll"),
	INT_ROW("tune.pool-low-fd-ratio", pool_low, 0, 100, "0 (off)",
		"percent of the descriptors above which no connection to a server is kept"),
	INT_ROW("tune.pool-high-fd-ratio", pool_high, 0, 100, "0 (off)",
		"percent of the descriptors above which a new connection closes an idle one"),
	INT_ROW("tune.recv_enough", recv_enough, 0, 1 << 30, "0",
		"a short read below this size is followed by another one"),
	SIZE_ROW("tune.rcvbuf.client", rcvbuf_client, 0, 1 << 30, "the system's",
		 "kernel receive buffer of client connections"),
	SIZE_ROW("tune.sndbuf.client", sndbuf_client, 0, 1 << 30, "the system's",
		 "kernel send buffer of client connections"),
	SIZE_ROW("tune.rcvbuf.server", rcvbuf_server, 0, 1 << 30, "the system's",
		 "kernel receive buffer of server connections"),
	SIZE_ROW("tune.sndbuf.server", sndbuf_server, 0, 1 << 30, "the system's",
		 "kernel send buffer of server connections"),
	{ .name = NULL },
};

const struct module tune_module = {
	.name = "tune",
	.keywords = tune_keywords,
	.data_size = sizeof(struct tune),
	.init = tune_init,
	.finish = tune_finish,
	.prepare = tune_prepare,
	.stop = tune_stop,
};
