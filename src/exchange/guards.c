/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that refuse messages for what others would make of them, behind the rules of a proxy:
 * option http-restrict-req-hdr-names, option checkcache (manual 4.2). Called by http_rules.c and
 * the steps of an exchange; they count and log, and change nothing but what they refuse. */
#include "exchange/guards.h"

#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <strings.h>

/* ---- names of fields ------------------------------------------------------------------------ */

/* "[a-zA-Z0-9-]": what is the same behind CGI, where all others become "_". */
static bool is_plain(struct span name)
{
	size_t i;

	for (i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '-'))
			return false;
	}
	return true;
}

static void refuse_request(struct exchange *x)
{
	struct stream *s = x->stream;

	s->origin->frontend->fe->counters.denied_requests++;
	origin_counters(s->origin)->denied_requests++;
	if (s->backend)
		s->backend->be->counters.denied_requests++;
	x->reason = END_DENIED;
	x->phase = s->phase;
	reply_send_error(x, 403);
}

bool guard_names(struct exchange *x, const struct proxy *px)
{
	unsigned i;

	for (i = 0; i < x->req.count; i++) {
		struct field *f = &x->req.fields[i];

		if (!f->name.ptr || is_plain(f->name))
			continue;
		if (px->set.restrict_names == NAMES_REJECT) {
			refuse_request(x);
			return false;
		}
		message_delete_field(&x->req, f);
	}
	return true;
}

/* ---- cookies that caches would hand out ----------------------------------------------------- */

static bool begins_with(struct span s, const char *text)
{
	return s.len >= strlen(text) && !strncasecmp(s.ptr, text, strlen(text));
}

/* "no-cache=\"set-cookie\"", also with other names behind. */
static bool spares_cookies(struct span directive)
{
	static const char text[] = "no-cache=\"set-cookie";
	const size_t len = sizeof(text) - 1;

	return directive.len > len && begins_with(directive, text) &&
	       (directive.ptr[len] == '"' || directive.ptr[len] == ',' || directive.ptr[len] == ' ');
}

static bool forbids_caching(struct span directive)
{
	static const char *const whole[] = { "private", "no-store", "no-cache", "max-age=0", "s-maxage=0" };
	size_t i;

	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (directive.len == strlen(whole[i]) && begins_with(directive, whole[i]))
			return true;
	return spares_cookies(directive);
}

static bool cacheable_unasked(const struct exchange *x)
{
	static const uint16_t statuses[] = { 200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501 };
	size_t i;

	if (!method_is_safe(x->asked))
		return false;
	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (x->res.status == statuses[i])
			return true;
	return false;
}

static bool cookie_may_be_cached(const struct exchange *x)
{
	bool cacheable = cacheable_unasked(x);
	struct field_walk walk = { 0 }, pragma = { 0 };
	struct span part;

	while (message_next_element(&x->res, span_of("cache-control"), &walk, &part)) {
		if (forbids_caching(part))
			return false;
		cacheable |= part.len == 6 && begins_with(part, "public");
	}
	while (message_next_element(&x->res, span_of("pragma"), &pragma, &part))
		if (part.len == 8 && begins_with(part, "no-cache"))
			return false;
	return cacheable;
}

static void tell_of_cookie(const struct stream *s)
{
	char line[600];
	int len = snprintf(line, sizeof(line), "Blocking cacheable cookie in response from instance %s, "
			   "server %s.", s->backend->name, s->server ? s->server->id : "<NOSRV>");

	log_send(s->backend->set.log, LOG_L_ALERT, line, (size_t)len);
}

bool guard_cookies(struct exchange *x)
{
	struct stream *s = x->stream;
	unsigned at = 0;

	if (!message_find_id(&x->res, FIELD_SET_COOKIE, &at) || !cookie_may_be_cached(x))
		return true;
	s->origin->frontend->fe->counters.denied_responses++;
	origin_counters(s->origin)->denied_responses++;
	s->backend->be->counters.denied_responses++;
	if (s->server)
		s->server->tally->counters.denied_responses++;
	tell_of_cookie(s);
	return false;
}
