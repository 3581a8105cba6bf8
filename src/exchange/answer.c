/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the description of an answer (manual 4.2: http-request return, deny, http-error) and
 * makes replies by it. Called by the words and actions that have one. */
#include "exchange/answer.h"

#include "base/arena.h"
#include "base/err.h"
#include "exchange/errors.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "expr/logformat.h"
#include "http/message.h"
#include "stream/tune.h"

#include <errno.h>
#include <stdio.h>

/* -- files ------------------------------------------------------------------------------ */

/* The bytes of a file, at most a buffer's; NULL after a report. A NUL follows them. */
static char *read_bytes(struct statement *st, const char *path, size_t *len)
{
	const struct tune *tune = config_data(st->cfg, &tune_module);
	char *bytes = arena_alloc(st->cfg->arena, tune->bufsize + 2);
	FILE *f = fopen(path, "re");
	int failed;

	if (!f) {
		stmt_error(st, st->at - 1, "cannot open '%s': %s", path, strerror(errno));
		return NULL;
	}
	*len = fread(bytes, 1, tune->bufsize + 1, f);
	failed = ferror(f) ? errno : 0;
	fclose(f);
	if (failed) {
		stmt_error(st, st->at - 1, "cannot read '%s': %s", path, strerror(failed));
		return NULL;
	}
	if (*len <= tune->bufsize)
		return bytes;
	stmt_error(st, st->at - 1, "'%s' is larger than a buffer (tune.bufsize, %zu bytes)", path,
		   tune->bufsize);
	return NULL;
}

struct errorfile *answer_read_file(struct statement *st, const char *path, bool *empty)
{
	struct errorfile *file = arena_alloc(st->cfg->arena, sizeof(*file));
	struct err err;
	size_t len;
	char *bytes = read_bytes(st, path, &len);

	if (!bytes)
		return NULL;
	*empty = !len;
	if (!len || !errorfile_parse(bytes, len, file, &err))
		return file;
	stmt_error(st, st->at - 1, "'%s' is no response: %s", path, err.text);
	return NULL;
}

/* -- parsing ---------------------------------------------------------------------------- */

/* An answer while its words are read. */
struct parser {
	struct statement *st;
	const struct rule *rule;
	struct answer *answer;
	struct answer_field **tail;
	bool hdr;               /* it was there, be it one that stays out */
	const char *source;     /* the word that said where the body comes from; NULL: none yet */
	bool own_status;        /* "status", behind which nothing is implied (deny_status) */
	int type_at;
	int type_hdr_at;        /* "hdr content-type"; 0: none */
};

static int parse_type(struct parser *p)
{
	p->type_at = p->st->at;
	p->answer->type = stmt_need(p->st, "a content type");
	return p->answer->type ? 0 : -1;
}

/* Where the body ends the answer says by itself: such a header stays out. */
static int parse_hdr(struct parser *p)
{
	struct answer_field *f = arena_alloc(p->st->cfg->arena, sizeof(*f));

	if (action_field_name(p->st, &f->name) ||
	    rule_text_parse(p->st, p->rule, "the value of the header", &f->value))
		return -1;
	p->hdr = true;
	if (action_name_frames(f->name))
		return 0;
	if (field_id(f->name) == FIELD_CONTENT_TYPE)
		p->type_hdr_at = p->st->at - 2;
	*p->tail = f;
	p->tail = &f->next;
	return 0;
}

static int parse_file(struct parser *p, const char *path)
{
	struct answer *a = p->answer;
	bool empty;

	a->kind = ANSWER_FILE;
	a->file = answer_read_file(p->st, path, &empty);
	if (!a->file)
		return -1;
	if (empty)
		a->file = NULL;
	return 0;
}

static int parse_body(struct parser *p, const char *word, const char *text)
{
	struct answer *a = p->answer;
	size_t len = strlen(text);

	a->kind = ANSWER_TEXT;
	if (strstr(word, "file"))
		text = read_bytes(p->st, text, &len);
	if (!text)
		return -1;
	a->text.fixed = (struct span){ text, len };
	if (strncmp(word, "lf-", 3))
		return 0;
	if (strlen(text) < len)
		return stmt_error(p->st, p->st->at - 1, "a format must not have a NUL character");
	return rule_text_compile(p->st, p->rule, p->st->at - 1, text, &a->text);
}

static int parse_section(struct parser *p, const char *name)
{
	p->answer->kind = ANSWER_SECTION;
	p->answer->section_name = name;
	p->answer->loc = p->st->loc;
	errors_pending(p->st->cfg, p->answer);
	return 0;
}

/* "string <text>" and its like; the word is consumed. */
static int parse_source(struct parser *p, const char *word)
{
	const char *text;

	if (p->source)
		return stmt_error(p->st, p->st->at - 1, "'%s' says already what the body is",
				  p->source);
	p->source = word;
	if (!strcmp(word, "default-errorfiles")) {
		p->answer->kind = ANSWER_DEFAULT;
		return 0;
	}
	text = stmt_need(p->st, "what the answer is made of");
	if (!text)
		return -1;
	if (!*text)
		return stmt_error(p->st, p->st->at - 1, "'%s' must not be empty", word);
	if (!strcmp(word, "errorfile"))
		return parse_file(p, text);
	return !strcmp(word, "errorfiles") ? parse_section(p, text) : parse_body(p, word, text);
}

