/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * h1-case-adjust, h1-case-adjust-file (manual 3.1): which letters the names of fields have for
 * peers that go by them. The codec knows no configuration: it is handed a list of names.
 */
#include "exchange/h1_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/keyword.h"
#include "exchange/bad_message.h"
#include "http/chars.h"
#include "http/h1.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct h1_conf {
	const char *case_file; /* the last one named */
	struct location case_loc;
	struct span *names;    /* in the generation's arena */
	unsigned name_count, name_room;
};

static struct h1_names adjusted;

/* ---- names ------------------------------------------------------------------------------- */

/* NULL, or what is wrong with the pair. */
static const char *check_name(const struct h1_conf *conf, struct span from, struct span to)
{
	size_t i;

	for (i = 0; i < from.len; i++)
		if (!char_is(from.ptr[i], CHAR_TOKEN))
			return "this is no name of a field";
	if (!span_equal_nocase(from, to))
		return "<from> and <to> may differ in the case of letters only";
	for (i = 0; i < conf->name_count; i++)
		if (span_equal_nocase(conf->names[i], from))
			return "this name is there already";
	return NULL;
}

static void add_name(struct config *cfg, struct h1_conf *conf, struct span to)
{
	struct span *more;

	if (conf->name_count == conf->name_room) {
		conf->name_room = conf->name_room ? conf->name_room * 2 : 16;
		more = arena_alloc(cfg->arena, conf->name_room * sizeof(*more));
		if (conf->name_count)
			memcpy(more, conf->names, conf->name_count * sizeof(*more));
		conf->names = more;
	}
	conf->names[conf->name_count++] =
		(struct span){ arena_strndup(cfg->arena, to.ptr, to.len), to.len };
}

static int parse_case(struct statement *st, const struct keyword *kw, void *object)
{
	const char *from = stmt_need(st, "the name of a field in lower case");
	const char *to = from ? stmt_need(st, "the same name with the letters wanted") : NULL;
	struct h1_conf *conf = object;
	const char *problem;

	(void)kw;
	if (!to)
		return -1;
	problem = check_name(conf, span_of(from), span_of(to));
	if (problem)
		return stmt_error(st, st->at - 1, "'%s' and '%s': %s", from, to, problem);
	add_name(st->cfg, conf, span_of(to));
	return stmt_end(st);
}

static int parse_case_file(struct statement *st, const struct keyword *kw, void *object)
{
	struct h1_conf *conf = object;

	conf->case_loc = st->loc;
	return set_string(st, kw, object);
}

/* The next word of a line; its len is 0 at the end. */
static struct span next_word(const char **p)
{
	const char *start = *p + strspn(*p, " \t\r\n");

	*p = start + strcspn(start, " \t\r\n");
	return (struct span){ start, (size_t)(*p - start) };
}

/* False: the problem was reported. */
static bool read_line(struct config *cfg, struct h1_conf *conf, const char *line, unsigned number)
{
	const char *p = line, *problem;
	struct span from = next_word(&p), to = next_word(&p), more = next_word(&p);

	if (!from.len || from.ptr[0] == '#')
		return true;
	problem = !to.len   ? "two names are expected" :
		  more.len ? "there are more than two names" :
			     check_name(conf, from, to);
	if (!problem) {
		add_name(cfg, conf, to);
		return true;
	}
	config_error(cfg, &conf->case_loc, "%s, line %u: %s", conf->case_file, number, problem);
	return false;
}

static int read_case_file(struct config *cfg, struct h1_conf *conf)
{
	FILE *f = fopen(conf->case_file, "re");
	unsigned number = 0;
	char *line = NULL;
	size_t size = 0;
	bool good = true;

	if (!f) {
		config_error(cfg, &conf->case_loc, "cannot read %s: %s", conf->case_file,
			     strerror(errno));
		return -1;
	}
	while (getline(&line, &size, f) >= 0)
		good &= read_line(cfg, conf, line, ++number);
	if (!feof(f)) {
		config_error(cfg, &conf->case_loc, "cannot read %s: %s", conf->case_file,
			     strerror(errno));
		good = false;
	}
	free(line);
	fclose(f);
	return good ? 0 : -1;
}

/* ---- for streams ------------------------------------------------------------------------- */

void letters_for_client(const struct stream *s, struct message *response)
{
	if (adjusted.count && s->origin->frontend->set.options.on & OPT_ADJUST_CLIENT)
		message_adjust_names(response, &adjusted);
}

void letters_for_server(const struct stream *s, struct message *request)
{
	if (adjusted.count && s->backend && s->backend->set.options.on & OPT_ADJUST_SERVER)
		message_adjust_names(request, &adjusted);
}

/* ---- the module -------------------------------------------------------------------------- */

static int h1_conf_finish(struct config *cfg, void *data)
{
	struct h1_conf *conf = data;

	return conf->case_file ? read_case_file(cfg, conf) : 0;
}

static int h1_conf_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct h1_conf *conf = data;

	(void)cfg;
	(void)err;
	adjusted = (struct h1_names){ conf->names, conf->name_count };
	bad_message_start();
	return 0;
}

static const struct keyword h1_keywords[] = {
	{ .name = "h1-case-adjust", .scope = SCOPE_GLOBAL, .args = "<from> <to>",
	  .parse = parse_case, .dflt = "none",
	  .help = "letters of a field's name for peers that go by them" },
	{ .name = "h1-case-adjust-file", .scope = SCOPE_GLOBAL, .args = "<file>",
	  .parse = parse_case_file, .offset = offsetof(struct h1_conf, case_file), .dflt = "none",
	  .help = "a file of such names: two a line" },
	{ .name = NULL },
};

const struct module h1_module = {
	.name = "h1",
	.keywords = h1_keywords,
	.data_size = sizeof(struct h1_conf),
	.finish = h1_conf_finish,
	.prepare = h1_conf_prepare,
};
