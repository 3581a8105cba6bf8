/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the process: get var, set var. What is set is evaluated once, where the command came
 * in; the value goes through the ordered log. */
#include "cli/tables.h"

#include "base/arena.h"
#include "cli/shared.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/proc_vars.h"
#include "expr/vars.h"
#include "expr/view.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static const struct view nothing;

/* -- get ------------------------------------------------------------------------------------- */

static void say_hex(struct text *out, struct span bytes)
{
	size_t i;

	for (i = 0; i < bytes.len; i++)
		text_printf(out, "%02X", (unsigned char)bytes.ptr[i]);
}

static void write_value(struct text *out, const struct sample *smp)
{
	static const char *const names[SMP_TYPES] = {
		[SMP_ANY] = "any", [SMP_BOOL] = "bool", [SMP_INT] = "sint", [SMP_IPV4] = "ipv4",
		[SMP_IPV6] = "ipv6", [SMP_STR] = "str", [SMP_BIN] = "bin", [SMP_METH] = "meth",
	};
	char addr[INET6_ADDRSTRLEN];

	text_printf(out, "type=%s value=<", names[smp->type]);
	if (smp->type == SMP_IPV4 || smp->type == SMP_IPV6)
		text_str(out, inet_ntop(smp->type == SMP_IPV4 ? AF_INET : AF_INET6, &smp->v4, addr,
					sizeof(addr)));
	else if (smp->type == SMP_BIN)
		say_hex(out, smp->str);
	else if (smp->type == SMP_STR || smp->type == SMP_METH)
		text_printf(out, "%.*s", (int)smp->str.len, smp->str.ptr);
	else
		text_printf(out, "%lld", (long long)smp->num);
	text_char(out, '>');
}

static int get_var(struct cli_call *call, struct err *err)
{
	const char *word = cli_arg(call, 0);
	const struct var_name *name = var_name_known(span_of(word));
	struct sample smp = { .flags = 0 };
	char memory[CLI_PIECE - 512]; /* the name stands in front */
	struct text value;

	if (!*word)
		return err_set(err, "Missing process-wide variable identifier.");
	if (!name || name->scope != VAR_PROC || !var_get(name, &nothing, &smp))
		return err_set(err, "Variable not found.");
	text_init(&value, memory, sizeof(memory));
	write_value(&value, &smp);
	cli_say(call, LOG_L_INFO, "%s: %s", word, memory);
	return 0;
}

/* -- set ------------------------------------------------------------------------------------- */

static int evaluate(const char *text, struct arena *arena, struct sample *smp, struct err *err)
{
	struct expr_context ctx = { .arena = arena };
	const struct expr *e = expr_parse_all(text, &ctx, err);

	if (!e)
		return -1;
	if (!(expr_where(e) & AT_CONFIG))
		return err_set(err, "'%s' looks at the %s, and there is none here", expr_fetch_name(e),
			       expr_source(e));
	if (expr_eval(e, &nothing, AT_CONFIG | AT_FINAL, smp) != EXPR_FOUND)
		return err_set(err, "'%s' has no value", text);
	return 0;
}

static int format(const char *text, struct arena *arena, struct sample *smp, struct err *err)
{
	struct expr_context ctx = { .arena = arena };
	const struct logformat *compiled = logformat_compile_as(FORMAT_RAW, text, &ctx, AT_CONFIG, err);
	static char line[4096];
	struct text t;

	if (!compiled)
		return -1;
	text_init(&t, line, sizeof(line));
	logformat_write(compiled, &nothing, &t);
	*smp = (struct sample){ .type = SMP_STR, .str = { line, t.len } };
	return 0;
}

/* "[expr] <expression>" or "fmt <format>" */
static int set_value(struct cli_call *call, struct arena *arena, struct sample *smp, struct err *err)
{
	const char *how = cli_arg(call, 1);

	if (call->argc < 2)
		return err_set(err, "Missing either 'expr', 'fmt' or expression.");
	if (call->argc == 2)
		return evaluate(how, arena, smp, err);
	if (call->argc > 3)
		return err_set(err, "'set var': '%s' is one word too many: blanks stand behind a backslash",
			       call->argv[3]);
	if (!strcmp(how, "expr"))
		return evaluate(call->argv[2], arena, smp, err);
	if (!strcmp(how, "fmt"))
		return format(call->argv[2], arena, smp, err);
	return err_set(err, "'set var': arg type must be either 'expr' or 'fmt' but got '%s'.", how);
}

static int set_submit(struct cli_call *call, const struct var_name *name, const struct sample *smp,
		      struct err *err)
{
	size_t len;
	char *frame = proc_vars_frame(name, smp, &len);

	if (!frame)
		return err_set(err, "Out of memory.");
	cli_submit(call, &variable_change, frame, len);
	free(frame);
	return 0;
}

static int set_var(struct cli_call *call, struct err *err)
{
	const char *word = cli_arg(call, 0);
	struct sample smp = { .flags = 0 };
	const struct var_name *name;
	struct arena *arena;
	int rc;

	if (!*word)
		return err_set(err, "Missing process-wide variable identifier.");
	if (strchr(word, '.') && strncmp(word, "proc.", 5))
		return err_set(err, "'set var': cannot set variable '%s', only scope 'proc' is permitted here.",
			       word);
	name = var_name(span_of(word), err);
	if (!name)
		return -1;
	arena = arena_new(1024);
	if (!arena)
		return err_set(err, "Out of memory.");
	rc = set_value(call, arena, &smp, err);
	if (!rc)
		rc = set_submit(call, name, &smp, err);
	arena_free(&arena);
	return rc;
}

const struct cli_command cli_vars_commands[] = {
	{ .words = "get var", .args = "<name>", .level = LEVEL_OPERATOR, .start = get_var,
	  .help = "retrieve contents of a process-wide variable" },
	{ .words = "set var", .args = "<name> [fmt|expr] {<fmt>|<expr>}", .level = LEVEL_OPERATOR,
	  .flags = CLI_EXPERIMENTAL, .start = set_var, .next = cli_submit_next,
	  .end = cli_submit_end, KIND_ROW(struct shared_state) .state_size = CLI_SUBMIT_STATE,
	  .help = "set variable from an expression" },
	{ 0 },
};
