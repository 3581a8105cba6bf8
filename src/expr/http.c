/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fetches of HTTP share: finding the head, walking its values, credentials. Called by
 * fetch_http*.c only. A head that nobody has parsed yet is parsed each time it is asked for:
 * that happens in content rules alone, where few conditions look at few bytes. */
#include "expr/http.h"

#include "expr/view.h"
#include "http/chars.h"
#include "http/h1.h"
#include "http/uri.h"

#include <ctype.h>
#include <limits.h>
#include <strings.h>

/* -- the head --------------------------------------------------------------------------- */

enum { LAZY_FIELDS = 512 };

/* The preface of HTTP/2 (RFC 9113 3.4) looks like a request; nothing else of HTTP/2 is seen. */
static enum expr_result lazy_preface(struct span bytes, struct message *msg)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\n";
	size_t len = sizeof(preface) - 1;

	if (!bytes.len || memcmp(bytes.ptr, preface, bytes.len < len ? bytes.len : len))
		return EXPR_NONE;
	if (bytes.len < len)
		return EXPR_WAIT;
	msg->method_text = (struct span){ bytes.ptr, 3 };
	msg->target = (struct span){ bytes.ptr + 4, 1 };
	msg->major = 2;
	msg->head_len = (uint32_t)len;
	return EXPR_FOUND;
}

static enum expr_result lazy_head(struct span bytes, bool response, struct message *msg)
{
	static struct field fields[2][LAZY_FIELDS];
	struct h1_parser parser = { 0 };
	struct message_error error;
	enum h1_result result;

	message_init(msg, response, fields[response], LAZY_FIELDS);
	if (!response && lazy_preface(bytes, msg) == EXPR_FOUND)
		return EXPR_FOUND;
	if (!bytes.len)
		return EXPR_WAIT;
	if (response)
		result = h1_response_head(&parser, bytes.ptr, bytes.len, 0, METHOD_GET, msg,
					  &error);
	else
		result = h1_request_head(&parser, bytes.ptr, bytes.len, 0, msg, &error);
	if (result == H1_DONE)
		return EXPR_FOUND;
	return result == H1_INCOMPLETE ? EXPR_WAIT : EXPR_NONE;
}

enum expr_result http_head(const struct fetch_call *call, bool response,
			   const struct message **msg)
{
	static struct message lazy[2];
	const struct view *view = call->view;
	const struct message *known = NULL;
	enum expr_result result;

	if (view->http)
		known = response ? view->http->response : view->http->request;
	if (known) {
		*msg = known;
		return EXPR_FOUND;
	}
	if (view->http && (response ? view->http->res_major != 0 : view->http->method.ptr != NULL))
		return EXPR_NONE; /* it has left: the bytes that are there are others */
	*msg = &lazy[response];
	result = lazy_head(response ? view->response : view->request, response, &lazy[response]);
	if (result == EXPR_FOUND && !response && view->arena &&
	    !message_fill_path(&lazy[0], view->arena))
		return EXPR_NONE;
	return result;
}

struct span http_body(const struct fetch_call *call, bool response, const struct message *msg)
{
	const struct view *view = call->view;
	struct span bytes = response ? view->response : view->request;

	if (view->http && msg == (response ? view->http->response : view->http->request))
		return response ? view->http->response_body : view->http->request_body;
	if (bytes.len < msg->head_len)
		return (struct span){ "", 0 };
	bytes.ptr += msg->head_len;
	bytes.len -= msg->head_len;
	if (msg->framing == BODY_LENGTH && bytes.len > msg->length)
		bytes.len = (size_t)msg->length;
	if (msg->framing == BODY_NONE)
		bytes.len = 0;
	return bytes;
}

/* -- values ----------------------------------------------------------------------------- */

/* Of a value, the element at walk->offset; moves it, to the next field at the end. */
static struct span next_element(struct span value, struct http_values *walk)
{
	struct span element = { NULL, 0 };
	size_t at = walk->offset;

	list_next_any(value, &at, &element);
	walk->offset = at > value.len ? 0 : (uint32_t)at;
	walk->field += at > value.len;
	return element;
}

bool http_next_value(const struct message *msg, struct span name, bool lists,
		     struct http_values *walk, struct span *value)
{
	const enum field_id id = field_id(name);
	const struct field *f;

	for (; walk->field < msg->count; walk->field++) {
		f = &msg->fields[walk->field];
		if (name.len ? !field_matches(f, id, name) : !f->name.ptr)
			continue;
		if (lists) {
			*value = next_element(f->value, walk);
		} else {
			*value = f->value;
			walk->field++;
		}
		return true;
	}
	return false;
}

bool http_first_value(const struct message *msg, struct span name, struct span *value)
{
	struct http_values walk = { 0 };

	return http_next_value(msg, name, false, &walk, value);
}

/* -- credentials (RFC 9110 11.6, RFC 7617) ---------------------------------------------- */

bool http_authorization(const struct message *msg, struct span *scheme, struct span *data)
{
	struct span value;

	if (!http_first_value(msg, span_of(msg->flags & MSG_FOR_PROXY ? "proxy-authorization" :
									"authorization"), &value))
		return false;
	scheme->ptr = value.ptr;
	for (scheme->len = 0; scheme->len < value.len; scheme->len++)
		if (char_is(value.ptr[scheme->len], CHAR_BLANK))
			break;
	*data = span_trimmed((struct span){ value.ptr + scheme->len, value.len - scheme->len });
	return scheme->len > 0;
}

static bool scheme_is(struct span scheme, const char *name)
{
	return scheme.len == strlen(name) && !strncasecmp(scheme.ptr, name, scheme.len);
}

bool http_basic_auth(const struct message *msg, struct span *user, struct span *password)
{
	const struct converter *decode = expr_converter_find(span_of("b64dec"));
	struct sample smp = { .type = SMP_STR };
	struct span scheme;
	const char *colon;

	if (!http_authorization(msg, &scheme, &smp.str) || !scheme_is(scheme, "basic") ||
	    !decode->run(NULL, &smp, NULL, decode))
		return false;
	colon = memchr(smp.str.ptr, ':', smp.str.len);
	if (!colon)
		return false;
	*user = (struct span){ smp.str.ptr, (size_t)(colon - smp.str.ptr) };
	*password = (struct span){ colon + 1, smp.str.len - user->len - 1 };
	return true;
}

/* -- small things ----------------------------------------------------------------------- */

int64_t http_number(struct span text)
{
	const char *p = text.ptr, *end = p + text.len;
	bool minus = false;
	int64_t n = 0;

	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	for (; p < end && isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, minus ? '0' - *p : *p - '0', &n))
			return minus ? INT64_MIN : INT64_MAX;
	}
	return n;
}

struct span http_pathq(struct span target)
{
	struct uri uri;

	if (target.len && *target.ptr == '/') /* as nearly all are: rules ask for it again and again */
		return target;
	if (!uri_split(target, &uri) || !uri.path.len || *uri.path.ptr != '/')
		return (struct span){ NULL, 0 };
	return (struct span){ uri.path.ptr, (size_t)(target.ptr + target.len - uri.path.ptr) };
}
