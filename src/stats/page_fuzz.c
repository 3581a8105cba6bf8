/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzer of what clients of the stats page send: an URI, and behind a line feed the body of a
 * form. Both are read; the page and the metrics are said to their end. */
#include "log/log.h"
#include "stats/form.h"
#include "stats/html_page.h"
#include "stats/metrics.h"
#include "stats/report.h"
#include "stats/test_world.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool say_html(void *state, struct text *out, bool resumed)
{
	return html_say(state, out, resumed);
}

static bool say_metrics(void *state, struct text *out, bool resumed)
{
	return metrics_say(state, out, resumed);
}

static void say_all(bool (*say)(void *, struct text *, bool), void *state)
{
	static struct report r;
	static char buf[16384];

	report_init(&r, say, state);
	while (report_fill(&r, buf, sizeof(buf)) || !r.done)
		;
}

static void fuzz_page(struct world *w, struct span uri, char *form, size_t len)
{
	static const struct stats_page page = { .uri = "/s", .flags = PAGE_LEGENDS };
	static struct page_request req;
	static struct html h;
	const char *code;

	if (!page_wants(&page, uri))
		return;
	page_request_init(&req, &page, w->one, uri);
	req.admin = true;
	code = page_change(&req, form, len);
	BUG_ON(strlen(code) != PAGE_RESULT);
	html_init(&h, &req);
	say_all(say_html, &h);
}

static void fuzz_metrics(struct span query)
{
	static struct metrics m;

	if (metrics_init(&m, query) == 0)
		say_all(say_metrics, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = world_new();
	const uint8_t *end = memchr(data, '\n', size);
	size_t len = end ? (size_t)(end - data) : size;
	struct span uri = { (const char *)data, len };
	size_t form_len = end ? size - len - 1 : 0;
	char *form = malloc(form_len + 1);

	log_to_stderr = false;
	BUG_ON(!form);
	if (form_len)
		memcpy(form, end + 1, form_len);
	fuzz_page(w, uri, form, form_len);
	fuzz_metrics(uri);
	free(form);
	world_free(&w);
	return 0;
}
