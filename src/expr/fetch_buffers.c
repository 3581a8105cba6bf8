/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of bytes that were received and not forwarded yet (manual 7.3.5): lengths, pieces,
 * TLS hellos, RDP cookies. They say EXPR_WAIT as long as more bytes could change the answer;
 * expr_chain.c knows when no more are waited for. Strings point into the stream's bytes. */
#include "base/err.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "tls/hello.h"

#include <strings.h>

/* Whose bytes: the row's, or of the direction that is running. */
enum { BYTES_REQUEST, BYTES_RESPONSE, BYTES_RUNNING };

static struct span buffer_bytes(const struct fetch_call *call, int whose)
{
	if (whose == BYTES_RUNNING)
		whose = call->place & AT_RESPONSE ? BYTES_RESPONSE : BYTES_REQUEST;
	return whose == BYTES_RESPONSE ? call->view->response : call->view->request;
}

static enum expr_result fetch_len(struct fetch_call *call, struct sample *smp)
{
	smp->num = (int64_t)buffer_bytes(call, call->row->data).len;
	smp->flags |= SMP_MAY_CHANGE;
	return EXPR_FOUND;
}

/* -- payload ---------------------------------------------------------------------------- */

static int check_payload(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[0].num < 0)
		return err_set(err, "the offset must not be negative");
	if (args[1].num < 0)
		return err_set(err, "the length must not be negative");
	return 0;
}

static enum expr_result buffer_piece(struct span bytes, uint64_t offset, uint64_t len,
				     struct sample *smp)
{
	if (offset > bytes.len || len > bytes.len - offset)
		return EXPR_WAIT;
	smp->str = (struct span){ len ? bytes.ptr + offset : "", len };
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

/* Length 0: all that is there, even if it is nothing. */
static enum expr_result fetch_payload(struct fetch_call *call, struct sample *smp)
{
	struct span bytes = buffer_bytes(call, call->row->data);
	uint64_t offset = (uint64_t)call->args[0].num, len = (uint64_t)call->args[1].num;

	if (len)
		return buffer_piece(bytes, offset, len, smp);
	if (offset > bytes.len)
		return EXPR_WAIT;
	smp->flags |= SMP_MAY_CHANGE;
	return buffer_piece(bytes, offset, bytes.len - offset, smp);
}

/* The third argument is an offset, or with a sign relative to the end of the length field.
 * It becomes a number, and argument 3 says whether it is relative. */
static int check_payload_lv(struct expr_arg *args, const struct expr_context *ctx,
			    struct err *err)
{
	const char *text = args[2].type == ARG_STR ? args[2].str.ptr : "+0";
	bool relative = *text == '+' || *text == '-';
	int64_t num;

	(void)ctx;
	if (args[0].num < 0)
		return err_set(err, "the offset of the length must not be negative");
	if (args[1].num <= 0 || args[1].num > 8)
		return err_set(err, "the length must have 1 to 8 bytes");
	if (!str_to_int(text + (*text == '+'), INT32_MIN, INT32_MAX, &num))
		return err_set(err, "'%s' is no offset", text);
	if (relative && args[0].num + args[1].num + num < 0)
		return err_set(err, "offset '%s' lies before the first byte", text);
	args[2] = (struct expr_arg){ .type = ARG_INT, .num = num };
	args[3] = (struct expr_arg){ .type = ARG_INT, .num = relative };
	return 0;
}

static enum expr_result fetch_payload_lv(struct fetch_call *call, struct sample *smp)
{
	const struct expr_arg *args = call->args;
	struct span bytes = buffer_bytes(call, call->row->data), field;
	int64_t start = args[2].num;
	uint64_t len = 0;
	size_t i;

	if (buffer_piece(bytes, (uint64_t)args[0].num, (uint64_t)args[1].num, smp) != EXPR_FOUND)
		return EXPR_WAIT;
	field = smp->str;
	for (i = 0; i < field.len; i++)
		len = len << 8 | (uint8_t)field.ptr[i];
	if (args[3].num)
		start += args[0].num + args[1].num;
	if (!len || len > INT64_MAX || len > expr_scratch_size)
		return EXPR_NONE; /* could never be there */
	return buffer_piece(bytes, (uint64_t)start, len, smp);
}

/* -- TLS hellos ------------------------------------------------------------------------- */

static enum expr_result buffer_hello(const struct fetch_call *call, int whose,
				     struct hello *hello)
{
	char *scratch = expr_scratch();

	switch (hello_parse(buffer_bytes(call, whose), scratch, expr_scratch_size, hello)) {
	case HELLO_OK:
		return EXPR_FOUND;
	case HELLO_MORE:
		return EXPR_WAIT;
	case HELLO_BAD:
		break;
	}
	return EXPR_NONE;
}

static enum expr_result fetch_hello_type(struct fetch_call *call, struct sample *smp)
{
	int whose = call->row->data;
	struct hello hello;
	enum expr_result result = buffer_hello(call, whose, &hello);

