/* SPDX-License-Identifier: BSD-2-Clause */
/* ACLs asked by expressions: the fetch "acl" and the converter "when" (words of later manuals). An
 * ACL that has been asked gets no more lines that ask others, so that none ever asks itself. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/acl_conf.h"
#include "expr/state.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/proxy.h"

/* One of the names between the parentheses. */
struct asked {
	const struct acl *acl; /* NULL: the last was before */
	bool negated;
};

/* -- names ------------------------------------------------------------------------------ */

/* The ACL whose line is being read; NULL: another line is. */
static const struct acl *acl_being_read(const struct expr_context *ctx)
{
	const struct acl *acl = ctx->proxy && ctx->proxy->acls ? ctx->proxy->acls->first : NULL;

	while (acl && &acl->used != ctx->used)
		acl = acl->next;
	return acl;
}

static struct acl *acl_to_ask(const char *name, const struct expr_context *ctx, struct err *err)
{
	struct statement st = { .cfg = ctx->cfg, .loc = ctx->loc };
	const struct acl *reading;
	struct acl *acl;
	bool known;

	if (!ctx->cfg) {
		err_set(err, "ACLs belong to the sections of a configuration");
		return NULL;
	}
	reading = acl_being_read(ctx);
	acl = acl_find(&st, ctx->proxy, name, &known);
	if (!acl) {
		err_set(err, "there is no ACL '%s' in front of this line", name);
		return NULL;
	}
	if (reading == acl || (reading && reading->asked)) {
		err_set(err,
			"ACL '%s' is asked by itself or another one already: it cannot ask '%s'",
			reading->name, name);
		return NULL;
	}
	acl->used = acl->asked = true;
	return acl;
}

/* "[!]name" into *asked. */
static int asked_parse(struct asked *asked, const char *text, const struct expr_context *ctx,
		       struct err *err)
{
	for (; *text == '!'; text++)
		asked->negated = !asked->negated;
	asked->acl = acl_to_ask(text, ctx, err);
	return asked->acl ? 0 : -1;
}

/* Argument 0 becomes the list. */
static int check_acls(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct asked *list = arena_alloc(ctx->arena, (ARG_MAX + 1) * sizeof(*list));
	unsigned n = 0;

	if (!list)
		return err_set(err, "out of memory");
	for (; n < ARG_MAX && args[n].type == ARG_STR; n++)
		if (asked_parse(&list[n], args[n].str.ptr, ctx, err))
			return -1;
	args[0] = (struct expr_arg){ .type = ARG_PTR, .ptr = list };
	return 0;
}

/* -- the fetch -------------------------------------------------------------------------- */

static enum cond_result asked_result(const struct asked *a, const struct view *view,
				     unsigned place)
{
	enum cond_result result = acl_eval(a->acl, view, place);

	if (result == COND_YES || result == COND_NO)
		return (result == COND_YES) != a->negated ? COND_YES : COND_NO;
	return result;
}

/* Do all of them hold? */
static enum expr_result fetch_acl(struct fetch_call *call, struct sample *smp)
{
	unsigned place = call->place | (call->final ? AT_FINAL : 0);
	enum cond_result all = COND_YES, one;
	const struct asked *a;

	for (a = call->args[0].ptr; a->acl && all != COND_NO; a++) {
		one = asked_result(a, call->view, place);
		if (one == COND_NO || one == COND_WAIT || all == COND_YES)
			all = one;
	}
	smp->num = all == COND_YES;
	if (all == COND_WAIT) {
		call->later = true; /* a password: it waits though nothing more comes */
		return EXPR_WAIT;
	}
	return all == COND_UNKNOWN ? EXPR_NONE : EXPR_FOUND;
}

const struct fetch fetch_asked[] = {
	{ "acl", ARGS(1, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR,
		      ARG_STR, ARG_STR, ARG_STR, ARG_STR), SMP_BOOL, AT_ANY, fetch_acl, check_acls,
	  .help = "do all of these ACLs hold? '!' in front of a name negates it", .looks = true },
	{ 0 },
};

/* -- the converter ---------------------------------------------------------------------- */

enum when { WHEN_ACL, WHEN_ERROR, WHEN_FORWARDED, WHEN_NORMAL, WHEN_PROCESSED, WHEN_STOPPING,
	    WHEN_TO_APPLET, WHEN_COUNT };

static const char *const when_names[WHEN_COUNT] = {
	[WHEN_ACL] = "acl", [WHEN_ERROR] = "error", [WHEN_FORWARDED] = "forwarded",
	[WHEN_NORMAL] = "normal", [WHEN_PROCESSED] = "processed", [WHEN_STOPPING] = "stopping",
	[WHEN_TO_APPLET] = "toapplet",
};

static int when_which(const char *name, enum when *which, struct err *err)
{
	for (*which = 0; *which < WHEN_COUNT; ++*which)
		if (!strcmp(name, when_names[*which]))
			return 0;
	return err_set(err, "'%s' is no condition: acl, error, forwarded, normal, processed, "
			    "stopping and toapplet are", name);
}

/* Argument 0 becomes the condition, 1 whether it is negated, 2 the ACL. */
static int check_when(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *name = args[0].str.ptr;
	struct asked asked = { NULL, false };
	enum when which;
	bool negated;

	negated = *name == '!';
	if (when_which(name + negated, &which, err))
		return -1;
	if ((which == WHEN_ACL) != (args[1].type == ARG_STR))
		return err_set(err, which == WHEN_ACL ? "the name of the ACL is missing" :
							"only 'acl' has an argument");
	if (which == WHEN_ACL && asked_parse(&asked, args[1].str.ptr, ctx, err))
		return -1;
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = which };
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = negated != asked.negated };
	args[2] = (struct expr_arg){ .type = ARG_PTR, .ptr = (void *)asked.acl };
	return 0;
}

static bool was_forwarded(const struct view *view, const struct view_log *log)
{
	return (view->server || view->dispatch) && log->connect_ms >= 0;
}

/* Does it hold for the stream, with what is known now? */
static bool when_holds(enum when which, const struct view *view)
{
	const struct view_log *log;
	struct view_log memory;

	if (which == WHEN_STOPPING)
		return expr_process_stops();
	log = view_numbers(view, &memory);
	if (!log)
		return false;
	switch (which) {
	case WHEN_ERROR:
		return view_notable(view, log);
	case WHEN_NORMAL:
		return !view_notable(view, log);
	case WHEN_FORWARDED:
		return was_forwarded(view, log);
	case WHEN_TO_APPLET:
		return view->service;
	default:
		return view->service || was_forwarded(view, log);
	}
}

static bool convert_when(const struct expr_arg *args, struct sample *smp, const struct view *view,
			 const struct converter *row)
{
	struct asked asked = { args[2].ptr, args[1].num };
	enum cond_result result;

	(void)row;
	if (!asked.acl)
		return when_holds((enum when)args[0].num, view) != asked.negated;
	result = asked_result(&asked, view, expr_place);
	if (result == COND_WAIT && !(expr_place & AT_FINAL))
		smp->flags |= SMP_MAY_CHANGE;
	return result == COND_YES;
}

const struct converter converter_asked[] = {
	{ "when", ARGS(1, ARG_STR, ARG_STR), SMP_ANY, SMP_SAME, convert_when, check_when,
	  .help = "the value if a condition holds: acl, error, forwarded, normal, processed, "
		  "stopping, toapplet" },
	{ 0 },
};
