/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules, conditions and expressions tell of themselves while somebody watches: src/explain/.
 * `watch' is NULL but while the steps of a stream that is watched run, so that the others pay one
 * test that is always false. Whoever watches changes nothing, and evaluates nothing. */
#ifndef EXPR_WATCH_H
#define EXPR_WATCH_H

#include "base/bug.h"
#include "base/str.h"
#include "expr/acl.h"
#include "expr/expr.h"
#include "expr/rule_conf.h"

struct pattern;
struct pattern_set;
struct proxy;
struct sample;
struct var_name;
struct view;

struct watch {
	/* A rule of a list is reached; it has held, or not, and its action has said so (ACTION_NEXT
	 * where it did not run). What is told in between belongs to the rule. */
	void (*rule)(const struct rule *rule, const struct view *view);
	void (*ruled)(const struct rule *rule, const struct view *view, enum action_result said);
	/* The same of a line that chooses: use_backend, use-server. chosen: it names that. */
	void (*choice)(const char *word, const struct location *loc, const struct view *view);
	void (*chosen)(const char *name, bool taken);
	/* The same of a line of this section that is neither: "stick on", "monitor fail". lined: it
	 * has had its effect. says: what that was, or what was found. */
	void (*line)(const char *word, const struct location *loc, const struct proxy *section,
		     const struct view *view, bool is_response);
	void (*lined)(bool held);
	void (*says)(const char *name, const char *text);
	/* A condition was evaluated: that of the rule, line or choice that was told of last. */
	void (*cond)(enum cond_result result);
	/* An ACL is asked; name NULL: it has none. What is told up to asked belongs to it. */
	void (*acl)(const char *name, const struct location *loc);
	void (*asked)(enum cond_result result);
	/* An expression was evaluated. smp: only where EXPR_FOUND. */
	void (*sample)(const struct expr *e, enum expr_result result, const struct sample *smp);
	/* A value was looked up among patterns; p NULL: none matched. */
	void (*pattern)(const struct pattern_set *set, const struct pattern *p);
	/* A variable was set; smp NULL: unset. */
	void (*variable)(const struct var_name *name, const struct sample *smp);
};

extern const struct watch *watch;

static inline void watch_line(const char *word, const struct location *loc,
			      const struct proxy *section, const struct view *view,
			      bool is_response)
{
	if (unlikely(watch != NULL))
		watch->line(word, loc, section, view, is_response);
}

static inline void watch_lined(bool held)
{
	if (unlikely(watch != NULL))
		watch->lined(held);
}

static inline void watch_says(const char *name, const char *text)
{
	if (unlikely(watch != NULL))
		watch->says(name, text);
}

#endif