	if (result == EXPR_FOUND)
		smp->num = hello.type;
	return result;
}

static enum expr_result client_hello(const struct fetch_call *call, struct hello *hello)
{
	enum expr_result result = buffer_hello(call, BYTES_REQUEST, hello);

	if (result == EXPR_FOUND && hello->type != HELLO_CLIENT)
		return EXPR_NONE;
	return result;
}

static enum expr_result fetch_sni(struct fetch_call *call, struct sample *smp)
{
	struct hello hello;
	enum expr_result result = client_hello(call, &hello);

	if (result != EXPR_FOUND)
		return result;
	if (!hello.sni.ptr)
		return EXPR_NONE;
	smp->str = hello.sni;
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

/* The names of the list, one value each. */
static enum expr_result fetch_alpn(struct fetch_call *call, struct sample *smp)
{
	struct hello hello;
	enum expr_result result = client_hello(call, &hello);
	size_t at = call->walk[0], len;

	if (result != EXPR_FOUND)
		return result;
	if (!hello.alpn.ptr || at >= hello.alpn.len)
		return EXPR_NONE;
	len = (uint8_t)hello.alpn.ptr[at++];
	if (!len || len > hello.alpn.len - at)
		return EXPR_NONE;
	smp->str = (struct span){ hello.alpn.ptr + at, len };
	smp->flags |= SMP_CONST | (at + len < hello.alpn.len ? SMP_NOT_LAST : 0);
	call->walk[0] = at + len;
	return EXPR_FOUND;
}

static enum expr_result fetch_ec_ext(struct fetch_call *call, struct sample *smp)
{
	struct hello hello;
	enum expr_result result = client_hello(call, &hello);

	if (result == EXPR_FOUND)
		smp->num = hello.groups;
	return result;
}

static enum expr_result fetch_ticket_ext(struct fetch_call *call, struct sample *smp)
{
	struct hello hello;
	enum expr_result result = client_hello(call, &hello);

	if (result == EXPR_FOUND)
		smp->num = hello.ticket + (hello.ticket && hello.ticket_len);
	return result;
}

static enum expr_result fetch_ssl_ver(struct fetch_call *call, struct sample *smp)
{
	unsigned version;

	switch (hello_version(call->view->request, &version)) {
	case HELLO_OK:
		smp->num = version;
		return EXPR_FOUND;
	case HELLO_MORE:
		return EXPR_WAIT;
	case HELLO_BAD:
		break;
	}
	return EXPR_NONE;
}

/* -- RDP -------------------------------------------------------------------------------- */

enum { RDP_HEADER = 11 }; /* TPKT (RFC 1006) and the fixed part of X.224's connect request */

/* The first cookie, "Cookie: name=value\r\n" behind the headers ([MS-RDPBCGR] 2.2.1.1). */
static enum expr_result rdp_cookie(struct span bytes, struct span *name, struct span *value)
{
	static const char prefix[] = "Cookie:";
	const uint8_t *p = (const uint8_t *)bytes.ptr;
	const char *from, *to, *equal;
	size_t have, want = sizeof(prefix) - 1;

	if ((bytes.len > 0 && p[0] != 3) || (bytes.len > 1 && p[1] != 0) ||
	    (bytes.len > 5 && (p[5] & 0xf0) != 0xe0))
		return EXPR_NONE;
	have = bytes.len > RDP_HEADER ? bytes.len - RDP_HEADER : 0;
	if (have && strncasecmp(bytes.ptr + RDP_HEADER, prefix, have < want ? have : want))
		return EXPR_NONE;
	if (have <= want)
		return EXPR_WAIT;
	from = bytes.ptr + RDP_HEADER + want;
	to = memchr(from, '\r', have - want);
	if (!to)
		return have > 1024 ? EXPR_NONE : EXPR_WAIT;
	while (from < to && *from == ' ')
		from++;
	equal = memchr(from, '=', (size_t)(to - from));
	if (!equal)
		return EXPR_NONE;
	*name = (struct span){ from, (size_t)(equal - from) };
	*value = (struct span){ equal + 1, (size_t)(to - equal - 1) };
	return EXPR_FOUND;
}

static enum expr_result rdp_wanted(struct fetch_call *call, struct span *value)
{
	const struct expr_arg *arg = &call->args[0];
	struct span name;
	enum expr_result result = rdp_cookie(call->view->request, &name, value);

	if (result != EXPR_FOUND || arg->type == ARG_NONE || !arg->str.len)
		return result;
	if (name.len != arg->str.len || strncasecmp(name.ptr, arg->str.ptr, name.len))
		return EXPR_NONE;
	return EXPR_FOUND;
}

static enum expr_result fetch_rdp_cookie(struct fetch_call *call, struct sample *smp)
{
	enum expr_result result = rdp_wanted(call, &smp->str);

	smp->flags |= SMP_CONST;
	return result;
}

static enum expr_result fetch_rdp_cookie_cnt(struct fetch_call *call, struct sample *smp)
{
	struct span value;
	enum expr_result result = rdp_wanted(call, &value);

