/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong in a handshake with a server, for people: logs of stream/, results of check/. */
#include "tls/client.h"

#include "net/conn_link.h"
#include "tls/client_own.h"
#include "tls/lib.h"
#include "tls/link.h"

#include <openssl/err.h>

static const char *const sentences[] = {
	[TLS_FAULT_NONE] = "the server has not finished the handshake",
	[TLS_FAULT_CLOSED] = "the server closed the connection in the handshake",
	[TLS_FAULT_EMPTY] = "the server closed the connection without a word",
	[TLS_FAULT_RESET] = "the server broke off the connection in the handshake",
	[TLS_FAULT_VERIFY] = "the server's certificate is not accepted",
	[TLS_FAULT_LIMIT] = "the server's messages are too large, or too many",
	[TLS_FAULT_MEMORY] = "out of memory",
};

void tls_client_say(const struct conn *conn, struct text *t)
{
	enum tls_fault fault = tls_link_fault(conn_link(conn));
	unsigned long code = tls_link_error(conn_link(conn));
	const char *why = tls_client_why(conn);
	char sentence[256];

	if ((fault == TLS_FAULT_VERIFY || fault == TLS_FAULT_CA) && why)
		text_str(t, why);
	else if (fault != TLS_FAULT_PROTOCOL && (size_t)fault < sizeof(sentences) / sizeof(*sentences) &&
		 sentences[fault])
		text_str(t, sentences[fault]);
	else
		text_str(t, tls_lib_sentence(code, sentence, sizeof(sentence)));
}

void tls_client_say_library(const struct conn *conn, struct text *t)
{
	char reason[256];
	unsigned long code = tls_link_error(conn_link(conn));

	if (!code)
		return;
	ERR_error_string_n(code, reason, sizeof(reason));
	text_str(t, reason);
}
