/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of what came before a connection's first byte: what a PROXY header has told besides
 * addresses, and why a connection was of no use (manual 7.3.3). That something asks for the former
 * makes sessions keep it. */
#include "base/err.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "net/faults.h"
#include "net/proxyproto.h"
#include "proxy/proxy.h"

#include <stdlib.h>
#include <strings.h>

/* -- vectors ------------------------------------------------------------------------------ */

enum { VALUE_MAX = 1024 }; /* of fc_pp_tlv, as later manuals say */

static void vectors_need(const struct expr_context *ctx)
{
	if (ctx->cfg)
		((struct proxies *)config_data(ctx->cfg, &proxy_module))->global.keeps_vectors = true;
}

static int check_vectors(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)args;
	(void)err;
	vectors_need(ctx);
	return 0;
}

/* As the reference: of several the last one. */
static enum expr_result fetch_vector(struct fetch_call *call, struct sample *smp)
{
	struct span left = call->view->vectors, value;
	bool found = false;

	while (proxyproto_find(&left, (uint8_t)call->row->data, &value)) {
		found = true;
		smp->str = value;
	}
	return found && smp->str.len ? EXPR_FOUND : EXPR_NONE;
}

static const struct {
	const char *name;
	uint8_t type;
} vector_names[] = {
	{ "ALPN", PROXYPROTO_ALPN },
	{ "AUTHORITY", PROXYPROTO_AUTHORITY },
	{ "CRC32C", PROXYPROTO_CRC32C },
	{ "NETNS", PROXYPROTO_NETNS },
	{ "NOOP", PROXYPROTO_NOOP },
	{ "SSL", PROXYPROTO_SSL },
	{ "SSL_CIPHER", PROXYPROTO_SSL_CIPHER },
	{ "SSL_CN", PROXYPROTO_SSL_CN },
	{ "SSL_KEY_ALG", PROXYPROTO_SSL_KEY_ALG },
	{ "SSL_SIG_ALG", PROXYPROTO_SSL_SIG_ALG },
	{ "SSL_VERSION", PROXYPROTO_SSL_VERSION },
	{ "UNIQUE_ID", PROXYPROTO_UNIQUE_ID },
};

/* A name, or a number from 0 to 255. -1: neither. */
static int vector_type(const char *text)
{
	unsigned long n;
	char *end;
	size_t i;

	for (i = 0; i < ARRAY_LEN(vector_names); i++)
		if (!strcasecmp(text, vector_names[i].name))
			return vector_names[i].type;
	if (*text < '0' || *text > '9')
		return -1;
	n = strtoul(text, &end, 0);
	return *end || n > UINT8_MAX ? -1 : (int)n;
}

static int check_type(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *text = args[0].type == ARG_STR ? args[0].str.ptr : "";
	int type = vector_type(text);

	if (type < 0)
		return err_set(err, "'%s' is no type of the PROXY protocol: a number from 0 to 255 or "
			       "one of ALPN, AUTHORITY, CRC32C, NETNS, NOOP, SSL, SSL_CIPHER, SSL_CN, "
			       "SSL_KEY_ALG, SSL_SIG_ALG, SSL_VERSION, UNIQUE_ID expected", text);
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = type };
	vectors_need(ctx);
	return 0;
}

/* All of a type, one after the other. */
static enum expr_result fetch_vector_of(struct fetch_call *call, struct sample *smp)
{
	struct span left = call->view->vectors, value;
	uint8_t type = (uint8_t)call->args[0].num;
	unsigned n = 0;

	while (proxyproto_find(&left, type, &value)) {
		if (value.len > VALUE_MAX || n++ < call->nth)
			continue;
		smp->str = value;
		if (call->all)
			smp->flags |= SMP_NOT_LAST;
		return EXPR_FOUND;
	}
	return EXPR_NONE;
}

/* -- faults ------------------------------------------------------------------------------- */

enum { OF_CLIENT, OF_SERVER };

/* -1: there is no such connection. */
static int fault_of(const struct fetch_call *call)
{
	const struct view *view = call->view;

	if (call->row->data == OF_CLIENT)
		return view->client_fault;
	return view->server_fault != FAULT_NONE || link_is(view->server_link) ? view->server_fault : -1;
}

static enum expr_result fetch_fault(struct fetch_call *call, struct sample *smp)
{
	int fault = fault_of(call);

	if (fault < 0)
		return EXPR_NONE;
	smp->num = fault_number((enum conn_fault)fault);
	return EXPR_FOUND;
}

static enum expr_result fetch_fault_text(struct fetch_call *call, struct sample *smp)
{
	int fault = fault_of(call);

	if (fault < 0)
		return EXPR_NONE;
	smp->str = span_of(fault_text((enum conn_fault)fault));
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

const struct fetch fetch_faults[] = {
	{ "bc_err", { 0 }, SMP_INT, FROM_SERVER, fetch_fault, .data = OF_SERVER,
	  .help = "number of what was wrong with the connection to the server" },
	{ "bc_err_str", { 0 }, SMP_STR, FROM_SERVER, fetch_fault_text, .data = OF_SERVER,
	  .help = "what was wrong with the connection to the server" },
	{ "fc_err", { 0 }, SMP_INT, FROM_CONNECTION, fetch_fault, .data = OF_CLIENT,
	  .help = "number of what was wrong with the client's connection; 0: nothing" },
	{ "fc_err_str", { 0 }, SMP_STR, FROM_CONNECTION, fetch_fault_text, .data = OF_CLIENT,
	  .help = "what was wrong with the client's connection" },
	{ "fc_pp_authority", { 0 }, SMP_STR, FROM_CONNECTION, fetch_vector, check_vectors,
	  .data = PROXYPROTO_AUTHORITY, .help = "the authority that a PROXY header told" },
	{ "fc_pp_tlv", ARGS(1, ARG_STR), SMP_STR, FROM_CONNECTION, fetch_vector_of, check_type,
	  .help = "values of a type that a PROXY header told" },
	{ "fc_pp_unique_id", { 0 }, SMP_STR, FROM_CONNECTION, fetch_vector, check_vectors,
	  .data = PROXYPROTO_UNIQUE_ID, .help = "the unique id that a PROXY header told" },
	{ 0 },
};