/* One word and what belongs to it; 1: it is none of ours. */
static int parse_option(struct parser *p)
{
	static const char *const sources[] = { "default-errorfiles", "errorfile", "errorfiles", "file",
					       "lf-file", "string", "lf-string" };
	const char *word = stmt_peek(p->st);
	size_t i;

	if (!word)
		return 1;
	stmt_next(p->st);
	p->own_status |= !strcmp(word, "status");
	if (!strcmp(word, "status") || !strcmp(word, "deny_status"))
		return stmt_int(p->st, "the status", 200, 599, &p->answer->status);
	if (!strcmp(word, "content-type"))
		return parse_type(p);
	if (!strcmp(word, "hdr"))
		return parse_hdr(p);
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (!strcmp(word, sources[i]))
			return parse_source(p, word);
	}
	p->st->at--;
	return 1;
}

/* What a body is, 'content-type' says. Without a body the header stays: answers of gRPC need it. */
static void drop_type_headers(struct parser *p)
{
	struct answer_field **f = &p->answer->fields;

	stmt_warning(p->st, p->type_hdr_at, "this header does nothing: 'content-type' says what "
		     "the body is");
	while (*f) {
		if (field_id((*f)->name) == FIELD_CONTENT_TYPE)
			*f = (*f)->next;
		else
			f = &(*f)->next;
	}
}

/* What does not go together. */
static int check_answer(struct parser *p)
{
	struct answer *a = p->answer;
	bool body = a->kind == ANSWER_TEXT && (a->text.format || a->text.fixed.len);

	if ((a->kind == ANSWER_DEFAULT || a->kind == ANSWER_SECTION) &&
	    !errors_handle((unsigned)a->status))
		return stmt_error(p->st, 0, "there is no error answer for status %d; 'string', 'file' "
				  "or 'hdr' make one", (int)a->status);
	if (body && a->status == 204)
		return stmt_error(p->st, 0, "an answer of status 204 has no body");
	if (body && !a->type)
		return stmt_error(p->st, 0, "'content-type' is missing: the answer has a body");
	if (a->type && !body)
		stmt_warning(p->st, p->type_at, "not used: %s",
			     a->kind == ANSWER_TEXT || a->kind == ANSWER_EMPTY ?
			     "the answer has no body" : "the file says what it is");
	if (body && p->type_hdr_at)
		drop_type_headers(p);
	if (a->fields && a->kind != ANSWER_TEXT && a->kind != ANSWER_EMPTY)
		stmt_warning(p->st, p->st->at - 1, "'hdr' is not used: the answer is a whole response");
	return 0;
}

int answer_parse(struct statement *st, const struct rule *rule, unsigned status,
		 enum answer_kind dflt, struct answer *answer)
{
	struct parser p = { st, rule, answer, &answer->fields, false, NULL, false, 0, 0 };
	int result;

	answer->status = status;
	do
		result = parse_option(&p);
	while (!result);
	if (result < 0)
		return -1;
	if (!answer->status)
		return stmt_error(st, st->at, "'status' is missing");
	if (!p.source && !p.hdr && !p.own_status)
		answer->kind = dflt;
	return check_answer(&p);
}

/* -- making ----------------------------------------------------------------------------- */

static struct reply *make_file(const struct errorfile *file, struct exchange *x)
{
	struct reply *reply = reply_new(x, file->status, NULL, (struct span){ NULL, 0 });
	unsigned i;

	if (!reply)
		return NULL;
	reply->reason = file->reason;
	reply->body = file->body;
	reply->close = file->close;
	for (i = 0; i < file->field_count; i++)
		reply_add(x, reply, file->fields[i].name, file->fields[i].value);
	return reply;
}

/* What does not fit becomes an error of the program. */
static struct reply *make_text(const struct answer *a, struct exchange *x, struct view *view)
{
	struct reply *reply = reply_new(x, (unsigned)a->status, NULL, (struct span){ NULL, 0 });
	const struct answer_field *f;
	struct span value;

	if (!reply)
		return NULL;
	for (f = a->fields; f; f = f->next) {
		if (!rule_text_make(&f->value, view, &value))
			return reply_builtin(x, 500);
		if (value.len) /* an empty one is left out */
			reply_add(x, reply, f->name, value);
	}
	if (a->kind == ANSWER_TEXT && !rule_text_make(&a->text, view, &reply->body))
		return reply_builtin(x, 500);
	if (reply->body.len)
		reply_add(x, reply, span_of("content-type"), span_of(a->type));
	return reply;
}

struct reply *answer_make(const struct answer *answer, struct exchange *x, struct view *view)
{
	const struct answer *other;
	struct reply *reply = NULL;

	switch (answer->kind) {
	case ANSWER_SECTION:
		if (error_section_find(answer->section, (unsigned)answer->status, &other) && other)
			return answer_make(other, x, view);
		return reply_error(x, (unsigned)answer->status);
	case ANSWER_DEFAULT:
		return reply_error(x, (unsigned)answer->status);
	case ANSWER_FILE:
		if (answer->file)
			reply = make_file(answer->file, x);
		break;
	case ANSWER_EMPTY:
	case ANSWER_TEXT:
		reply = make_text(answer, x, view);
		break;
	}
	return reply;
}
