/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about crt-lists and directories of certificates: add, del and show ssl crt-list.
 * Sentences are HAProxy's, which tools look for. */
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/tls_say.h"
#include "tls/list.h"

#include <string.h>

/* The line of a payload; more than one is none. */
static int payload_line(const char *payload, struct span *line, struct err *err)
{
	size_t len = strcspn(payload, "\n");

	*line = (struct span){ payload, len };
	if (payload[len] && payload[len + 1])
		return err_set(err, "only one line of payload is supported!");
	return len ? 0 : err_set(err, "no line in the payload!");
}

static int list_add(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);
	struct span line = span_of(cli_arg(call, 1)), crt;
	struct tls_list *list;

	if (!*name || (!line.len && !call->payload))
		return err_set(err, "'add ssl crtlist' expects a filename and a certificate name");
	list = tls_list_find(name);
	if (!list)
		return err_set(err, "Can't edit the crt-list: crt-list '%s' does not exist!", name);
	if ((call->payload && payload_line(call->payload, &line, err) < 0) ||
	    tls_list_add(list, line, err) < 0)
		return err_prefix(err, "Can't edit the crt-list");
	crt = (struct span){ line.ptr, strcspn(line.ptr, " \t[\n") };
	text_printf(call->out, "Inserting certificate '%.*s' in crt-list '%s'.\nSuccess!\n",
		    (int)crt.len, crt.ptr, name);
	return 0;
}

static bool names_crt(const struct tls_list_line *line, const char *crt)
{
	return line->words.crt && (!strcmp(line->words.crt, crt) || !strcmp(line->crt, crt));
}

/* The number must be that of one of its lines; without a number (0) the certificate must be in one
 * line alone. 0, or -1 and err. */
static int need_number(const struct tls_list *list, const char *crt, unsigned number,
		       struct err *err)
{
	const struct tls_list_line *line;
	char memory[200];
	struct text numbers;
	bool right = false;
	unsigned count = 0;

	text_init(&numbers, memory, sizeof(memory));
	list_for_each(line, &list->lines, node)
		if (names_crt(line, crt)) {
			text_printf(&numbers, "%s%u", count++ ? ", " : "", line->number);
			right |= line->number == number;
		}
	if (!count)
		return err_set(err, "certificate '%s' does not exist!", crt);
	if (number && !right)
		return err_set(err, "found a certificate '%s' but the line number is incorrect, please specify "
			       "a correct line number preceded by colons (%s)!", crt, memory);
	if (number || count == 1)
		return 0;
	return err_set(err, "found the certificate '%s' in several entries, please specify a line number "
			    "preceded by colons (%s)!", crt, memory);
}

static int list_del(struct cli_call *call, struct err *err)
{
	const char *name = cli_arg(call, 0);
	struct tls_list *list;
	unsigned number;
	char *crt;

	if (call->argc < 2)
		return err_set(err, "'del ssl crtlist' expects a filename and a certificate name");
	crt = call->argv[1];
	list = tls_list_find(name);
	if (!list)
		return err_set(err, "Can't delete the entry: crt-list '%s' does not exist!", name);
	number = tls_say_index(crt);
	if (need_number(list, crt, number, err) < 0 || tls_list_delete(list, crt, number, err) < 0)
		return err_prefix(err, "Can't delete the entry");
	cli_say(call, LOG_L_NOTICE, "Entry '%s' deleted in crtlist '%s'!", crt, name);
	return 0;
}

/* "site.pem [alpn h2] a.example"; with its number "site.pem:3 [alpn h2] a.example". */
static void show_line(BIO *out, const struct tls_list_line *line, bool numbered)
{
	char memory[16384], *rest;
	struct text text;

	text_init(&text, memory, sizeof(memory));
	tls_list_say(line, &text);
	rest = memory + strcspn(memory, " [");
	if (numbered)
		BIO_printf(out, "%.*s:%u%s\n", (int)(rest - memory), memory, line->number, rest);
	else
		BIO_printf(out, "%s\n", memory);
}

static int list_show(struct cli_call *call, struct err *err)
{
	bool numbered = !strcmp(cli_arg(call, 0), "-n");
	const char *name = cli_arg(call, numbered);
	const struct tls_list_line *line;
	const struct tls_list *list;
	BIO *out = tls_say_begin(call, err);

	if (!out)
		return -1;
	if (numbered && !*name)
		return err_set(err, "'show ssl crt-list -n' expects a filename or a directory");
	if (!*name) {
		for (list = tls_lists; list; list = list->next)
			BIO_printf(out, "%s\n", list->name);
		return 0;
	}
	list = tls_list_find(name);
	if (!list)
		return err_set(err, "didn't find the specified filename");
	BIO_printf(out, "# %s\n", list->name);
	list_for_each(line, &list->lines, node)
		if (line->words.crt)
			show_line(out, line, numbered);
	return 0;
}

const struct cli_command cli_tls_list_commands[] = {
	{ .words = "add ssl crt-list", .args = "<list> <cert> [<payload>]", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = list_add, .help = "add a line to a crt-list or a directory" },
	{ .words = "del ssl crt-list", .args = "<list> <cert>[:<line>]", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = list_del, .help = "delete a line of a crt-list" },
	{ .words = "show ssl crt-list", .args = "[-n] [<list>]", .level = LEVEL_ADMIN,
	  .start = list_show, .next = tls_say_next, .end = tls_say_end,
	  CLI_STATE(struct tls_say), .help = "display the crt-lists, or the lines of one" },
	{ .words = NULL },
};
