/* SPDX-License-Identifier: BSD-2-Clause */
/* The words errorfile, errorloc, errorloc302, errorloc303, errorfiles and http-error, and the
 * sections http-errors (manual 3.8, 4.2). Asked by reply.c for each error; at run time nothing
 * is read or changed. A line that speaks of a status hides those before it. */
#include "exchange/errors.h"

#include "base/arena.h"
#include "config/suggest.h"
#include "exchange/answer.h"
#include "proxy/proxy.h"

#include <stdlib.h>

/* One line of the configuration. */
struct error_line {
	struct error_line *older;
	unsigned status;               /* 0: errorfiles, those in mask */
	const struct answer *answer;   /* NULL: what holds without the proxy's own words */
	const char *section_name;
	struct error_section *section;
	uint32_t mask;                 /* bits of known[] */
	bool all;                      /* errorfiles without codes: what the section has */
	struct location loc;
};

struct error_section {
	struct error_section *next;
	const char *name;
	struct error_line *lines;
	struct location loc;
};

struct errors_data {
	struct error_section *sections;
	struct answer *pending;
};

struct proxy_part errors_part = { PROXY_SETTINGS("errors", struct errors_conf) };

static const unsigned known[] = {
#define REPLY_NAMED 1
#define REPLY_CLOSES 2
#define REPLY(n, phrase, flags, sentence) (flags) & REPLY_NAMED ? n : 0,
#include "exchange/reply_builtin.def"
#undef REPLY
};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static int known_index(unsigned status)
{
	int i;

	for (i = 0; i < KNOWN; i++) {
		if (status && known[i] == status)
			return i;
	}
	return -1;
}

bool errors_handle(unsigned status)
{
	return known_index(status) >= 0;
}

/* -- finding ---------------------------------------------------------------------------- */

bool error_section_find(const struct error_section *section, unsigned status,
			const struct answer **answer)
{
	return errors_find(section->lines, status, answer);
}

static bool line_says(const struct error_line *line, unsigned status, const struct answer **answer)
{
	int i = known_index(status);

	if (line->status) {
		*answer = line->answer;
		return line->status == status;
	}
	return i >= 0 && line->mask & 1u << i &&
	       error_section_find(line->section, status, answer);
}

bool errors_find(const struct error_line *newest, unsigned status, const struct answer **answer)
{
	for (; newest; newest = newest->older) {
		if (line_says(newest, status, answer))
			return true;
	}
	*answer = NULL;
	return false;
}

/* -- parsing ---------------------------------------------------------------------------- */

static struct error_line *line_new(struct statement *st, struct error_line **newest)
{
	struct error_line *line = arena_alloc(st->cfg->arena, sizeof(*line));

	line->older = *newest;
	line->loc = st->loc;
	*newest = line;
	return line;
}

/* A status whose answer can be chosen. */
static int parse_status(struct statement *st, unsigned *status)
{
	const char *word = stmt_need(st, "the status of an error");
	char *end;

	if (!word)
		return -1;
	*status = (unsigned)strtoul(word, &end, 10);
	if (*end || !errors_handle(*status))
		return stmt_error(st, st->at - 1, "'%s' is no status that is answered here: 200, 400, "
				  "401, 403, 404, 405, 407, 408, 410, 413, 421, 422, 425, 429, 500, "
				  "501, 502, 503 and 504 are", word);
	return 0;
}

static struct error_line **proxy_lines(struct statement *st, void *object)
{
	struct errors_conf *conf = proxy_part_make(object, &errors_part, st->cfg->arena);

	return &conf->newest;
}

static int parse_errorfile(struct statement *st, struct error_line **newest)
{
	struct answer *answer = arena_alloc(st->cfg->arena, sizeof(*answer));
	struct error_line *line;
	const char *path;
	unsigned status;
	bool empty;

	if (parse_status(st, &status))
		return -1;
	path = stmt_need(st, "the name of a file");
	answer->kind = ANSWER_FILE;
	answer->status = status;
	answer->file = path ? answer_read_file(st, path, &empty) : NULL;
	if (!answer->file)
		return -1;
	if (empty)
		answer->file = NULL;
	line = line_new(st, newest);
	line->status = status;
	line->answer = answer;
	return stmt_end(st);
}

