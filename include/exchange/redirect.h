/* SPDX-License-Identifier: BSD-2-Clause */
/* Redirections: what "redirect" and its action say, and the answers made by it. For the files of
 * stream/. */
#ifndef EXCHANGE_REDIRECT_H
#define EXCHANGE_REDIRECT_H

#include "base/kind.h"
#include "base/result.h"
#include "exchange/http_action.h"

struct reply;

enum redirect_kind { REDIRECT_NONE, REDIRECT_LOCATION, REDIRECT_PREFIX, REDIRECT_SCHEME };

struct redirect {
	enum redirect_kind kind;
	unsigned status;
	struct rule_text to;
	struct span cookie;     /* value of Set-Cookie; ptr NULL: none */
	bool drop_query, append_slash, ignore_empty;
	KIND_MEMBER
};

enum redirect_result { REDIRECT_MADE, REDIRECT_SKIPPED, REDIRECT_FAILED };

/* Parses "location <url> [code <n>] ..." up to the condition. formats: the text is a log format.
 * 0, or -1 after a report. */
MUST_USE int redirect_parse(struct statement *st, const struct rule *rule, bool formats,
			    struct redirect *redirect);
/* The answer to this request. SKIPPED: it would lead nowhere (ignore-empty). */
MUST_USE enum redirect_result redirect_make(const struct redirect *redirect, struct exchange *x,
					    struct view *view, struct reply **reply);

#endif
