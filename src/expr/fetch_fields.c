/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of header fields, cookies and credentials (manual 7.3.6). Where several values have
 * the name, an ACL sees one after the other, everybody else the last one (of cookies without a
 * name and of parameters: the first). Strings are spans of the received bytes where possible. */
#include "base/err.h"
#include "expr/http.h"
#include "expr/tables.h"
#include "expr/userlist.h"
#include "expr/view.h"
#include "http/cookie.h"
#include "http/message.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <strings.h>

/* Row data: whose head, and whether commas part values. */
enum { REQUEST = 0, RESPONSE = 1, EITHER = 2, WHOSE = 3, LISTS = 4 };

static bool of_response(const struct fetch_call *call)
{
	int whose = call->row->data & WHOSE;

	return whose == RESPONSE || (whose == EITHER && call->place & AT_RESPONSE);
}

static enum expr_result found_str(struct sample *smp, struct span value)
{
	smp->str = value;
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

/* -- values ----------------------------------------------------------------------------- */

static size_t count_values(const struct message *msg, struct span name, bool lists)
{
	struct http_values walk = { 0 };
	struct span value;
	size_t n = 0;

	while (http_next_value(msg, name, lists, &walk, &value))
		n++;
	return n;
}

/* The value number n, from 1, or from the end: -1 is the last. */
static bool find_value(const struct message *msg, struct span name, bool lists, int64_t n,
		       struct span *value)
{
	struct http_values walk = { 0 };

	if (n < 0)
		n += (int64_t)count_values(msg, name, lists) + 1;
	if (n < 1)
		return false;
	while (http_next_value(msg, name, lists, &walk, value))
		if (!--n)
			return true;
	return false;
}

/* The next value of an ACL; *last: there is none behind it that anybody would ask for. */
static enum expr_result field_value(struct fetch_call *call, struct span *value, bool *last)
{
	bool lists = call->row->data & LISTS;
	struct http_values walk = { (uint32_t)call->walk[0], (uint32_t)call->walk[1] };
	int64_t n = call->args[1].type == ARG_INT ? call->args[1].num : 0;
	const struct message *msg;
	enum expr_result result;
	bool found;

	*last = n || !call->all;
	if (call->args[0].type != ARG_STR)
		return EXPR_NONE;
	result = http_head(call, of_response(call), &msg);
	if (result != EXPR_FOUND)
		return result;
	if (*last)
		return find_value(msg, call->args[0].str, lists, n ? n : -1, value) ? EXPR_FOUND
										    : EXPR_NONE;
	found = http_next_value(msg, call->args[0].str, lists, &walk, value);
	call->walk[0] = walk.field;
	call->walk[1] = walk.offset;
	return found ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_hdr(struct fetch_call *call, struct sample *smp)
{
	struct span value;
	bool last;
	enum expr_result result = field_value(call, &value, &last);

	if (result != EXPR_FOUND)
		return result;
	smp->flags |= last ? 0 : SMP_NOT_LAST;
	return found_str(smp, value);
}

/* Of the text that was found: its number. */
static enum expr_result as_number(enum expr_result result, struct sample *smp)
{
	if (result == EXPR_FOUND)
		smp->num = http_number(smp->str);
	return result;
}

static enum expr_result fetch_hdr_val(struct fetch_call *call, struct sample *smp)
{
	return as_number(fetch_hdr(call, smp), smp);
}

static enum expr_result fetch_hdr_cnt(struct fetch_call *call, struct sample *smp)
{
	struct span name = call->args[0].type == ARG_STR ? call->args[0].str : span_of("");
	const struct message *msg;
	enum expr_result result = http_head(call, of_response(call), &msg);

	if (result == EXPR_FOUND)
		smp->num = (int64_t)count_values(msg, name, call->row->data & LISTS);
	return result;
}

/* -- addresses in fields ---------------------------------------------------------------- */

/* ":80": a colon and a decimal number up to 65535. */
static bool is_port(const char *text)
{
	unsigned port = 0;

	if (*text++ != ':' || !*text)
		return false;
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			return false;
		port = port * 10 + (unsigned)(*text - '0');
		if (port > 65535)
			return false;
	}
	return true;
}

/* Takes "[" and "]" off. Fields such as Host and Forwarded write addresses of IPv6 with them. */
static bool unbracket(struct span *value)
{
	if (value->len < 2 || value->ptr[0] != '[' || value->ptr[value->len - 1] != ']')
		return false;
	value->ptr++;
	value->len -= 2;
	return true;
}

/* An IPv4 address with or without a port, or an IPv6 address with or without brackets. */
static bool parse_addr(struct span value, struct sample *smp)
{
	char text[INET6_ADDRSTRLEN + 8], *colon;
	struct in6_addr v6;
	struct in_addr v4;
	bool brackets = unbracket(&value);

	if (!value.len || value.len >= sizeof(text) || memchr(value.ptr, 0, value.len))
		return false;
	memcpy(text, value.ptr, value.len);
	text[value.len] = 0;
	if (inet_pton(AF_INET6, text, &v6) == 1) {
		smp->type = SMP_IPV6;
		smp->v6 = v6;
		return true;
	}
	colon = strchr(text, ':');
	if (brackets || (colon && !is_port(colon)))
		return false;
	if (colon)
		*colon = 0;
	smp->type = SMP_IPV4;
	return inet_pton(AF_INET, text, &v4) == 1 && ((smp->v4 = v4), true);
}

static enum expr_result fetch_hdr_ip(struct fetch_call *call, struct sample *smp)
{
	enum expr_result result;
	struct span value;
	bool last;

