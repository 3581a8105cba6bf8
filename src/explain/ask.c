/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of "penstock explain" (explain/ask.h): a table of options, and a request in the form
 * that people write it. Called by run.c; touches nothing but files that are named. */
#include "explain/ask.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/suggest.h"
#include "explain/h2_client.h"
#include "http/message.h"
#include "http/websocket.h"
#include "tls/base64.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

struct option {
	const char *name, *value; /* value NULL: none follows */
	int (*take)(struct ask *ask, const struct option *o, const char *value, struct err *err);
	size_t offset;
	const char *help;
};

/* ---- values ------------------------------------------------------------------------------ */

static void *option_field(struct ask *ask, const struct option *o)
{
	return (char *)ask + o->offset;
}

static int take_text(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	(void)err;
	*(const char **)option_field(ask, o) = value;
	return 0;
}

static int take_flag(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)option_field(ask, o) = true;
	return 0;
}

static int take_list(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	struct ask_list *list = option_field(ask, o);

	if (list->count == ASK_MOST)
		return err_set(err, "%s: %u times at most", o->name, ASK_MOST);
	list->items[list->count++] = value;
	return 0;
}

/* "name: value" of the request, or behind --server-answers of the answer. */
static int take_header(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	struct ask_list *list = ask->answer_given ? &ask->answer_fields : &ask->fields;
	const char *colon = strchr(value, ':');

	if (!colon || colon == value || strpbrk(value, "\r\n"))
		return err_set(err, "%s: 'NAME: VALUE' is expected, not '%s'", o->name, value);
	if (list->count == ASK_MOST)
		return err_set(err, "%s: %u times at most", o->name, ASK_MOST);
	list->items[list->count++] = value;
	return 0;
}

static int take_pair(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	const char *equal = strchr(value, '=');

	if (!equal || equal == value || strpbrk(value, "\r\n"))
		return err_set(err, "%s: %s is expected, not '%s'", o->name, o->value, value);
	return take_list(ask, o, value, err);
}

static int take_addr(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	struct addr_spec spec;
	struct in6_addr v6;
	struct err why;

	if (value[0] == '/' || !strncmp(value, "unix@", 5)) {
		if (o->offset != offsetof(struct ask, to))
			return err_set(err, "%s: an address is expected, not '%s'", o->name, value);
		ask->to_path = value;
		return 0;
	}
	if (o->offset == offsetof(struct ask, from) && inet_pton(AF_INET6, value, &v6) == 1) {
		ask->from =
			(struct addr){ .family = AF_INET6, .v6 = v6 }; /* no port, no brackets */
		return 0;
	}
	if (addr_parse(value, ADDR_STAR, ask->arena, &spec, &why) || spec.addr.family == AF_UNSPEC)
		return err_set(err, "%s: ADDRESS[:PORT] is expected, not '%s'", o->name, value);
	*(struct addr *)option_field(ask, o) = spec.addr;
	return 0;
}

static int take_status(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	int64_t status;

	if (!str_to_int(value, 101, 999, &status) || (status > 101 && status < 200))
		return err_set(err, "%s: 101 or a status from 200 to 999 is expected, not '%s'",
			       o->name, value);
	ask->status = (unsigned)status;
	ask->answer_given = true;
	return 0;
}

static int take_version(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	ask->h2 = !strcmp(value, "2");
	if (!ask->h2 && strcmp(value, "1.0") != 0 && strcmp(value, "1.1") != 0)
		return err_set(err, "%s: 1.0, 1.1 or 2 is expected, not '%s'", o->name, value);
	ask->version = ask->h2 ? "1.1" : value;
	return 0;
}

static int take_format(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	if (strcmp(value, "json") != 0 && strcmp(value, "text") != 0)
		return err_set(err, "%s: '%s' is no format; there are text and json", o->name,
			       value);
	ask->json = *value == 'j';
	return 0;
}

static int take_colour(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	(void)value;
	(void)err;
	ask->colour = !strcmp(o->name, "--colour");
	return 0;
}

