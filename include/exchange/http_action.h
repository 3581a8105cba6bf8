/* SPDX-License-Identifier: BSD-2-Clause */
/* What the actions of HTTP rules have in common: texts made by formats, the message that a rule
 * works on, and what a rewriting that fails means. For the files http_*.c. */
#ifndef EXCHANGE_HTTP_ACTION_H
#define EXCHANGE_HTTP_ACTION_H

#include "base/result.h"
#include "expr/rule_conf.h"

struct exchange;
struct logformat;
struct message;

/* A text of the configuration: fixed when it mentions nothing that changes. */
struct rule_text {
	struct span fixed;
	const struct logformat *format; /* NULL: fixed */
};

/* The next word. what: "the value of the header", for messages. 0, or -1 after a report. */
MUST_USE int rule_text_parse(struct statement *st, const struct rule *rule, const char *what,
			     struct rule_text *text);
/* The next word, which regex_expand is to be given: its own escapes count, those of values do
 * not. */
MUST_USE int rule_text_parse_replacement(struct statement *st, const struct rule *rule,
					 struct rule_text *text);
/* The same of a text that stands elsewhere (a file); word: for messages. */
MUST_USE int rule_text_compile(struct statement *st, const struct rule *rule, int word,
			       const char *source, struct rule_text *text);
/* Fixed, or in the exchange's arena. False: it is too long for any message, or there is no
 * memory for it. */
MUST_USE bool rule_text_make(const struct rule_text *text, struct view *view, struct span *made);

/* Sends what early-hint rules have collected. */
void action_send_hints(struct exchange *x);
struct exchange *action_exchange(const struct view *view);
/* The request, or in the lists of responses the response. */
struct message *action_message(const struct rule *rule, const struct view *view);
/* Is the word a field name (RFC 9110 5.1), and no name that frames messages? Warns about the
 * latter. 0, or -1 after a report. */
MUST_USE int action_field_name(struct statement *st, struct span *name);
/* Does a head that has so many bytes more still fit into a buffer, as it has to when it leaves? */
MUST_USE bool action_fits(const struct message *msg, size_t more);
/* Does the field say where a message ends? Rules never touch those. */
MUST_USE bool action_name_frames(struct span name);
/* A rewriting did not work: counted with all concerned. */
void action_count_failed(struct exchange *x);
/* That, and in strict mode the end of the exchange. */
MUST_USE enum action_result action_rewrite_failed(struct view *view);
static inline enum action_result action_rewritten(bool worked, struct view *view)
{
	return worked ? ACTION_NEXT : action_rewrite_failed(view);
}

/* Tables, by what the rows work on; their last row has no name. */
extern const struct action http_field_actions[]; /* fields, status, strict-mode */
extern const struct action http_target_actions[]; /* method and target of requests */
extern const struct action http_reply_actions[]; /* deny, return, redirect ... */
extern const struct action http_stream_actions[]; /* what is no part of a message */
extern const struct action http_pattern_actions[]; /* what ACLs and maps hold */
/* The action of "redirect" lines, whose text is no format. */
extern const struct action redirect_action;

/* Refuses the message, with the error answer of the status; it is counted as denied. */
MUST_USE enum action_result http_action_refuse(const struct rule *rule, struct view *view,
					       unsigned status);

/* The action "allow", also of the lists that stats/ runs. */
MUST_USE enum action_result http_action_allow(const struct rule *rule, struct view *view,
					      unsigned place);

#endif
