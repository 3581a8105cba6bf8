/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers as the configuration describes them: what deny, tarpit, return and http-error have
 * behind them, and the files of errorfile. Parsed here, made into a reply for each request. */
#ifndef EXCHANGE_ANSWER_H
#define EXCHANGE_ANSWER_H

#include "base/kind.h"
#include "base/result.h"
#include "exchange/http_action.h"
#include "http/errorfile.h"

struct error_section;
struct reply;

enum answer_kind {
	ANSWER_EMPTY,   /* status and fields alone */
	ANSWER_DEFAULT, /* the error answer of the proxy */
	ANSWER_FILE,    /* a whole response of a file; file NULL: the file is empty, silence */
	ANSWER_SECTION, /* the same of an http-errors section; it has none: ANSWER_DEFAULT */
	ANSWER_TEXT,    /* a body of the type */
};

struct answer_field {
	struct answer_field *next;
	struct span name;
	struct rule_text value;
};

struct answer {
	enum answer_kind kind;
	int64_t status;
	const char *type;
	struct rule_text text;
	struct answer_field *fields;
	struct errorfile *file;
	const char *section_name;
	struct error_section *section; /* looked up when all files are read */
	struct answer *next;       /* of those that wait for that */
	struct location loc;
	KIND_MEMBER
};

/* Parses "[status <code>] [content-type <type>] ... [hdr <name> <fmt>]*" as far as it goes. status:
 * the default; 0: a status must be given. dflt: the kind of answer where nothing is given, or
 * deny_status alone. 0, or -1 after a report. */
MUST_USE int answer_parse(struct statement *st, const struct rule *rule, unsigned status,
			  enum answer_kind dflt, struct answer *answer);
/* The file as a whole response. NULL after a report; *empty: it has no byte. */
struct errorfile *answer_read_file(struct statement *st, const char *path, bool *empty);
/* The reply, in the exchange's arena. NULL: silence. */
struct reply *answer_make(const struct answer *answer, struct exchange *x, struct view *view);

#endif