static int file_read(const char *name, struct span *text, struct arena *arena, struct err *err)
{
	enum { MOST = 1 << 20 };
	FILE *in = !strcmp(name, "-") ? stdin : fopen(name, "re");
	char *memory;

	if (!in)
		return err_set(err, "cannot read '%s': %s", name, strerror(errno));
	memory = arena_alloc(arena, MOST);
	*text = (struct span){ memory, fread(memory, 1, MOST, in) };
	if (ferror(in))
		err_set(err, errno == EISDIR ? "'%s' is a folder" : "cannot read '%s': %s", name,
			strerror(errno));
	else if (!feof(in))
		err_set(err, "'%s' is larger than 1 MB", name);
	memory = feof(in) ? memory : NULL;
	if (in != stdin)
		fclose(in);
	return memory ? 0 : -1;
}

/* "-" is stdin. */
static const char *file_of(const struct ask *ask, const char *name)
{
	return !ask->folder || *name == '/' || !strcmp(name, "-") ?
		       name : arena_printf(ask->arena, "%s/%s", ask->folder, name);
}

static int take_file(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	(void)err;
	*(const char **)option_field(ask, o) = file_of(ask, value);
	return 0;
}

static int take_path(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	return take_list(ask, o, file_of(ask, value), err);
}

static int take_body(struct ask *ask, const struct option *o, const char *value, struct err *err)
{
	struct span *to = option_field(ask, o);

	if (to == &ask->body)
		ask->has_body = true;
	if (to == &ask->bytes)
		ask->has_bytes = true;
	return file_read(file_of(ask, value), to, ask->arena, err);
}

#define TEXT(field) .take = take_text, .offset = offsetof(struct ask, field)
#define FLAG(field) .take = take_flag, .offset = offsetof(struct ask, field)
#define LIST(field) .take = take_list, .offset = offsetof(struct ask, field)
#define PAIRS(field) .take = take_pair, .offset = offsetof(struct ask, field)

static const struct option options[] = {
	{ "-f", "FILE|FOLDER", .take = take_path, .offset = offsetof(struct ask, paths),
	  .help = "the configuration; may be repeated" },
	{ "-C", "FOLDER", .take = take_file, .offset = offsetof(struct ask, directory),
	  .help = "changes to this folder first" },
	{ "--from", "ADDRESS[:PORT]", .take = take_addr, .offset = offsetof(struct ask, from),
	  .help = "where the client is (198.51.100.7:40000)" },
	{ "--to", "ADDRESS:PORT|PATH", .take = take_addr, .offset = offsetof(struct ask, to),
	  .help = "where it connects to: that of a bind line" },
	{ "--frontend", "NAME", TEXT(frontend),
	  .help = "the first bind line of this section that "
		  "fits" },
	{ "--sni", "NAME", TEXT(sni), .help = "the name that TLS asks for (that of the URL)" },
	{ "--cert", "FILE", .take = take_file, .offset = offsetof(struct ask, cert),
	  .help = "the client's certificate and key, in PEM" },
	{ "-H", "'NAME: VALUE'", .take = take_header,
	  .help = "a header of the request; behind --server-answers, of the answer" },
	{ "--cookie", "NAME=VALUE", PAIRS(cookies), .help = "a cookie of the request" },
	{ "--body", "FILE", .take = take_body, .offset = offsetof(struct ask, body),
	  .help = "the body of the request; -: what stdin gives" },
	{ "--http", "1.0|1.1|2", .take = take_version,
	  .help = "the version of the request (1.1); by TLS 2 where the bind line agrees" },
	{ "--set", "VARIABLE=VALUE", PAIRS(variables),
	  .help = "a variable, before the first rule: proc., sess., txn. or req." },
	{ "--down", "[BACKEND/]SERVER", LIST(down), .help = "this server is down" },
	{ "--server-answers", "STATUS", .take = take_status,
	  .help = "what the server answers "
		  "(200)" },
	{ "--answer-body", "FILE", .take = take_body, .offset = offsetof(struct ask, answer_body),
	  .help = "the body of its answer; in mode tcp, what it says" },
	{ "--bytes", "FILE", .take = take_body, .offset = offsetof(struct ask, bytes),
	  .help = "the client says these bytes, and no request" },
	{ "--hello", NULL, FLAG(hello),
	  .help = "the client says a ClientHello, with the name of "
		  "--sni" },
	{ "--alpn", "PROTOCOL", TEXT(alpn), .help = "which that ClientHello offers" },
	{ "--expect", "WHAT=VALUE", LIST(expects),
	  .help = "exit 1 unless: frontend, backend, server, status, end, log, 'header NAME', "
		  "'request-header NAME', 'var NAME'" },
	{ "--format", "text|json", .take = take_format, .help = "how it is told" },
	{ "-v", NULL, FLAG(all), .help = "rules that did not hold, too" },
	{ "-q", NULL, FLAG(quiet), .help = "nothing but expectations that do not hold" },
	{ "--colour", NULL, .take = take_colour,
	  .help = "colours also where stdout is no terminal" },
	{ "--no-colour", NULL, .take = take_colour, .help = "no colours" },
};

