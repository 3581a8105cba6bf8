/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that name a fetch together with a match method, and the ACLs that need no declaration.
 * Called by what reads ACLs and conditions, and for hints. */
#include "expr/acl.h"
#include "expr/acl_conf.h"
#include "expr/names.h"

#include <string.h>

#define FORMS(word, fetch)                                                                    \
	{ word "_beg", fetch, MATCH_BEG }, { word "_dir", fetch, MATCH_DIR },                  \
	{ word "_dom", fetch, MATCH_DOM }, { word "_end", fetch, MATCH_END },                  \
	{ word "_len", fetch, MATCH_LEN }, { word "_reg", fetch, MATCH_REG },                  \
	{ word "_sub", fetch, MATCH_SUB }

const struct acl_word acl_words[] = {
	{ "base", "base", MATCH_STR },
	FORMS("base", "base"),
	{ "cook", "req.cook", MATCH_STR },
	FORMS("cook", "req.cook"),
	{ "hdr", "req.hdr", MATCH_STR },
	FORMS("hdr", "req.hdr"),
	{ "http_auth_group", "http_auth_group", MATCH_GROUP },
	{ "method", "method", MATCH_METH },
	{ "path", "path", MATCH_STR },
	FORMS("path", "path"),
	{ "payload", "payload", MATCH_BIN },
	{ "payload_lv", "payload_lv", MATCH_BIN },
	{ "req.ssl_ver", "req.ssl_ver", MATCH_VERSION },
	{ "req_rdp_cookie", "req.rdp_cookie", MATCH_STR },
	{ "req_rdp_cookie_cnt", "req.rdp_cookie_cnt", MATCH_INT },
	{ "req_ssl_sni", "req.ssl_sni", MATCH_STR },
	{ "req_ssl_ver", "req.ssl_ver", MATCH_VERSION },
	{ "req_ver", "req.ver", MATCH_STR },
	{ "resp_ver", "res.ver", MATCH_STR },
	{ "scook", "res.cook", MATCH_STR },
	FORMS("scook", "res.cook"),
	{ "shdr", "res.hdr", MATCH_STR },
	FORMS("shdr", "res.hdr"),
	{ "ssl_fc_sni_end", "ssl_fc_sni", MATCH_END },
	{ "ssl_fc_sni_reg", "ssl_fc_sni", MATCH_REG },
	{ "url", "url", MATCH_STR },
	FORMS("url", "url"),
	{ "urlp", "urlp", MATCH_STR },
	FORMS("urlp", "urlp"),
	{ 0 },
};

const struct acl_predefined acl_predefined[] = {
	{ "FALSE", "always_false" },
	{ "HTTP", "req.proto_http" },
	{ "HTTP_1.0", "req.ver 1.0" },
	{ "HTTP_1.1", "req.ver 1.1" },
	{ "HTTP_2.0", "req.ver 2.0" },
	{ "HTTP_CONTENT", "req.hdr_val(content-length) gt 0" },
	{ "HTTP_URL_ABS", "url_reg ^[^/:]*://" },
	{ "HTTP_URL_SLASH", "url_beg /" },
	{ "HTTP_URL_STAR", "url *" },
	{ "LOCALHOST", "src 127.0.0.1/8 ::1" },
	{ "METH_CONNECT", "method CONNECT" },
	{ "METH_DELETE", "method DELETE" },
	{ "METH_GET", "method GET HEAD" },
	{ "METH_HEAD", "method HEAD" },
	{ "METH_OPTIONS", "method OPTIONS" },
	{ "METH_POST", "method POST" },
	{ "METH_PUT", "method PUT" },
	{ "METH_TRACE", "method TRACE" },
	{ "RDP_COOKIE", "req.rdp_cookie_cnt gt 0" },
	{ "REQ_CONTENT", "req.len gt 0" },
	{ "TRUE", "always_true" },
	{ "WAIT_END", "wait_end" },
	{ 0 },
};

const struct acl_word *acl_word_find(struct span name)
{
	const struct acl_word *w;

	for (w = acl_words; w->name; w++) {
		if (span_equal(name, span_of(w->name)))
			return w;
	}
	return NULL;
}

bool acl_word_known(struct span name)
{
	return acl_word_find(name) != NULL;
}

bool cond_is_test(const char *word)
{
	struct span name = { word, strcspn(word, "(,") };

	return expr_fetch_find(name) || acl_word_known(name);
}
