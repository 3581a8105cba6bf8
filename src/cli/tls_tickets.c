/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about the keys of session tickets: show tls-keys, set ssl tls-key. */
#include "cli/tables.h"
#include "tls/base64.h"
#include "tls/tickets.h"

#include <openssl/crypto.h>
#include <string.h>

static const char *name_of(const struct tls_ticket_keys *keys)
{
	const char *name = tls_tickets_name(keys);

	return *name ? name : "automatic";
}

static void show_keys(struct text *out, const struct tls_ticket_keys *keys)
{
	const unsigned char *bytes;
	unsigned i;
	size_t len;

	text_printf(out, "# %u (%s)\n", tls_tickets_id(keys), name_of(keys));
	for (i = 0; i < TLS_TICKET_KEYS; i++) {
		len = tls_tickets_key(keys, i, &bytes);
		text_printf(out, "%u.%u ", tls_tickets_id(keys), i);
		base64_encode(out, bytes, len);
		text_char(out, '\n');
	}
}

struct show {
	const struct tls_ticket_keys *next; /* sets live as long as the process */
	bool secrets;
	bool one;
};

static int show_start(struct cli_call *call, struct err *err)
{
	struct show *show = CLI_STATE_OF(struct show, call);
	const char *which = cli_arg(call, 0);

	show->secrets = *which;
	show->next = tls_tickets_next(NULL);
	if (*which && strcmp(which, "*")) {
		show->one = true;
		show->next = tls_tickets_find(which);
		if (!show->next)
			return err_set(err, "'show tls-keys' unable to locate referenced filename");
	}
	text_str(call->out, show->secrets ? "# id secret\n" : "# id (file)\n");
	return 0;
}

static enum cli_step show_next(struct cli_call *call)
{
	struct show *show = CLI_STATE_OF(struct show, call);
	const struct tls_ticket_keys *keys = show->next;

	if (!keys)
		return CLI_END;
	if (show->secrets)
		show_keys(call->out, keys);
	else
		text_printf(call->out, "%u (%s)\n", tls_tickets_id(keys), name_of(keys));
	show->next = show->one ? NULL : tls_tickets_next(keys);
	return show->next ? CLI_MORE : CLI_END;
}

static int set_key(struct cli_call *call, struct err *err)
{
	unsigned char key[TLS_TICKET_KEY_MOST];
	const char *text = cli_arg(call, 1);
	struct tls_ticket_keys *keys;
	bool fits;
	long len;

	if (call->argc != 2)
		return err_set(err, "'set ssl tls-key' expects a filename and the new TLS key in "
			       "base64 encoding.");
	keys = tls_tickets_find(cli_arg(call, 0));
	if (!keys)
		return err_set(err, "'set ssl tls-key' unable to locate referenced filename");
	len = base64_decode(span_of(text), key, sizeof(key));
	fits = len >= 0 && tls_tickets_push(keys, key, (size_t)len);
	OPENSSL_cleanse(key, sizeof(key));
	if (len < 0)
		return err_set(err, "'set ssl tls-key' received invalid base64 encoded TLS key.");
	if (!fits)
		return err_set(err, "'set ssl tls-key' received a key of wrong size.");
	cli_say(call, LOG_L_INFO, "TLS ticket key updated!");
	return 0;
}

const struct cli_command cli_tls_tickets_commands[] = {
	{ .words = "show tls-keys", .args = "[<id>|*]", .level = LEVEL_ADMIN,
	  .start = show_start, .next = show_next, CLI_STATE(struct show),
	  .help = "show references of TLS ticket keys, or their secrets" },
	{ .words = "set ssl tls-key", .args = "<id> <key>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = set_key,
	  .help = "set the next TLS key of a file of ticket keys" },
	{ .words = NULL },
};
