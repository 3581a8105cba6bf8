/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 8555. Called by order.c alone. The walk through an object begins anew for each member:
 * answers are small. Members of unknown names are passed over. */
#include "acme/answers.h"

#include "base/json.h"

#include <ctype.h>
#include <string.h>

static struct json json_of(struct span body)
{
	return (struct json){ body.ptr, body.ptr + body.len };
}

/* To the member; j stays where it is. */
static bool member(const struct json *j, const char *name, struct json *to)
{
	*to = *j;
	return json_member(to, span_of(name));
}

/* A string that fits. */
static bool take_string(const struct json *j, const char *name, char *out, size_t size)
{
	struct span raw;
	struct json at;
	struct text t;

	text_init(&t, out, size);
	return member(j, name, &at) && json_string(&at, &raw) && json_unescape(raw, &t) && !t.cut &&
	       !memchr(out, 0, t.len);
}

static bool url_is_good(const char *url)
{
	const char *c;

	for (c = url; *c; c++)
		if (*c <= ' ' || *c >= 127 || *c == '"' || *c == '\\' || *c == '#')
			return false;
	return !strncmp(url, "https://", 8) || !strncmp(url, "http://", 7);
}

static bool take_url(const struct json *j, const char *name, char url[ACME_URL])
{
	return take_string(j, name, url, ACME_URL) && url_is_good(url);
}

static enum acme_status take_status(const struct json *j)
{
	static const char *const names[] = { "pending", "ready", "processing", "valid", "invalid" };
	char text[32];
	unsigned i;

	if (!take_string(j, "status", text, sizeof(text)))
		return ACME_OTHER;
	for (i = 0; i < ACME_OTHER && strcmp(names[i], text); i++)
		;
	return i;
}

/* ---- problems -------------------------------------------------------------------------------- */

/* What fits of it, as people may read it in a log. */
static void add_printable(struct text *t, const struct json *j, const char *name)
{
	char memory[ACME_TEXT];
	struct span raw;
	struct json at;
	struct text said;
	size_t i;

	text_init(&said, memory, sizeof(memory));
	if (!member(j, name, &at) || !json_string(&at, &raw) || !json_unescape(raw, &said))
		return;
	for (i = 0; i < said.len; i++)
		text_char(t, memory[i] < ' ' || memory[i] > '~' ? '?' : memory[i]);
}

static void take_type(const struct json *j, char *type, size_t size)
{
	static const char prefix[] = "urn:ietf:params:acme:error:";
	char memory[128];
	struct text t, out;
	size_t skip = 0;

	text_init(&t, memory, sizeof(memory));
	text_init(&out, type, size);
	add_printable(&t, j, "type");
	if (!strncmp(memory, prefix, strlen(prefix)))
		skip = strlen(prefix);
	text_str(&out, memory + skip);
}

static void add_subproblems(struct text *t, const struct json *j)
{
	struct json list, at;
	unsigned i;

	if (!member(j, "subproblems", &list))
		return;
	for (i = 0; i < 4; i++) {
		at = list;
		if (!json_element(&at, i))
			return;
		text_str(t, "; ");
		add_printable(t, &at, "detail");
	}
}

static bool take_problem(const struct json *j, struct acme_problem *p)
{
	struct text t;

	text_init(&t, p->text, sizeof(p->text));
	take_type(j, p->type, sizeof(p->type));
	add_printable(&t, j, "detail");
	add_subproblems(&t, j);
	return *p->type || *p->text;
}

bool acme_read_problem(struct span body, struct acme_problem *p)
{
	const struct json j = json_of(body);

	return take_problem(&j, p);
}

static void take_error(const struct json *j, struct acme_problem *p)
{
	struct json at;

	*p = (struct acme_problem){ "", "" };
	if (member(j, "error", &at))
		take_problem(&at, p);
}

/* ---- the directory --------------------------------------------------------------------------- */

bool acme_read_directory(struct span body, struct acme_directory *d)
{
	const struct json j = json_of(body);
	struct json meta, at;

	d->wants_binding = member(&j, "meta", &meta) &&
			   member(&meta, "externalAccountRequired", &at) &&
			   (json_blanks(&at), at.end - at.p >= 4) && !memcmp(at.p, "true", 4);
	return take_url(&j, "newNonce", d->new_nonce) &&
	       take_url(&j, "newAccount", d->new_account) && take_url(&j, "newOrder", d->new_order);
}

/* ---- orders ---------------------------------------------------------------------------------- */

static bool nth_url(const struct json *list, unsigned n, char url[ACME_URL])
{
	struct json at = *list;
	struct span raw;
	struct text t;

	text_init(&t, url, ACME_URL);
	return json_element(&at, n) && json_string(&at, &raw) && json_unescape(raw, &t) && !t.cut &&
	       !memchr(url, 0, t.len) && url_is_good(url);
}

bool acme_read_authorization(struct span body, unsigned n, char url[ACME_URL])
{
	const struct json j = json_of(body);
	struct json list;

	return member(&j, "authorizations", &list) && nth_url(&list, n, url);
}

bool acme_read_order(struct span body, struct acme_order_answer *o)
{
	const struct json j = json_of(body);
	struct json list, at;

	memset(o, 0, sizeof(*o));
	o->status = take_status(&j);
	take_error(&j, &o->problem);
	if (member(&j, "certificate", &at) && !take_url(&j, "certificate", o->certificate))
		return false;
	if (!take_url(&j, "finalize", o->finalize) || !member(&j, "authorizations", &list))
		return false;
	for (;; o->count++) {
		at = list;
		if (!json_element(&at, o->count))
			break;
		if (o->count == ACME_URLS)
			return false;
	}
	return o->status != ACME_OTHER;
}

/* ---- authorizations -------------------------------------------------------------------------- */

/* 8.1: digits of base64url, so that a token can be a path and a key of a map. */
static bool token_is_good(const char *token)
{
	const char *c;

	for (c = token; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
			return false;
	return c > token;
}

static bool take_challenge(const struct json *j, const char *kind, struct acme_authz *a)
{
	char type[64];

	if (!take_string(j, "type", type, sizeof(type)) || strcmp(type, kind))
		return false;
	a->offered = true;
	a->challenge = take_status(j);
	take_error(j, &a->problem);
	return true;
}

static bool take_challenges(const struct json *j, const char *kind, struct acme_authz *a)
{
	struct json list, at;
	unsigned i;

	if (!member(j, "challenges", &list))
		return false;
	for (i = 0; i < 32; i++) {
		at = list;
		if (!json_element(&at, i))
			return true;
		if (take_challenge(&at, kind, a))
			return take_url(&at, "url", a->url) &&
			       take_string(&at, "token", a->token, sizeof(a->token)) &&
			       token_is_good(a->token);
	}
	return true;
}

bool acme_read_authz(struct span body, const char *kind, struct acme_authz *a)
{
	const struct json j = json_of(body);
	struct json id;
	char *c;

	memset(a, 0, sizeof(*a));
	a->status = take_status(&j);
	if (!member(&j, "identifier", &id) || !take_string(&id, "value", a->name, sizeof(a->name)))
		return false;
	for (c = a->name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return a->status != ACME_OTHER && take_challenges(&j, kind, a);
}
