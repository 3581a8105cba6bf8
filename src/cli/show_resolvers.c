/* SPDX-License-Identifier: BSD-2-Clause */
/* show resolvers: what was counted of each name server, by all processes. */
#include "cli/tables.h"

#include "base/err.h"
#include "dns/resolvers.h"

#include <string.h>

struct resolvers_state {
	const struct list *at; /* the section that was shown last */
	bool one;
};

static int resolvers_start(struct cli_call *call, struct err *err)
{
	const struct list *all = resolvers_running();
	struct resolvers_state *state = CLI_STATE_OF(struct resolvers_state, call);
	const struct resolvers *r;

	state->at = all;
	if (!*cli_arg(call, 0))
		return 0;
	list_for_each(r, all, node)
		if (!strcmp(r->name, cli_arg(call, 0))) {
			state->at = r->node.prev;
			state->one = true;
			return 0;
		}
	return err_set(err, "Can't find that resolvers section");
}

static void say_nameserver(struct text *out, const struct nameserver *ns)
{
	int i;

	text_printf(out, " nameserver %s:\n", ns->name);
	for (i = 0; i < NAMESERVER_COUNTS; i++)
		text_printf(out, "  %s:%*s%llu\n", nameserver_count_names[i],
			    12 - (int)strlen(nameserver_count_names[i]), "",
			    (unsigned long long)nameserver_sum(ns, (enum nameserver_count)i));
}

static enum cli_step resolvers_next(struct cli_call *call)
{
	struct resolvers_state *state = CLI_STATE_OF(struct resolvers_state, call);
	const struct nameserver *ns;
	const struct resolvers *r;

	state->at = state->at->next;
	if (state->at == resolvers_running())
		return CLI_END;
	r = list_entry(state->at, struct resolvers, node);
	text_printf(call->out, "Resolvers section %s\n", r->name);
	for (ns = r->nameservers; ns; ns = ns->next)
		say_nameserver(call->out, ns);
	return state->one ? CLI_END : CLI_MORE;
}

const struct cli_command cli_resolvers_commands[] = {
	{ .words = "show resolvers", .args = "[id]", .level = LEVEL_USER, .start = resolvers_start,
	  .next = resolvers_next, CLI_STATE(struct resolvers_state),
	  .help = "dumps counters from all resolvers section and associated name servers" },
	{ .words = NULL },
};