	if (result == EXPR_WAIT)
		return EXPR_WAIT;
	smp->num = result == EXPR_FOUND;
	return EXPR_FOUND;
}

/* -- the end of the inspection ---------------------------------------------------------- */

static enum expr_result fetch_wait_end(struct fetch_call *call, struct sample *smp)
{
	smp->num = 1;
	return call->final ? EXPR_FOUND : EXPR_WAIT;
}

#define BUFFER(name, kind, from, run, whose, text)                                            \
	{ name, { 0 }, kind, from, run, .data = whose, .help = text }
#define PAYLOAD(name, from, whose)                                                            \
	{ name, ARGS(2, ARG_INT, ARG_INT), SMP_BIN, from, fetch_payload, check_payload,        \
	  .data = whose, .help = "bytes from an offset on; length 0: all that are there" }
#define PAYLOAD_LV(name, from, whose)                                                         \
	{ name, ARGS(2, ARG_INT, ARG_INT, ARG_STR), SMP_BIN, from, fetch_payload_lv,           \
	  check_payload_lv, .data = whose, .help = "bytes behind a length field" }
#define RDP(name, kind, run, text)                                                            \
	{ name, ARGS(0, ARG_STR), kind, FROM_REQUEST, run, .help = text }

const struct fetch fetch_buffers[] = {
	PAYLOAD("payload", FROM_REQUEST | FROM_RESPONSE, BYTES_RUNNING),
	PAYLOAD_LV("payload_lv", FROM_REQUEST | FROM_RESPONSE, BYTES_RUNNING),
	RDP("rdp_cookie", SMP_STR, fetch_rdp_cookie, "RDP cookie"),
	RDP("rdp_cookie_cnt", SMP_INT, fetch_rdp_cookie_cnt, "number of RDP cookies"),
	BUFFER("rep_ssl_hello_type", SMP_INT, FROM_RESPONSE, fetch_hello_type, BYTES_RESPONSE,
	       "type of the TLS hello in the response"),
	BUFFER("req.len", SMP_INT, FROM_REQUEST, fetch_len, BYTES_REQUEST,
	       "bytes in the request buffer"),
	PAYLOAD("req.payload", FROM_REQUEST, BYTES_REQUEST),
	PAYLOAD_LV("req.payload_lv", FROM_REQUEST, BYTES_REQUEST),
	RDP("req.rdp_cookie", SMP_STR, fetch_rdp_cookie, "RDP cookie"),
	RDP("req.rdp_cookie_cnt", SMP_INT, fetch_rdp_cookie_cnt, "number of RDP cookies"),
	BUFFER("req.ssl_alpn", SMP_STR, FROM_REQUEST, fetch_alpn, BYTES_REQUEST,
	       "protocols that a TLS client offers"),
	BUFFER("req.ssl_ec_ext", SMP_BOOL, FROM_REQUEST, fetch_ec_ext, BYTES_REQUEST,
	       "does a TLS client speak elliptic curves?"),
	BUFFER("req.ssl_hello_type", SMP_INT, FROM_REQUEST, fetch_hello_type, BYTES_REQUEST,
	       "type of the TLS hello in the request"),
	BUFFER("req.ssl_sni", SMP_STR, FROM_REQUEST, fetch_sni, BYTES_REQUEST,
	       "server name that a TLS client asks for"),
	BUFFER("req.ssl_st_ext", SMP_INT, FROM_REQUEST, fetch_ticket_ext, BYTES_REQUEST,
	       "session ticket of a TLS client: 0 none, 1 empty, 2 given"),
	BUFFER("req.ssl_ver", SMP_INT, FROM_REQUEST, fetch_ssl_ver, BYTES_REQUEST,
	       "version that a TLS client offers, major * 65536 + minor"),
	BUFFER("req_len", SMP_INT, FROM_REQUEST, fetch_len, BYTES_REQUEST, "as req.len"),
	BUFFER("req_ssl_hello_type", SMP_INT, FROM_REQUEST, fetch_hello_type, BYTES_REQUEST,
	       "as req.ssl_hello_type"),
	BUFFER("req_ssl_sni", SMP_STR, FROM_REQUEST, fetch_sni, BYTES_REQUEST, "as req.ssl_sni"),
	BUFFER("req_ssl_ver", SMP_INT, FROM_REQUEST, fetch_ssl_ver, BYTES_REQUEST,
	       "as req.ssl_ver"),
	BUFFER("res.len", SMP_INT, FROM_RESPONSE, fetch_len, BYTES_RESPONSE,
	       "bytes in the response buffer"),
	PAYLOAD("res.payload", FROM_RESPONSE, BYTES_RESPONSE),
	PAYLOAD_LV("res.payload_lv", FROM_RESPONSE, BYTES_RESPONSE),
	BUFFER("res.ssl_hello_type", SMP_INT, FROM_RESPONSE, fetch_hello_type, BYTES_RESPONSE,
	       "type of the TLS hello in the response"),
	BUFFER("wait_end", SMP_BOOL, FROM_STATE, fetch_wait_end, 0,
	       "true when the inspection is over"),
	{ 0 },
};