	do {
		result = field_value(call, &value, &last);
		if (result != EXPR_FOUND)
			return result;
		smp->flags = last ? 0 : SMP_NOT_LAST;
		if (parse_addr(value, smp))
			return EXPR_FOUND;
	} while (!last);
	return EXPR_NONE;
}

/* -- all of them ------------------------------------------------------------------------ */

static void add_lower(struct text *t, struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		text_char(t, (char)tolower((unsigned char)s.ptr[i]));
}

enum { ALL_NAMES, ALL_FIELDS, ALL_BINARY };

/* A length in the encoding of the SPOE documentation: below 240 a byte. */
static void add_varint(struct text *t, uint64_t n)
{
	if (n < 240) {
		text_char(t, (char)n);
		return;
	}
	text_char(t, (char)(n | 240));
	for (n = (n - 240) >> 4; n >= 128; n = (n - 128) >> 7)
		text_char(t, (char)(n | 128));
	text_char(t, (char)n);
}

static void add_field(struct text *t, const struct field *f, int how, char delimiter)
{
	switch (how) {
	case ALL_NAMES:
		if (t->len)
			text_char(t, delimiter);
		add_lower(t, f->name);
		break;
	case ALL_FIELDS:
		add_lower(t, f->name);
		text_str(t, ": ");
		text_add(t, f->value.ptr, f->value.len);
		text_str(t, "\r\n");
		break;
	default:
		add_varint(t, f->name.len);
		add_lower(t, f->name);
		add_varint(t, f->value.len);
		text_add(t, f->value.ptr, f->value.len);
	}
}

/* Between names: the first character of the argument. */
static char names_delimiter(const struct fetch_call *call)
{
	const struct expr_arg *arg = &call->args[0];

	return arg->type == ARG_STR && arg->str.len ? *arg->str.ptr : ',';
}

static enum expr_result fields_text(struct fetch_call *call, int how, struct sample *smp)
{
	char delimiter = names_delimiter(call);
	const struct message *msg;
	enum expr_result result = http_head(call, of_response(call), &msg);
	struct text t;
	unsigned i;

	if (result != EXPR_FOUND)
		return result;
	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			add_field(&t, &msg->fields[i], how, delimiter);
	if (how == ALL_FIELDS)
		text_str(&t, "\r\n");
	if (how == ALL_BINARY)
		text_add(&t, "\0", 2);
	if (t.cut)
		return EXPR_NONE;
	smp->str = (struct span){ t.ptr, t.len };
	return EXPR_FOUND;
}

static enum expr_result fetch_hdr_names(struct fetch_call *call, struct sample *smp)
{
	return fields_text(call, ALL_NAMES, smp);
}

static enum expr_result fetch_hdrs(struct fetch_call *call, struct sample *smp)
{
	return fields_text(call, ALL_FIELDS, smp);
}

static enum expr_result fetch_hdrs_bin(struct fetch_call *call, struct sample *smp)
{
	return fields_text(call, ALL_BINARY, smp);
}

/* -- cookies ---------------------------------------------------------------------------- */

/* The next cookie of the message behind the walk. */
static bool next_cookie(const struct message *msg, bool response, struct http_values *walk,
			struct cookie *cookie)
{
	enum field_id id = response ? FIELD_SET_COOKIE : FIELD_COOKIE;
	const struct field *f;
	size_t at;

