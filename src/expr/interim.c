/* SPDX-License-Identifier: BSD-2-Clause */
/* No rules are parsed yet: every set is empty. Until expr/rule.c stands in its place. */
#include "expr/rule.h"

#include "base/bug.h"

enum rule_result rules_run(const struct rule_set *set, const struct view *view,
			   struct rule_place *place, bool final)
{
	(void)view;
	(void)place;
	(void)final;
	BUG_ON(set != NULL);
	return RULES_PASS;
}

struct proxy *switch_backend(const struct proxy *frontend, const struct view *view)
{
	(void)frontend;
	(void)view;
	return NULL;
}

struct server *use_server(const struct proxy *backend, const struct view *view)
{
	(void)backend;
	(void)view;
	return NULL;
}
