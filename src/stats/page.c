/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request for the stats page asks for, and links back to it. Pure; called by the service,
 * the HTML page and their tests. */
#include "stats/page.h"

#include "base/arena.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "stream/steps.h"

#include <strings.h>

static void page_init(void *part)
{
	struct stats_page *page = part;

	page->uri = "/haproxy?stats";
	page->realm = "HAProxy Statistics";
}

struct proxy_part page_part = { PROXY_SETTINGS("stats page", struct stats_page),
				.kind.init = page_init, .kind.afresh = true,
				.front_steps = FRONT_MESSAGE, .back_steps = BACK_MESSAGE };

bool page_wants(const struct stats_page *page, struct span uri)
{
	size_t len = strlen(page->uri);

	return uri.len >= len && !memcmp(uri.ptr, page->uri, len);
}

/* -- options --------------------------------------------------------------------------------- */

/* Copies what may stand in names of proxies; anything else makes it no name. */
static void page_take_scope(struct page_request *req, struct span text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789.:_-";

	if (text.len > PAGE_SCOPE_MAX)
		text.len = PAGE_SCOPE_MAX;
	for (size_t i = 0; i < text.len; i++)
		if (!text.ptr[i] || !strchr(allowed, text.ptr[i]))
			return;
	memcpy(req->scope, text.ptr, text.len);
	req->scope[text.len] = 0;
}

static void page_take_result(struct page_request *req, struct span text)
{
	if (text.len != PAGE_RESULT)
		text = span_of("UNKN");
	memcpy(req->result, text.ptr, PAGE_RESULT);
}

/* A name of html_states; others leave nothing to show. */
static void page_take_state(struct page_request *req, struct span text)
{
	if (text.len > PAGE_STATE_MAX)
		return;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '_' && (text.ptr[i] < 'a' || text.ptr[i] > 'z'))
			return;
	memcpy(req->state, text.ptr, text.len);
	req->state[text.len] = 0;
}

static void page_take_word(struct page_request *req, struct span word)
{
	static const struct {
		const char *word;
		enum stats_form form;
	} forms[] = { { "csv", PAGE_CSV }, { "typed", PAGE_TYPED }, { "json", PAGE_JSON },
		      { "json-schema", PAGE_SCHEMA } };

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (span_equal(word, span_of(forms[i].word)))
			req->form = forms[i].form;
	if (span_equal(word, span_of("up")))
		req->options |= STAT_UP;
	else if (span_equal(word, span_of("no-maint")))
		req->options |= STAT_NO_MAINT;
	else if (span_equal(word, span_of("norefresh")))
		req->norefresh = true;
	else if (span_equal(word, span_of("trouble")))
		req->trouble = true;
}

/* "word", "name=value". A form without value sends "word=". */
static void page_take(struct page_request *req, struct span word)
{
	const char *equals = memchr(word.ptr, '=', word.len);
	struct span name = word, value = { NULL, 0 };

	if (equals) {
		name.len = (size_t)(equals - word.ptr);
		value = (struct span){ equals + 1, word.len - name.len - 1 };
	}
	if (equals && span_equal(name, span_of("scope")))
		page_take_scope(req, value);
	else if (equals && span_equal(name, span_of("st")))
		page_take_result(req, value);
	else if (equals && span_equal(name, span_of("state")))
		page_take_state(req, value);
	else
		page_take_word(req, name);
}

void page_request_init(struct page_request *req, const struct stats_page *page,
		       const struct proxy *proxy, struct span uri)
{
	size_t prefix = strlen(page->uri), len, at, end;
	char tail[512];

	*req = (struct page_request){ .page = page, .proxy = proxy };
	if (page->flags & PAGE_LEGENDS)
		req->options |= STAT_LEGENDS;
	/* Browsers encode semicolons in what forms send. Nobody needs a tail as long as this. */
	len = uri.len - prefix < sizeof(tail) ? uri.len - prefix : sizeof(tail);
	memcpy(tail, uri.ptr + prefix, len);
	len = url_decode(tail, len, false);
	if (len == SIZE_MAX)
		return;
	for (at = 0; at < len; at = end) {
		if (strchr(";?&", tail[at]) && tail[at]) {
			end = at + 1;
			continue;
		}
		for (end = at; end < len && !(tail[end] && strchr(";?&", tail[end]));)
			end++;
		if (at)
			page_take(req, (struct span){ tail + at, end - at });
	}
}

/* -- what is shown --------------------------------------------------------------------------- */

bool page_shows(const void *arg, const struct proxy *px)
{
	const struct page_request *req = arg;

	return (!*req->scope || strcasestr(px->name, req->scope)) && page_allows(req, px);
}

bool page_allows(const struct page_request *req, const struct proxy *px)
{
	const struct stats_scope *s;

	for (s = req->page->scopes; s; s = s->next)
		if (!strcmp(s->name, px->name) || (!strcmp(s->name, ".") && px == req->proxy))
			return true;
	return !req->page->scopes;
}

/* -- links ----------------------------------------------------------------------------------- */

struct page_link page_link(const struct page_request *req)
{
	return (struct page_link){ .up = req->options & STAT_UP, .norefresh = req->norefresh,
				   .scope = *req->scope, .trouble = req->trouble,
				   .state = req->state };
}

void page_say_link(const struct page_request *req, struct page_link link, struct text *out)
{
	text_str(out, req->page->uri);
	if (link.form)
		text_printf(out, ";%s", link.form);
	if (link.result)
		text_printf(out, ";st=%s", link.result);
	if (link.up)
		text_str(out, ";up");
	if (link.norefresh)
		text_str(out, ";norefresh");
	if (link.trouble)
		text_str(out, ";trouble");
	if (link.state && *link.state)
		text_printf(out, ";state=%s", link.state);
	if (link.scope)
		text_printf(out, "%cscope=%s", strchr(req->page->uri, '?') ? '&' : '?', req->scope);
}

const char *page_result_location(const struct page_request *req, const char *result,
				 struct arena *arena)
{
	struct page_link link = page_link(req);
	char memory[PAGE_URI_MAX + 128];
	struct text out;

	link.result = result;
	text_init(&out, memory, sizeof(memory));
	page_say_link(req, link, &out);
	return arena_strdup(arena, memory);
}
