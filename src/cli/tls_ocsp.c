/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about OCSP responses: show ssl ocsp-response, set ssl ocsp-response, show ssl
 * ocsp-updates. */
#include "cli/tables.h"
#include "cli/tls_say.h"
#include "event/change.h"
#include "log/date.h"
#include "tls/base64.h"
#include "tls/ocsp.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

static void say_hex(struct text *out, const unsigned char *bytes, size_t len, bool upper)
{
	size_t i;

	for (i = 0; i < len; i++)
		text_printf(out, upper ? "%02X" : "%02x", bytes[i]);
}

/* ---- show ssl ocsp-response -------------------------------------------------------------- */

/* Cursors are numbers: certificates come and go between two pieces. */
struct show {
	unsigned next;
	BIO *text; /* one response, printed; NULL: the list */
};

static int show_one(struct show *show, const char *which, struct err *err)
{
	const struct tls_ocsp *ocsp = tls_ocsp_find(which);
	const unsigned char *at = ocsp ? ocsp->response : NULL;
	OCSP_RESPONSE *response;

	if (!ocsp)
		return err_set(err, "Certificate ID does not match any certificate.");
	if (!at)
		return err_set(err, "There is no OCSP response for this certificate now.");
	response = d2i_OCSP_RESPONSE(NULL, &at, (long)ocsp->len);
	show->text = response ? BIO_new(BIO_s_mem()) : NULL;
	if (show->text)
		tls_say_response(show->text, response);
	OCSP_RESPONSE_free(response);
	ERR_clear_error();
	return show->text ? 0 : err_set(err, "Out of memory.");
}

static int show_start(struct cli_call *call, struct err *err)
{
	if (*cli_arg(call, 0))
		return show_one(CLI_STATE_OF(struct show, call), cli_arg(call, 0), err);
	text_str(call->out, "# Certificate IDs\n");
	return 0;
}

static enum cli_step show_text(struct cli_call *call, BIO *text)
{
	char piece[4096];
	int n = BIO_read(text, piece, sizeof(piece));

	if (n > 0)
		text_add(call->out, piece, (size_t)n);
	return n > 0 && BIO_pending(text) ? CLI_MORE : CLI_END;
}

static void show_id(struct text *out, const struct tls_ocsp *ocsp)
{
	const unsigned char *at = ocsp->id;
	OCSP_CERTID *id = d2i_OCSP_CERTID(NULL, &at, (long)ocsp->id_len);
	ASN1_OCTET_STRING *name = NULL, *key = NULL;
	ASN1_INTEGER *serial = NULL;

	text_str(out, "Certificate ID key : ");
	say_hex(out, ocsp->id, ocsp->id_len, false);
	text_printf(out, "\nCertificate path : %s\n Certificate ID:\n   Issuer Name Hash: ",
		    ocsp->path);
	if (id)
		OCSP_id_get0_info(&name, NULL, &key, &serial, id);
	if (name)
		say_hex(out, ASN1_STRING_get0_data(name), (size_t)ASN1_STRING_length(name), true);
	text_str(out, "\n   Issuer Key Hash: ");
	if (key)
		say_hex(out, ASN1_STRING_get0_data(key), (size_t)ASN1_STRING_length(key), true);
	text_str(out, "\n   Serial Number: ");
	if (serial)
		say_hex(out, ASN1_STRING_get0_data(serial), (size_t)ASN1_STRING_length(serial),
			true);
	text_char(out, '\n');
	OCSP_CERTID_free(id);
}

static const struct tls_ocsp *nth(unsigned n, bool updates)
{
	const struct tls_ocsp *ocsp;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if ((!updates || ocsp->update) && !n--)
			return ocsp;
	return NULL;
}

static enum cli_step show_next(struct cli_call *call)
{
	struct show *show = CLI_STATE_OF(struct show, call);
	const struct tls_ocsp *ocsp;

	if (show->text)
		return show_text(call, show->text);
	ocsp = nth(show->next++, false);
	if (!ocsp)
		return CLI_END;
	show_id(call->out, ocsp);
	return CLI_MORE;
}

static void show_end(struct cli_call *call)
{
	struct show *show = CLI_STATE_OF(struct show, call);

	if (show)
		BIO_free(show->text);
}