void ask_usage(FILE *out)
{
	char left[64];
	size_t i;

	for (i = 0; i < ARRAY_LEN(options); i++) {
		snprintf(left, sizeof(left), "%s %s", options[i].name,
			 options[i].value ? options[i].value : "");
		fprintf(out, strlen(left) > 26 ? "  %s\n%29s%s\n" : "  %-26s %s%s\n", left, "",
			options[i].help);
	}
}

/* ---- the request ------------------------------------------------------------------------- */

static bool is_method(const char *word)
{
	const char *c;

	for (c = word; isupper((unsigned char)*c) || *c == '-'; c++)
		;
	return c > word && !*c;
}

/* What stands behind the host, if something does. */
static int check_port(const char *url, const char *host, struct err *err)
{
	const char *colon = strrchr(host, ':');
	int64_t port;

	if (!colon || !colon[1] || strchr(colon, ']') || str_to_int(colon + 1, 1, 65535, &port))
		return 0;
	return err_set(err, "'%s': '%s' is no port: a number from 1 to 65535 is expected", url,
		       colon + 1);
}

/* "https://host:port/path": scheme, host and port are taken out of it; "/path" stays. */
static int take_url(struct ask *ask, const char *url, struct err *err)
{
	const char *slashes = strstr(url, "://"), *rest, *at;
	size_t len;

	if (!slashes) {
		ask->target = url;
		return *url == '/' || *url == '*' || !strcmp(ask->method, "CONNECT")
			       ? 0
			       : err_set(err,
					 "'%s' is neither a URL (http://HOST/PATH) nor a path "
					 "(/PATH)",
					 url);
	}
	ask->scheme = arena_strndup(ask->arena, url, (size_t)(slashes - url));
	if (strcasecmp(ask->scheme, "http") && strcasecmp(ask->scheme, "https"))
		return err_set(err, "'%s': http:// or https:// is expected", url);
	slashes += 3;
	len = strcspn(slashes, "/?#");
	at = memrchr(slashes, '@', len);
	if (at) {
		ask->user = arena_strndup(ask->arena, slashes, (size_t)(at - slashes));
		len -= (size_t)(at + 1 - slashes);
		slashes = at + 1;
	}
	ask->host = arena_strndup(ask->arena, slashes, len);
	if (!*ask->host)
		return err_set(err, "'%s' names no host", url);
	if (*ask->host == '[' && !strchr(ask->host, ']'))
		return err_set(err, "'%s': the ']' behind the address is missing", url);
	if (check_port(url, ask->host, err) < 0)
		return -1;
	rest = slashes + len;
	ask->target = *rest == '/'
			      ? arena_strndup(ask->arena, rest, strcspn(rest, "#"))
			      : arena_printf(ask->arena, "/%.*s", (int)strcspn(rest, "#"), rest);
	return 0;
}

static int take_word(struct ask *ask, const char *word, struct err *err)
{
	const char *blank = strchr(word, ' ');

	if (strpbrk(word, "\r\n"))
		return err_set(err, "a request is one line");
	if (ask->target)
		return err_set(err, "'%s' is one word too many: the request is '%s %s' already",
			       word, ask->method, ask->target);
	if (blank) {
		ask->method = arena_strndup(ask->arena, word, (size_t)(blank - word));
		return take_url(ask, blank + 1 + strspn(blank + 1, " "), err);
	}
	if (is_method(word) && !ask->method) {
		ask->method = word;
		return 0;
	}
	if (!ask->method)
		ask->method = "GET";
	return take_url(ask, word, err);
}

static unsigned host_port(const struct ask *ask)
{
	const char *colon = ask->host ? strrchr(ask->host, ':') : NULL;
	int64_t port;

	if (colon && !strchr(colon, ']') && str_to_int(colon + 1, 1, 65535, &port))
		return (unsigned)port;
	return !ask->scheme ? 0 : strcasecmp(ask->scheme, "https") ? 80 : 443;
}

