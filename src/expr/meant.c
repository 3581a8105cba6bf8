/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of other languages for what fetches and criteria of ACLs look at. Called for messages. */
#include "expr/meant.h"

#include "base/bug.h"
#include "expr/acl.h"
#include "expr/expr.h"

#include <stdio.h>
#include <string.h>

struct meaning {
	const char *name, *meant;
};

static const struct meaning fetch_meanings[] = {
	{ "host", "req.hdr(host)" },
	{ "hostname", "req.hdr(host)" },
	{ "http_host", "req.hdr(host)" },
	{ "domain", "req.hdr(host)" },
	{ "header", "req.hdr" },
	{ "hdrs", "req.hdrs" },
	{ "user_agent", "req.hdr(user-agent)" },
	{ "useragent", "req.hdr(user-agent)" },
	{ "referer", "req.hdr(referer)" },
	{ "x-forwarded-for", "req.hdr(x-forwarded-for)" },
	{ "cookies", "req.cook" },
	{ "ip", "src" },
	{ "client_ip", "src" },
	{ "clientip", "src" },
	{ "remote_addr", "src" },
	{ "source", "src" },
	{ "src_ip", "src" },
	{ "dst_ip", "dst" },
	{ "port", "dst_port" },
	{ "uri", "url" },
	{ "request_uri", "url" },
	{ "querystring", "query" },
	{ "query_string", "query" },
	{ "param", "urlp" },
	{ "arg", "urlp" },
	{ "body", "req.body" },
	{ "https", "ssl_fc" },
	{ "ssl", "ssl_fc" },
	{ "tls", "ssl_fc" },
	{ "is_ssl", "ssl_fc" },
	{ "scheme", "ssl_fc" },
	{ "sni", "ssl_fc_sni' or, where TLS is passed on, 'req.ssl_sni" },
	{ "ssl_sni", "ssl_fc_sni' or, where TLS is passed on, 'req.ssl_sni" },
	{ "time", "date" },
	{ "now", "date" },
	{ "env_var", "env" },
	{ "req.header", "req.hdr" },
	{ "req.headers", "req.hdrs" },
	{ "req.host", "req.hdr(host)" },
	{ "hdr.host", "req.hdr(host)" },
	{ "req.path", "path" },
	{ "req.url", "url" },
	{ "req.method", "method" },
	{ "req.query", "query" },
	{ "res.header", "res.hdr" },
	{ "res.status", "status" },
	{ "ssl_client_dn", "ssl_c_s_dn" },
	{ "ssl_client_s_dn", "ssl_c_s_dn" },
	{ "ssl_client_cert", "ssl_c_der" },
};

static const struct meaning converter_meanings[] = {
	{ "uppercase", "upper" },
	{ "to_upper", "upper" },
	{ "toupper", "upper" },
	{ "lowercase", "lower" },
	{ "to_lower", "lower" },
	{ "tolower", "lower" },
	{ "substr", "bytes" },
	{ "substring", "bytes" },
	{ "slice", "bytes" },
	{ "replace", "regsub" },
	{ "gsub", "regsub" },
	{ "split", "field" },
	{ "len", "length" },
	{ "strlen", "length" },
	{ "size", "length" },
	{ "urldecode", "url_dec" },
	{ "urlencode", "url_enc" },
	{ "base64_encode", "base64" },
	{ "b64enc", "base64" },
	{ "base64_decode", "b64dec" },
};

/* Comparisons, as other languages call them. */
static const struct meaning suffixes[] = {
	{ "begin", "beg" },
	{ "begins", "beg" },
	{ "beginning", "beg" },
	{ "begins_with", "beg" },
	{ "start", "beg" },
	{ "starts", "beg" },
	{ "startswith", "beg" },
	{ "starts_with", "beg" },
	{ "start_with", "beg" },
	{ "prefix", "beg" },
	{ "ends", "end" },
	{ "endswith", "end" },
	{ "ends_with", "end" },
	{ "end_with", "end" },
	{ "suffix", "end" },
	{ "contain", "sub" },
	{ "contains", "sub" },
	{ "has", "sub" },
	{ "substr", "sub" },
	{ "substring", "sub" },
	{ "includes", "sub" },
	{ "regex", "reg" },
	{ "regexp", "reg" },
	{ "re", "reg" },
	{ "match", "reg" },
	{ "matches", "reg" },
	{ "rx", "reg" },
	{ "equals", "" },
	{ "equal", "" },
	{ "eq", "" },
	{ "is", "" },
	{ "length", "len" },
	{ "domain", "dom" },
	{ "directory", "dir" },
};

static const char *meaning(const struct meaning *rows, size_t count, struct span name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (span_equal(name, span_of(rows[i].name)))
			return rows[i].meant;
	return NULL;
}

const char *fetch_meant(struct span name)
{
	return meaning(fetch_meanings, ARRAY_LEN(fetch_meanings), name);
}

const char *converter_meant(struct span name)
{
	return meaning(converter_meanings, ARRAY_LEN(converter_meanings), name);
}

bool criterion_meant(struct span name, char *memory, size_t size)
{
	const char *end = name.ptr + name.len, *p, *ours;
	struct span made;
	int len;

	for (p = name.ptr; p < end; p++) {
		if (*p != '_')
			continue;
		ours = meaning(suffixes, ARRAY_LEN(suffixes),
			       (struct span){ p + 1, (size_t)(end - p - 1) });
		if (!ours)
			continue;
		len = snprintf(memory, size, "%.*s%s%s", (int)(p - name.ptr), name.ptr,
			       *ours ? "_" : "", ours);
		made = (struct span){ memory, (size_t)len };
		if ((size_t)len < size &&
		    (acl_word_known(made) || (!*ours && expr_fetch_find(made))))
			return true;
	}
	return false;
}