	for (; walk->field < msg->count; walk->field++, walk->offset = 0) {
		f = &msg->fields[walk->field];
		if (f->id != id || !f->name.ptr)
			continue;
		at = walk->offset;
		if (response && !at && set_cookie_parse(f->value, cookie)) {
			walk->field++;
			return true;
		}
		if (!response && cookie_next(f->value, &at, cookie)) {
			walk->offset = (uint32_t)at;
			return true;
		}
	}
	return false;
}

/* The next one of the name; an empty name is any. One without '=' has no value, and is none. */
static bool next_named(const struct message *msg, bool response, struct span name,
		       struct http_values *walk, struct span *value)
{
	struct cookie cookie;

	while (next_cookie(msg, response, walk, &cookie)) {
		*value = cookie.value;
		if (cookie.whole.len > cookie.name.len && (!name.len || span_equal(name, cookie.name)))
			return true;
	}
	return false;
}

static struct span cookie_name(const struct fetch_call *call)
{
	return call->args[0].type == ARG_STR ? call->args[0].str : span_of("");
}

static enum expr_result fetch_cookie(struct fetch_call *call, struct sample *smp)
{
	struct http_values walk = { (uint32_t)call->walk[0], (uint32_t)call->walk[1] };
	struct span name = cookie_name(call), value, later;
	bool response = of_response(call);
	const struct message *msg;
	enum expr_result result = http_head(call, response, &msg);

	if (result != EXPR_FOUND)
		return result;
	if (!next_named(msg, response, name, &walk, &value))
		return EXPR_NONE;
	if (call->all) {
		smp->flags |= SMP_NOT_LAST;
		call->walk[0] = walk.field;
		call->walk[1] = walk.offset;
	} else {
		while (name.len && next_named(msg, response, name, &walk, &later))
			value = later;
	}
	return found_str(smp, value);
}

static enum expr_result fetch_cookie_val(struct fetch_call *call, struct sample *smp)
{
	return as_number(fetch_cookie(call, smp), smp);
}

static enum expr_result fetch_cookie_cnt(struct fetch_call *call, struct sample *smp)
{
	struct http_values walk = { 0 };
	bool response = of_response(call);
	const struct message *msg;
	enum expr_result result = http_head(call, response, &msg);
	struct span value;

	smp->num = 0;
	while (result == EXPR_FOUND && next_named(msg, response, cookie_name(call), &walk, &value))
		smp->num++;
	return result;
}

/* Those that have one. */
static enum expr_result fetch_cookie_names(struct fetch_call *call, struct sample *smp)
{
	bool response = of_response(call);
	struct http_values walk = { 0 };
	const struct message *msg;
	enum expr_result result = http_head(call, response, &msg);
	struct cookie cookie;
	struct text t;

	if (result != EXPR_FOUND)
		return result;
	text_init(&t, expr_scratch(), expr_scratch_size);
	while (next_cookie(msg, response, &walk, &cookie)) {
		if (!cookie.name.len)
			continue;
		if (t.len)
			text_char(&t, names_delimiter(call));
		text_add(&t, cookie.name.ptr, cookie.name.len);
	}
	smp->str = (struct span){ t.ptr, t.len };
	return t.cut ? EXPR_NONE : EXPR_FOUND;
}

/* -- credentials ------------------------------------------------------------------------ */

enum { AUTH_TYPE, AUTH_USER, AUTH_PASS };

/* The scheme as the registry of IANA writes it. */
static struct span scheme_name(struct span scheme)
{
	static const char *const names[] = { "Basic", "Bearer" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (scheme.len == strlen(names[i]) &&
		    !strncasecmp(scheme.ptr, names[i], scheme.len))
			return span_of(names[i]);
	return (struct span){ NULL, 0 };
}

static enum expr_result fetch_auth_type(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	struct span scheme, user, password;

	if (result != EXPR_FOUND)
		return result;
	if (!http_authorization(msg, &scheme, &user))
		return EXPR_NONE;
	scheme = scheme_name(scheme);
	if (!scheme.ptr || (scheme.len == 5 && !http_basic_auth(msg, &user, &password)))
		return EXPR_NONE;
	return found_str(smp, scheme);
}

/* User and password of the request. */
static enum expr_result credentials(struct fetch_call *call, struct span *user,
				    struct span *password)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);

	if (result == EXPR_FOUND && !http_basic_auth(msg, user, password))
		return EXPR_NONE;
	return result;
}

static enum expr_result fetch_auth_part(struct fetch_call *call, struct sample *smp)
{
	struct span user, password;
	enum expr_result result = credentials(call, &user, &password);

	if (result == EXPR_FOUND)
		smp->str = call->row->data == AUTH_USER ? user : password;
	return result;
}

/* User and password of the request, and whether they are right. */
static enum expr_result check_credentials(struct fetch_call *call, struct span *user, bool *right)
{
	struct span password;
	enum expr_result result = credentials(call, user, &password);
	enum secret said;