/* What was not given. */
static void ask_complete(struct ask *ask)
{
	char *colon;

	ask->port = host_port(ask);
	if (ask->from.family == AF_UNSPEC) {
		ask->from.family = AF_INET;
		ask->from.v4.s_addr = htonl(0xc6336407); /* 198.51.100.7: RFC 5737 */
	}
	if (!ask->from.port)
		ask->from.port = 40000;
	if (!ask->sni && ask->host) {
		ask->sni = arena_strdup(ask->arena, ask->host);
		colon = strrchr(ask->sni, ':');
		if (colon)
			*colon = 0;
	}
}

static const struct option *option_find(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(options); i++)
		if (!strcmp(options[i].name, word))
			return &options[i];
	return NULL;
}

bool ask_has(const char *word)
{
	return option_find(word) != NULL;
}

bool ask_meant(const char *word, const char *own, struct text *t)
{
	struct suggestion near = suggest_begin(word);
	size_t i;

	suggest_name(&near, own);
	for (i = 0; i < ARRAY_LEN(options); i++)
		suggest_name(&near, options[i].name);
	return suggest_put(&near, t);
}

/* What would be dropped without a word. */
static int ask_contradicts(const struct ask *ask, struct err *err)
{
	bool tls = ask->scheme && !strcasecmp(ask->scheme, "https");

	if (ask->has_bytes && ask->hello)
		return err_set(err,
			       "--bytes and --hello exclude each other: both are what the client "
			       "says first");
	if (ask->alpn && !ask->hello && !tls)
		return err_set(
			err, "--alpn: there is no ClientHello to offer it: --hello, or a URL with "
			     "https:// to a line of mode tcp");
	return 0;
}

