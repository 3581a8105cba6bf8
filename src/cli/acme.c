/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about certificates by ACME, with words and columns of later versions of HAProxy. */
#include "acme/acme.h"
#include "base/clock.h"
#include "cli/tables.h"

#include <string.h>
#include <time.h>

static void say_time(struct text *out, int64_t seconds)
{
	char memory[32] = "-";
	time_t t = (time_t)seconds;
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(memory, sizeof(memory), "%Y-%m-%dT%H:%M:%SZ", &tm);
	text_str(out, memory);
}

static void say_until(struct text *out, int64_t seconds)
{
	int64_t left = seconds - clock_wall().tv_sec;

	if (left < 0)
		left = 0;
	text_printf(out, "%lldd %lldh%02lldm%02llds", (long long)left / 86400,
		    (long long)left / 3600 % 24, (long long)left / 60 % 60, (long long)left % 60);
}

static const char *state_of(const struct acme_cert *c)
{
	return c->running ? "Running" : acme_cert_due(c) == INT64_MAX ? "Stopped" : "Scheduled";
}

static void say_cert(struct text *out, const struct acme_cert *c)
{
	int64_t due = acme_cert_due(c), until = c->line->entry->cert->age.until;

	text_printf(out, "%s\t%s\t%s\t", c->line->entry->name, c->acme->name, state_of(c));
	say_time(out, until);
	text_char(out, '\t');
	say_until(out, until);
	text_char(out, '\t');
	if (c->running || due == INT64_MAX) {
		text_str(out, "-\t-");
	} else {
		say_time(out, due);
		text_char(out, '\t');
		say_until(out, due);
	}
	text_printf(out, "\t%u\t%s\n", c->failures, *c->reason ? c->reason :
		    c->line->placeholder ? "temporary certificate" : "-");
}

static int status_start(struct cli_call *call, struct err *err)
{
	(void)err;
	text_str(call->out, "# certificate\tsection\tstate\texpiration date (UTC)\texpires in\t"
		 "scheduled date (UTC)\tscheduled in\tfailures\tlast failure\n");
	return 0;
}

static enum cli_step status_next(struct cli_call *call)
{
	unsigned *at = CLI_STATE_OF(unsigned, call), n = *at;
	const struct acme_cert *c;

	list_for_each(c, &acme_running.certs, node)
		if (!n--) {
			say_cert(call->out, c);
			++*at;
			return CLI_MORE;
		}
	return CLI_END;
}

static int renew(struct cli_call *call, struct err *err)
{
	struct acme_cert *c = acme_cert_find(cli_arg(call, 0));

	if (!*cli_arg(call, 0))
		return err_set(err, "'acme renew' expects a certificate.");
	if (!c)
		return err_set(
			err,
			"'acme renew': no line with 'acme' names '%.*s'; 'acme status' shows "
			"those that there are.",
			STR_CUT(cli_arg(call, 0), 200));
	if (c->running)
		return err_set(err, "'acme renew': an order for it is under way already.");
	c->asked = true;
	if (acme_moved)
		acme_moved();
	cli_say(call, LOG_L_INFO, "An order begins, see 'acme status'.");
	return 0;
}

#define STATUS(name, hides)                                                                        \
	{                                                                                          \
		.words = name, .level = LEVEL_USER, .flags = hides, .start = status_start,         \
		.next = status_next, CLI_STATE(unsigned),                               \
		.help = "show certificates by ACME: state, expiry, the next order"                 \
	}

const struct cli_command cli_acme_commands[] = {
	{ .words = "acme renew", .args = "<certfile>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = renew, .help = "order a certificate by ACME now" },
	STATUS("acme status", 0),
	STATUS("acme ps", CLI_HIDDEN),
	{ .words = NULL },
};