	if (result != EXPR_FOUND)
		return result;
	said = userlist_ask(call->args[0].userlist, *user, password, call->view->asks);
	*right = said == SECRET_RIGHT;
	call->later = said == SECRET_LATER;
	return call->later ? EXPR_WAIT : EXPR_FOUND;
}

static enum expr_result fetch_auth(struct fetch_call *call, struct sample *smp)
{
	struct span user;
	bool right = false;
	enum expr_result result = check_credentials(call, &user, &right);

	smp->num = right;
	return result;
}

/* The name of a user whose password is right; the match method looks at the groups. */
static enum expr_result fetch_auth_group(struct fetch_call *call, struct sample *smp)
{
	struct span user;
	bool right = false;
	enum expr_result result = check_credentials(call, &user, &right);

	if (result != EXPR_FOUND)
		return result;
	if (!right)
		return EXPR_NONE;
	smp->str = user;
	return EXPR_FOUND;
}

/* RFC 6750 2.1; in another field it is looked for in the same form. */
static enum expr_result fetch_bearer(struct fetch_call *call, struct sample *smp)
{
	const struct expr_arg *arg = &call->args[0];
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	struct span scheme, token;

	if (result != EXPR_FOUND)
		return result;
	if (arg->type == ARG_STR && arg->str.len) {
		if (!http_first_value(msg, arg->str, &token) || token.len < 8 ||
		    strncasecmp(token.ptr, "Bearer ", 7))
			return EXPR_NONE;
		for (token.ptr += 7, token.len -= 7; token.len && *token.ptr == ' '; token.len--)
			token.ptr++;
	} else if (!http_authorization(msg, &scheme, &token) || scheme_name(scheme).len != 6) {
		return EXPR_NONE;
	}
	return found_str(smp, token);
}

/* -- the table -------------------------------------------------------------------------- */

#define NAMED(name, kind, from, run, what, text)                                              \
	{ name, ARGS(0, ARG_STR), kind, from, run, .data = what, .help = text }
#define VALUE(name, kind, from, run, what, text)                                              \
	{ name, ARGS(0, ARG_STR, ARG_INT), kind, from, run, .data = what, .help = text }
#define REQ(macro, name, kind, run, flags, text)                                              \
	macro(name, kind, FROM_REQUEST, run, REQUEST | (flags), text)
#define RES(macro, name, kind, run, flags, text)                                              \
	macro(name, kind, FROM_RESPONSE, run, RESPONSE | (flags), text)
#define LIST(name, need, kind, run, what, text)                                               \
	{ name, ARGS(need, ARG_USERLIST), kind, FROM_REQUEST, run, .data = what, .help = text }
#define PLAIN(name, kind, from, run, what, text)                                              \
	{ name, { 0 }, kind, from, run, .data = what, .help = text }

