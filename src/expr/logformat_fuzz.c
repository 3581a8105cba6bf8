/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a log format: it is refused with a sentence, or it compiles and writes a line that
 * stays within its memory and has no control characters but those of the format itself. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/json.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/server.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void write_line(const struct logformat *format, const struct view *view)
{
	char memory[256 + 8];
	struct text t;

	memset(memory, 'g', sizeof(memory));
	text_init(&t, memory, 256);
	logformat_write(format, view, &t);
	BUG_ON(t.len >= 256 || memory[t.len]);
	BUG_ON(memcmp(memory + 256, "gggggggg", 8) != 0);
	BUG_ON(memchr(memory, '\n', t.len) && !strchr(logformat_text(format), '\n') &&
	       !strstr(logformat_text(format), "bin"));
	if (logformat_encoding(format) == ENCODE_JSON) {
		struct json j = { t.ptr, t.ptr + t.len };

		BUG_ON(!json_skip(&j) || j.p != j.end);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct proxy_tally fe_state;
	static struct server_state server_state;
	static struct proxy fe = { .name = "fe\n", .fe = &fe_state };
	static struct server server = { .id = "s", .proxy = &fe, .state = &server_state };
	static struct listener_tally listener_tally;
	static struct bind_conf bind;
	static struct listener listener = { .tally = &listener_tally, .bind = &bind };
	static struct view_log numbers = { .termination = "--" };
	struct addr addr = { .family = AF_INET, .port = 1 };
	struct view view = { .frontend = &fe, .listener = &listener, .src = &addr, .log = &numbers };
	struct arena *arena = arena_new(4096);
	struct expr_context ctx = { .arena = arena, .proxy = &fe };
	struct err err = { "" };
	struct logformat *format;
	char *text = arena_strndup(arena, (const char *)data, len);

	format = logformat_compile(text, &ctx, AT_LOG, &err);
	BUG_ON(!format && !err.text[0]);
	if (format) {
		write_line(format, &view);
		view.server = &server;
		view.backend = &fe;
		write_line(format, &view);
	}
	arena_free(&arena);
	return 0;
}