/* ---- set ssl ocsp-response --------------------------------------------------------------- */

static int set_response(struct cli_call *call, struct err *err)
{
	const char *text = call->payload ? call->payload : cli_arg(call, 0);
	char *der = *text ? malloc(OCSP_RESPONSE_MOST) : NULL;
	long len;
	int rc;

	if (!*text)
		return err_set(err, "'set ssl ocsp-response' expects response in base64 encoding.");
	if (!der)
		return err_set(err, "Out of memory.");
	len = base64_decode(span_of(text), der, OCSP_RESPONSE_MOST);
	if (len < 0)
		rc = err_set(err, "'set ssl ocsp-response' received invalid base64 encoded "
			     "response.");
	else
		rc = tls_ocsp_set((struct span){ der, (size_t)len }, !change_first, err);
	free(der);
	if (rc == 0)
		cli_say(call, LOG_L_INFO, "OCSP Response updated!");
	return rc;
}

/* ---- show ssl ocsp-updates --------------------------------------------------------------- */

static void say_time(struct text *out, int64_t seconds)
{
	if (seconds)
		text_str(out, date_of(seconds)->local);
	else
		text_char(out, '-');
}

static int updates_start(struct cli_call *call, struct err *err)
{
	(void)err;
	text_str(call->out, "OCSP Certid | Path | Next Update | Last Update | Successes | Failures | "
		 "Last Update Status | Last Update Status (str)\n");
	return 0;
}

static enum cli_step updates_next(struct cli_call *call)
{
	static const char *const names[] = {
		[TLS_OCSP_UNKNOWN] = "-", [TLS_OCSP_OK] = "Update successful",
		[TLS_OCSP_HTTP] = "HTTP error", [TLS_OCSP_MISSING] = "Missing \"ocsp-uri\" field",
		[TLS_OCSP_INVALID] = "OCSP response check failure",
		[TLS_OCSP_NO_URI] = "Name of the responder not found",
	};
	struct show *show = CLI_STATE_OF(struct show, call);
	const struct tls_ocsp *ocsp = nth(show->next++, true);

	if (!ocsp)
		return CLI_END;
	say_hex(call->out, ocsp->id, ocsp->id_len, false);
	text_printf(call->out, " | %s | ", ocsp->path);
	say_time(call->out, ocsp->next);
	text_str(call->out, " | ");
	say_time(call->out, ocsp->last);
	text_printf(call->out, " | %u | %u | %u | %s\n", ocsp->successes, ocsp->failures,
		    (unsigned)ocsp->status, names[ocsp->status]);
	return CLI_MORE;
}

/* ---- update ssl ocsp-response ------------------------------------------------------------ */

static int update_response(struct cli_call *call, struct err *err)
{
	struct tls_ocsp *ocsp = tls_ocsp_find(cli_arg(call, 0));

	if (!*cli_arg(call, 0))
		return err_set(err, "'update ssl ocsp-response' expects a filename");
	if (!ocsp)
		return err_set(err, "Unknown certificate! 'update ssl ocsp-response' expects an already known "
			       "certificate file name.\nCan't send ocsp request for %s!", cli_arg(call, 0));
	tls_ocsp_ask(ocsp);
	cli_say(call, LOG_L_INFO, "OCSP update begun, see 'show ssl ocsp-updates'.");
	return 0;
}

const struct cli_command cli_tls_ocsp_commands[] = {
	{ .words = "show ssl ocsp-response", .args = "[<id>|<certfile>]", .level = LEVEL_USER,
	  .start = show_start, .next = show_next, .end = show_end,
	  CLI_STATE(struct show),
	  .help = "list certificates with OCSP responses, or show one of these" },
	{ .words = "set ssl ocsp-response", .args = "<response|payload>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = set_response,
	  .help = "replace the OCSP response of a certificate, base64 of DER" },
	{ .words = "update ssl ocsp-response", .args = "<certfile>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = update_response,
	  .help = "fetch the OCSP response of a certificate now" },
	{ .words = "show ssl ocsp-updates", .level = LEVEL_USER, .start = updates_start,
	  .next = updates_next, CLI_STATE(struct show),
	  .help = "show what is fetched from OCSP responders, and when" },
	{ .words = NULL },
};