const struct fetch fetch_fields[] = {
	REQ(NAMED, "cook", SMP_STR, fetch_cookie, 0, "as req.cook"),
	REQ(NAMED, "cook_cnt", SMP_INT, fetch_cookie_cnt, 0, "as req.cook_cnt"),
	REQ(NAMED, "cook_val", SMP_INT, fetch_cookie_val, 0, "as req.cook_val"),
	NAMED("cookie", SMP_STR, FROM_REQUEST | AT_RESPONSE, fetch_cookie, EITHER,
	      "cookie of the request, or of the response in its rules"),
	VALUE("hdr", SMP_STR, FROM_REQUEST | AT_RESPONSE, fetch_hdr, EITHER | LISTS,
	      "as req.hdr, or as res.hdr in rules of the response"),
	REQ(NAMED, "hdr_cnt", SMP_INT, fetch_hdr_cnt, LISTS, "as req.hdr_cnt"),
	REQ(VALUE, "hdr_ip", SMP_ADDR, fetch_hdr_ip, LISTS, "as req.hdr_ip"),
	REQ(VALUE, "hdr_val", SMP_INT, fetch_hdr_val, LISTS, "as req.hdr_val"),
	LIST("http_auth", 1, SMP_BOOL, fetch_auth, 0,
	     "are user and password of the request in the userlist?"),
	NAMED("http_auth_bearer", SMP_STR, FROM_REQUEST, fetch_bearer, 0,
	      "token of the scheme Bearer"),
	LIST("http_auth_group", 1, SMP_STR, fetch_auth_group, 0,
	     "user of the request, if the password is right"),
	PLAIN("http_auth_pass", SMP_STR, FROM_REQUEST, fetch_auth_part, AUTH_PASS,
	      "password of the scheme Basic, unchecked"),
	PLAIN("http_auth_type", SMP_STR, FROM_REQUEST, fetch_auth_type, AUTH_TYPE,
	      "scheme of the request's credentials"),
	PLAIN("http_auth_user", SMP_STR, FROM_REQUEST, fetch_auth_part, AUTH_USER,
	      "user of the scheme Basic, unchecked"),
	REQ(NAMED, "req.cook", SMP_STR, fetch_cookie, 0, "cookie of the request"),
	REQ(NAMED, "req.cook_cnt", SMP_INT, fetch_cookie_cnt, 0, "number of cookies"),
	REQ(NAMED, "req.cook_names", SMP_STR, fetch_cookie_names, 0, "names of all cookies"),
	REQ(NAMED, "req.cook_val", SMP_INT, fetch_cookie_val, 0, "cookie, as a number"),
	REQ(VALUE, "req.fhdr", SMP_STR, fetch_hdr, 0, "a field's whole value"),
	REQ(NAMED, "req.fhdr_cnt", SMP_INT, fetch_hdr_cnt, 0, "number of fields"),
	REQ(VALUE, "req.hdr", SMP_STR, fetch_hdr, LISTS, "a field's value, between commas"),
	REQ(NAMED, "req.hdr_cnt", SMP_INT, fetch_hdr_cnt, LISTS,
	    "number of values, between commas"),
	REQ(VALUE, "req.hdr_ip", SMP_ADDR, fetch_hdr_ip, LISTS, "address in a field"),
	REQ(NAMED, "req.hdr_names", SMP_STR, fetch_hdr_names, 0, "names of all fields"),
	REQ(VALUE, "req.hdr_val", SMP_INT, fetch_hdr_val, LISTS, "number in a field"),
	PLAIN("req.hdrs", SMP_STR, FROM_REQUEST, fetch_hdrs, REQUEST, "all fields, as text"),
	PLAIN("req.hdrs_bin", SMP_BIN, FROM_REQUEST, fetch_hdrs_bin, REQUEST,
	      "all fields, as the SPOE protocol has them"),
	RES(NAMED, "res.cook", SMP_STR, fetch_cookie, 0, "cookie that the response sets"),
	RES(NAMED, "res.cook_cnt", SMP_INT, fetch_cookie_cnt, 0,
	    "number of cookies that the response sets"),
	RES(NAMED, "res.cook_names", SMP_STR, fetch_cookie_names, 0,
	    "names of all cookies that the response sets"),
	RES(NAMED, "res.cook_val", SMP_INT, fetch_cookie_val, 0,
	    "cookie that the response sets, as a number"),
	RES(VALUE, "res.fhdr", SMP_STR, fetch_hdr, 0, "a field's whole value"),
	RES(NAMED, "res.fhdr_cnt", SMP_INT, fetch_hdr_cnt, 0, "number of fields"),
	RES(VALUE, "res.hdr", SMP_STR, fetch_hdr, LISTS, "a field's value, between commas"),
	RES(NAMED, "res.hdr_cnt", SMP_INT, fetch_hdr_cnt, LISTS,
	    "number of values, between commas"),
	RES(VALUE, "res.hdr_ip", SMP_ADDR, fetch_hdr_ip, LISTS, "address in a field"),
	RES(NAMED, "res.hdr_names", SMP_STR, fetch_hdr_names, 0, "names of all fields"),
	RES(VALUE, "res.hdr_val", SMP_INT, fetch_hdr_val, LISTS, "number in a field"),
	PLAIN("res.hdrs", SMP_STR, FROM_RESPONSE, fetch_hdrs, RESPONSE, "all fields, as text"),
	PLAIN("res.hdrs_bin", SMP_BIN, FROM_RESPONSE, fetch_hdrs_bin, RESPONSE,
	      "all fields, as the SPOE protocol has them"),
	RES(NAMED, "scook", SMP_STR, fetch_cookie, 0, "as res.cook"),
	RES(NAMED, "scook_cnt", SMP_INT, fetch_cookie_cnt, 0, "as res.cook_cnt"),
	RES(NAMED, "scook_val", SMP_INT, fetch_cookie_val, 0, "as res.cook_val"),
	RES(VALUE, "shdr", SMP_STR, fetch_hdr, LISTS, "as res.hdr"),
	RES(NAMED, "shdr_cnt", SMP_INT, fetch_hdr_cnt, LISTS, "as res.hdr_cnt"),
	RES(VALUE, "shdr_ip", SMP_ADDR, fetch_hdr_ip, LISTS, "as res.hdr_ip"),
	RES(VALUE, "shdr_val", SMP_INT, fetch_hdr_val, LISTS, "as res.hdr_val"),
	{ 0 },
};
