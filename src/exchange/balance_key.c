/* SPDX-License-Identifier: BSD-2-Clause */
/* What balancing looks at in a request: URI, parameter, field. Called when a server is chosen; what
 * is hashed, to the byte, is what the reference hashes. */
#include "exchange/balance_key.h"

#include "exchange/exchange.h"
#include "expr/view.h"
#include "http/message.h"
#include "http/uri.h"
#include "lb/key.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

static const struct message *request_of(const struct stream *s)
{
	return s->exchange->http.request;
}

/* ---- uri -------------------------------------------------------------------------------- */

/* As far as "len" and "depth" allow: up to the slash behind that many directories. */
static struct span uri_cut(struct span text, const struct balance_by *by)
{
	int slashes = 0;
	size_t i;

	for (i = 0; i < text.len; i++) {
		if (by->len && i >= (size_t)by->len)
			break;
		if (text.ptr[i] == '/' && by->depth && ++slashes > by->depth)
			break;
		if (text.ptr[i] == '?' && !by->whole)
			break;
	}
	return (struct span){ text.ptr, i };
}

static bool key_uri(const struct message *req, const struct balance_by *by, struct span *key)
{
	*key = uri_cut(by->path_only ? uri_path_and_query(req->target) : req->target, by);
	return true;
}

/* ---- url_param -------------------------------------------------------------------------- */

static bool key_of_query(const struct message *req, struct span name, struct span *key)
{
	struct uri uri;

	return uri_split(req->target, &uri) && uri.query.ptr &&
	       query_find(uri.query, name, '&', key);
}

/* Within what has come of the body, up to a character that no list of parameters has. */
static bool key_of_body(struct stream *s, struct span name, struct span *key)
{
	struct span body;
	struct view view;
	size_t i = 0;

	stream_view(s, &view, NULL);
	body = view.http->request_body;
	while (i < body.len && (unsigned char)body.ptr[i] > ' ' && body.ptr[i] != 0x7f)
		i++;
	body.len = i;
	return body.len && query_find(body, name, '&', key);
}

/* Without check_post, too, a body is looked at, as far as it has come. */
static bool key_url_param(struct stream *s, const struct message *req,
			  const struct balance_by *by, struct span *key)
{
	if (key_of_query(req, by->name, key))
		return true;
	return req->method == METHOD_POST && key_of_body(s, by->name, key);
}

bool balance_key_in_body(const struct stream *s)
{
	const struct proxy_settings *set = &s->backend->set;
	const struct message *req = request_of(s);
	struct span key;

	return set->balance == BALANCE_URL_PARAM && set->balance_by->check_post && req &&
	       req->method == METHOD_POST && !key_of_query(req, set->balance_by->name, &key);
}

/* ---- hdr -------------------------------------------------------------------------------- */

/* The label left of the last dot: "1wt" of "haproxy.1wt.eu". */
static struct span domain_of(struct span host)
{
	size_t end = host.len, start;

	while (end && host.ptr[end - 1] != '.')
		end--;
	if (!end)
		return host;
	end--;
	for (start = end; start && host.ptr[start - 1] != '.'; start--)
		continue;
	return (struct span){ host.ptr + start, end - start };
}

/* The first element of the first field of the name. */
static bool key_hdr(const struct message *req, const struct balance_by *by, struct span *key)
{
	unsigned at = 0;
	const struct field *f = message_find(req, by->name, &at);
	struct field_walk walk = { 0 };

	if (!f || !f->value.len || *f->value.ptr == ',' ||
	    !message_next_element(req, by->name, &walk, key))
		return false;
	if (by->domain_only)
		*key = domain_of(*key);
	return true;
}

/* ---- which ------------------------------------------------------------------------------- */

bool exchange_balance_key(struct stream *s, struct span *key)
{
	const struct balance_by *by = s->backend->set.balance_by;
	const struct message *req = request_of(s);

	if (!req)
		return false;
	switch (s->backend->set.balance) {
	case BALANCE_URI:
		return key_uri(req, by, key);
	case BALANCE_URL_PARAM:
		return key_url_param(s, req, by, key);
	default:
		return key_hdr(req, by, key);
	}
}
