/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and log aliases that mean something for datagrams. */
#include "expr/datagrams.h"

#include "base/bug.h"
#include "expr/expr.h"
#include "expr/logformat.h"

#include <stddef.h>
#include <string.h>

/* A name, or with '*' all that begin so. */
static const char *const found[] = {
	"always_false", "always_true", "avg_queue", "be_conn", "be_conn_free", "be_id", "be_name",
	"be_server_timeout", "be_sess_rate", "bin", "bool", "connslots", "date", "date_us", "dst",
	"dst_conn", "dst_is_local", "dst_port", "env", "fc_dst", "fc_dst_is_local", "fc_dst_port",
	"fc_src", "fc_src_is_local", "fc_src_port", "fe_client_timeout", "fe_conn", "fe_defbe",
	"fe_id", "fe_name", "fe_sess_rate", "hostname", "int", "ipv4", "ipv6", "lua.*", "nbproc",
	"nbsrv", "payload", "payload_lv", "proc", "queue", "rand", "req.len", "req.payload",
	"req.payload_lv", "req_len", "server_status", "so_id", "so_name", "src", "src_is_local",
	"src_port", "srv_*", "stopping", "str", "table_*", "thread", "uuid", "var",
};

static const struct {
	const char *name, *what;
} missing[] = {
	{ "ssl_*", "TLS" },         { "req.ssl_*", "TLS" },   { "req_ssl_*", "TLS" },
	{ "res.*", "answer to look at when a server is chosen" },
	{ "rep_*", "answer to look at when a server is chosen" },
	{ "fc_*", "connection" },   { "bc_*", "connection" }, { "sc_*", "stick table" },
	{ "sc0_*", "stick table" }, { "sc1_*", "stick table" }, { "sc2_*", "stick table" },
	{ "src_*", "stick table" }, { "cpu_*", "stream" },    { "lat_*", "stream" },
	{ "cur_*", "stream" },      { "prio_*", "queue" },    { "last_rule_*", "rules that end" },
	{ "wait_end", "inspection to end" },
};

static bool fits(const char *pattern, const char *name)
{
	size_t len = strlen(pattern) - 1;

	return pattern[len] == '*' ? !strncmp(pattern, name, len) : !strcmp(pattern, name);
}

bool expr_of_datagram(const struct expr *e)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(found); i++)
		if (fits(found[i], expr_fetch_name(e)))
			return true;
	return false;
}

const char *expr_missing_in_datagrams(const struct expr *e)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(missing); i++)
		if (fits(missing[i].name, expr_fetch_name(e)))
			return missing[i].what;
	return "HTTP";
}

const char *logformat_not_of_datagrams(const struct logformat *format)
{
	static const char *const aliases[] = { "CC", "CS", "ST", "Th", "hr", "hrl", "hs", "hsl",
					       "sslc", "sslv" };
	size_t i;

	if (logformat_http_alias(format))
		return logformat_http_alias(format);
	for (i = 0; i < ARRAY_LEN(aliases); i++)
		if (logformat_has(format, aliases[i]))
			return aliases[i];
	return NULL;
}