static int option_unknown(const char *word, struct err *err)
{
	char memory[128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (ask_meant(word, NULL, &t))
		return err_set(err, "'%s' is no option of explain; did you mean %s?", word, t.ptr);
	return err_set(err, "'%s' is no option of explain; 'penstock help explain' lists them",
		       word);
}

int ask_parse(struct ask *ask, const char *const *words, unsigned count, struct err *err)
{
	const struct option *o;
	const char *value;
	unsigned i;

	*ask = (struct ask){ .arena = ask->arena, .folder = ask->folder, .sure = ask->sure,
			     .version = "1.1", .status = 200, .colour = -1,
			     .from.family = AF_UNSPEC, .to.family = AF_UNSPEC };
	for (i = 0; i < count; i++) {
		if (words[i][0] != '-') {
			if (take_word(ask, words[i], err) < 0)
				return -1;
			continue;
		}
		o = option_find(words[i]);
		if (!o)
			return option_unknown(words[i], err);
		value = o->value ? i + 1 < count ? words[++i] : NULL : "";
		if (!value)
			return err_set(err, "%s needs %s", o->name, o->value);
		if (o->take(ask, o, value, err) < 0)
			return -1;
	}
	if (ask->method && !ask->target)
		return err_set(err, "behind '%s' a URL or a path is expected", ask->method);
	if (ask_contradicts(ask, err) < 0)
		return -1;
	if (ask->h2 && ask->body.len > H2_CLIENT_BODY)
		return err_set(err, "--body: as HTTP/2, %d bytes are sent at most", H2_CLIENT_BODY);
	ask_complete(ask);
	return 0;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* The value of the first; NULL: there is none. */
static const char *find_field(const struct ask_list *list, const char *name)
{
	size_t len = strlen(name);
	const char *value;
	unsigned i;

	for (i = 0; i < list->count; i++)
		if (!strncasecmp(list->items[i], name, len) && list->items[i][len] == ':') {
			value = list->items[i] + len + 1;
			return value + strspn(value, " \t");
		}
	return NULL;
}

static bool has_field(const struct ask_list *list, const char *name)
{
	return find_field(list, name);
}

static void put(struct bytes *b, const char *name, const char *value)
{
	bytes_str(b, name);
	bytes_str(b, value);
	bytes_str(b, "\r\n");
}

static void put_list(struct bytes *b, const struct ask_list *list)
{
	unsigned i;

	for (i = 0; i < list->count; i++)
		put(b, list->items[i], "");
}

static void put_cookies(struct bytes *b, const struct ask_list *list)
{
	unsigned i;

	for (i = 0; i < list->count; i++) {
		bytes_str(b, i ? "; " : "Cookie: ");
		bytes_str(b, list->items[i]);
	}
	if (i)
		bytes_str(b, "\r\n");
}

static void put_length(struct bytes *b, size_t len)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", len);
	put(b, "Content-Length: ", number);
}

/* RFC 7617. What is escaped in the URL is not in the field. */
static void put_user(struct bytes *b, const struct ask *ask)
{
	size_t size = 2 * strlen(ask->user) + 16;
	char *user = arena_alloc(ask->arena, size), *value = arena_alloc(ask->arena, size);
	const char *c;
	struct text t;
	unsigned byte;

	text_init(&t, user, size);
	for (c = ask->user; *c; c++) {
		if (*c == '%' && isxdigit((unsigned char)c[1]) &&
		    sscanf(c + 1, "%2x", &byte) == 1 && isxdigit((unsigned char)c[2])) {
			text_char(&t, (char)byte);
			c += 2;
		} else {
			text_char(&t, *c);
		}
	}
	if (!strchr(ask->user, ':'))
		text_char(&t, ':');
	size = t.len;
	text_init(&t, value, 2 * strlen(ask->user) + 16);
	base64_encode(&t, user, size);
	put(b, "Authorization: Basic ", value);
}

/* RFC 9110 7.2: of CONNECT it is the target. */
static const char *host_field(const struct ask *ask)
{
	if (ask->host)
		return ask->host;
	return strcmp(ask->method, "CONNECT") ? "localhost" : ask->target;
}

struct span ask_request(const struct ask *ask, bool bytes)
{
	bool hello = ask->hello || (bytes && ask->scheme && !strcasecmp(ask->scheme, "https"));
	struct bytes b = { NULL, 0, 0 };

	if (ask->has_bytes)
		return ask->bytes;
	bytes_str(&b, "");
	if (hello)
		inside_hello(ask->sni, ask->alpn, &b);
	if (hello || !ask->method)
		return (struct span){ b.ptr, b.len };
	bytes_str(&b, ask->method);
	bytes_str(&b, " ");
	bytes_str(&b, ask->target);
	put(&b, " HTTP/", ask->version);
	if (!has_field(&ask->fields, "host") && (ask->host || !strcmp(ask->version, "1.1")))
		put(&b, "Host: ", host_field(ask));
	if (ask->user && !has_field(&ask->fields, "authorization"))
		put_user(&b, ask);
	put_list(&b, &ask->fields);
	put_cookies(&b, &ask->cookies);
	if (ask->has_body && !has_field(&ask->fields, "content-length") &&
	    !has_field(&ask->fields, "transfer-encoding"))
		put_length(&b, ask->body.len);
	bytes_str(&b, "\r\n");
	bytes_add(&b, ask->body.ptr, ask->body.len);
	return (struct span){ b.ptr, b.len };
}

/* What WebSocket begins with (RFC 6455 4.2.2), as far as nothing else was said. */
static void put_switch(struct bytes *b, const struct ask *ask)
{
	const char *key = find_field(&ask->fields, "sec-websocket-key");
	char accept[WEBSOCKET_ACCEPT + 1] = "";

	if (has_field(&ask->answer_fields, "upgrade"))
		return;
	put(b, "Connection: ", "Upgrade");
	put(b, "Upgrade: ", "websocket");
	if (!key || has_field(&ask->answer_fields, "sec-websocket-accept"))
		return;
	websocket_accept(span_of(key), accept);
	put(b, "Sec-WebSocket-Accept: ", accept);
}

struct span ask_answer(const struct ask *ask)
{
	struct bytes b = { NULL, 0, 0 };
	char line[32];

	snprintf(line, sizeof(line), "HTTP/1.1 %u ", ask->status);
	put(&b, line, status_reason(ask->status));
	put_list(&b, &ask->answer_fields);
	if (ask->status == 101)
		put_switch(&b, ask);
	if (ask->status != 101 && ask->status != 204 && ask->status != 304 &&
	    !has_field(&ask->answer_fields, "content-length") &&
	    !has_field(&ask->answer_fields, "transfer-encoding"))
		put_length(&b, ask->answer_body.len);
	bytes_str(&b, "\r\n");
	bytes_add(&b, ask->answer_body.ptr, ask->answer_body.len);
	return (struct span){ b.ptr, b.len };
}
