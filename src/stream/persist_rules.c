/* SPDX-License-Identifier: BSD-2-Clause */
/* Which persistence counts: force-persist, ignore-persist. Asked once, before a cookie or a stick
 * table is. */
#include "stream/persist_rules.h"

#include "expr/acl.h"
#include "expr/expr.h"
#include "expr/view.h"
#include "expr/watch.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/steps.h"
#include "stream/stream.h"

struct proxy_part persist_rules_part = { PROXY_PART("persist rules",
						    sizeof(struct persist_rules)),
					 .back_steps = REQUEST_FIELDS | RESPONSE_MESSAGE };

void persist_rules_apply(struct stream *s, struct stream_extra *extra)
{
	const struct persist_rules *rules = persist_rules_of(s->backend);
	const struct persist_rule *rule;
	struct view view;
	const char *word;
	bool holds;

	if (!rules)
		return;
	stream_view(s, &view, NULL);
	for (rule = rules->first; rule; rule = rule->next) {
		word = rule->ignore ? "ignore-persist" : "force-persist";
		watch_line(word, &rule->loc, s->backend, &view, false);
		holds = cond_eval(rule->cond, &view, AT_SERVER | AT_FINAL) == COND_YES;
		watch_lined(holds);
		if (!holds)
			continue;
		if (rule->ignore)
			extra->persist_ignored = true;
		else
			extra->persist_forced = true;
		return;
	}
}