static int parse_errorfile_proxy(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_errorfile(st, proxy_lines(st, object));
}

static int parse_errorfile_section(struct statement *st, const struct keyword *kw, void *object)
{
	struct error_section *section = object;

	(void)kw;
	return parse_errorfile(st, &section->lines);
}

static struct answer_field *field_new(struct arena *arena, const char *name, const char *value)
{
	struct answer_field *f = arena_alloc(arena, sizeof(*f));

	f->name = span_of(name);
	f->value.fixed = span_of(value);
	return f;
}

static int parse_errorloc(struct statement *st, const struct keyword *kw, void *object)
{
	struct answer *answer = arena_alloc(st->cfg->arena, sizeof(*answer));
	struct error_line *line;
	unsigned status;
	const char *url;

	if (parse_status(st, &status))
		return -1;
	url = stmt_need(st, "a URL");
	if (!url)
		return -1;
	if (!*url || url[strcspn(url, " \t\r\n")])
		return stmt_error(st, st->at - 1, "a URL has no blanks and is not empty");
	answer->kind = ANSWER_EMPTY;
	answer->status = kw->min;
	answer->fields = field_new(st->cfg->arena, "Cache-Control", "no-cache");
	answer->fields->next = field_new(st->cfg->arena, "Location", url);
	line = line_new(st, proxy_lines(st, object));
	line->status = status;
	line->answer = answer;
	return stmt_end(st);
}

static int parse_errorfiles(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of an http-errors section");
	struct error_line *line;
	unsigned status;

	(void)kw;
	if (!name)
		return -1;
	line = line_new(st, proxy_lines(st, object));
	line->section_name = name;
	line->all = !stmt_peek(st);
	if (line->all)
		line->mask = UINT32_MAX;
	while (stmt_peek(st)) {
		if (parse_status(st, &status))
			return -1;
		line->mask |= 1u << known_index(status);
	}
	return 0;
}

static int parse_http_error(struct statement *st, const struct keyword *kw, void *object)
{
	struct answer *answer = arena_alloc(st->cfg->arena, sizeof(*answer));
	struct rule context = { .proxy = object, .where = AT_REQUESTS, .list = kw->name };
	struct error_line *line;

	if (answer_parse(st, &context, 0, ANSWER_EMPTY, answer) || stmt_end(st))
		return -1;
	if (!errors_handle((unsigned)answer->status))
		return stmt_error(st, 0, "status %d is none that is answered here",
				  (int)answer->status);
	line = line_new(st, proxy_lines(st, object));
	line->status = (unsigned)answer->status;
	if (answer->kind != ANSWER_DEFAULT)
		line->answer = answer;
	return 0;
}

/* -- sections --------------------------------------------------------------------------- */

static struct error_section *section_find(const struct errors_data *data, const char *name)
{
	struct error_section *section;

	for (section = data->sections; section; section = section->next) {
		if (!strcmp(section->name, name))
			return section;
	}
	return NULL;
}

static void *section_begin(struct statement *st)
{
	struct errors_data *data = config_data(st->cfg, &errors_module);
	const char *name = stmt_need(st, "the name of the section");
	struct error_section *section;

	if (!name || stmt_end(st))
		return NULL;
	section = section_find(data, name);
	if (section) {
		stmt_error(st, 1, "there is a section http-errors '%s' already, at %s:%u", name,
			   section->loc.file, section->loc.line);
		return NULL;
	}
	section = arena_alloc(st->cfg->arena, sizeof(*section));
	section->name = name;
	section->loc = st->loc;
	section->next = data->sections;
	data->sections = section;
	return section;
}

