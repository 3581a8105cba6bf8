/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words that set how much of HTTP is borne. Manual 3.2. */
#include "exchange/tune_http.h"

#include "config/config.h"
#include "exchange/exchange.h"

struct tune_http {
	int maxhdr;
	bool any_payload; /* h1-accept-payload-with-any-method */
};

static void tune_http_init(struct config *cfg, void *data)
{
	struct tune_http *t = data;

	(void)cfg;
	t->maxhdr = 101;
}

static int tune_http_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct tune_http *t = data;

	(void)cfg;
	(void)err;
	exchange_tune.max_fields = (unsigned)t->maxhdr - 1; /* the first line counts */
	exchange_tune.any_payload = t->any_payload;
	return 0;
}

static const struct keyword tune_http_keywords[] = {
	{ .name = "tune.http.maxhdr", .scope = SCOPE_GLOBAL, .args = "<number>", .parse = set_int,
	  .offset = offsetof(struct tune_http, maxhdr), .min = 1, .max = 32767, .dflt = "101",
	  .help = "most lines in the head of a message" },
	{ .name = "h1-accept-payload-with-any-method", .scope = SCOPE_GLOBAL, .args = "",
	  .parse = set_flag, .offset = offsetof(struct tune_http, any_payload), .dflt = "off",
	  .help = "let HTTP/1.0 requests of any method have a body" },
	{ .name = NULL },
};

const struct module tune_http_module = {
	.name = "tune http",
	.keywords = tune_http_keywords,
	.data_size = sizeof(struct tune_http),
	.init = tune_http_init,
	.prepare = tune_http_prepare,
};