void errors_pending(struct config *cfg, struct answer *answer)
{
	struct errors_data *data = config_data(cfg, &errors_module);

	answer->next = data->pending;
	data->pending = answer;
}

static struct error_section *section_need(struct config *cfg, const struct errors_data *data,
					  const char *name, const struct location *loc)
{
	struct error_section *section = section_find(data, name), *s;
	struct location at = config_locate(cfg, loc, name);
	struct suggestion near;

	if (section)
		return section;
	config_error(cfg, &at, "there is no section 'http-errors %s'", name);
	near = suggest_for(cfg, name);
	for (s = data->sections; s; s = s->next)
		suggest_name(&near, s->name);
	suggest_end(&near);
	return NULL;
}

static void check_status(struct config *cfg, const struct error_section *section, unsigned status,
			 const struct location *loc)
{
	const struct answer *answer;

	if (!error_section_find(section, status, &answer))
		config_warning(cfg, loc, "the section 'http-errors %s' has no answer for status %u",
			       section->name, status);
}

static int finish_line(struct config *cfg, const struct errors_data *data, struct error_line *line)
{
	int i;

	if (!line->section_name || line->section)
		return 0;
	line->section = section_need(cfg, data, line->section_name, &line->loc);
	if (!line->section)
		return -1;
	for (i = 0; i < KNOWN && !line->all; i++) {
		if (line->mask & 1u << i)
			check_status(cfg, line->section, known[i], &line->loc);
	}
	return 0;
}

static int finish_proxies(struct config *cfg, const struct errors_data *data,
			  const struct list *proxies)
{
	struct error_line *line;
	struct proxy *px;
	int bad = 0;

	list_for_each(px, proxies, node) {
		for (line = errors_lines(px); line; line = line->older)
			bad |= finish_line(cfg, data, line);
	}
	return bad;
}

static int errors_finish(struct config *cfg, void *module_data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct errors_data *data = module_data;
	struct answer *a;
	int bad = finish_proxies(cfg, data, &all->list) | finish_proxies(cfg, data, &all->defaults);

	for (a = data->pending; a; a = a->next) {
		a->section = section_need(cfg, data, a->section_name, &a->loc);
		if (!a->section)
			bad = -1;
		else
			check_status(cfg, a->section, (unsigned)a->status, &a->loc);
	}
	return bad;
}

#define ERRORLOC(text, code)                                                                  \
	{ .name = text, .scope = SCOPE_PROXY, .args = "<status> <url>",                        \
	  .parse = parse_errorloc, .min = code, .max = code,                                   \
	  .help = "redirects to a URL where the program would answer with an error" }

static const struct keyword keywords[] = {
	{ .name = "errorfile", .scope = SCOPE_PROXY, .args = "<status> <file>",
	  .parse = parse_errorfile_proxy,
	  .help = "the file of the whole answer to an error; an empty one: silence" },
	{ .name = "errorfile", .scope = SCOPE_ERRORS, .args = "<status> <file>",
	  .parse = parse_errorfile_section,
	  .help = "the file of the whole answer to an error; an empty one: silence" },
	ERRORLOC("errorloc", 302),
	ERRORLOC("errorloc302", 302),
	ERRORLOC("errorloc303", 303),
	{ .name = "errorfiles", .scope = SCOPE_PROXY, .args = "<section> [<status> ...]",
	  .parse = parse_errorfiles, .help = "takes over the answers of an http-errors section" },
	{ .name = "http-error", .scope = SCOPE_PROXY,
	  .args = "{ status <status> } [<answer>] [hdr <name> <format>]*",
	  .parse = parse_http_error, .help = "describes the answer to an error" },
	{ 0 },
};

static const struct section sections[] = {
	{ "http-errors", SCOPE_ERRORS, section_begin, NULL,
	  "answers to errors that proxies take over" },
	{ 0 },
};

const struct module errors_module = {
	.name = "errors",
	.keywords = keywords,
	.sections = sections,
	.data_size = sizeof(struct errors_data),
	.finish = errors_finish,
};
