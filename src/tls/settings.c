/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words about TLS that bind lines, server lines, lines of a crt-list and the defaults of the
 * global section share: each sets a field of struct tls_settings. Texts come in as words and
 * problems go out as sentences, so that commands at run time take the same way as the
 * configuration. What a value means to OpenSSL is found out by tls/settings_apply.c. Pure, but for
 * the arena.
 */
#include "tls/settings.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "tls/ignore.h"
#include "tls/store_files.h"
#include "tls/trust.h"

#include <openssl/ssl.h>
#include <string.h>

struct tls_global tls_global;

struct setting;
struct setting_use {
	const struct setting *word;
	struct tls_settings *set;
	const char *arg;
	struct arena *arena;
	struct err *err;
};

struct setting {
	const char *name;
	unsigned where; /* TLS_IN_* */
	int args;
	int (*apply)(const struct setting_use *use);
	size_t offset;  /* of a string */
	int value;      /* bit of the options, version */
	bool off;       /* clears the bit */
};

static int apply_bit(const struct setting_use *use)
{
	uint64_t bit = (uint64_t)use->word->value;

	use->set->options.given |= bit;
	if (use->word->off)
		use->set->options.on &= ~bit;
	else
		use->set->options.on |= bit;
	return 0;
}

static int apply_string(const struct setting_use *use)
{
	*(const char **)(void *)((char *)use->set + use->word->offset) =
		arena_strdup(use->arena, use->arg);
	return 0;
}

static int apply_ca(const struct setting_use *use)
{
	const char *path = tls_store_ca_path(use->arena, use->arg);

	*(const char **)(void *)((char *)use->set + use->word->offset) = path;
	return tls_trust_read(path, use->err);
}

/* -- versions ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int version;
	uint64_t without;
} versions[] = {
	{ "SSLv3", SSL3_VERSION, SSL_OP_NO_SSLv3 },
	{ "TLSv1.0", TLS1_VERSION, SSL_OP_NO_TLSv1 },
	{ "TLSv1.1", TLS1_1_VERSION, SSL_OP_NO_TLSv1_1 },
	{ "TLSv1.2", TLS1_2_VERSION, SSL_OP_NO_TLSv1_2 },
	{ "TLSv1.3", TLS1_3_VERSION, SSL_OP_NO_TLSv1_3 },
};

static unsigned version_bit(int version)
{
	return version == SSL3_VERSION ? 1U << 31 : 1U << (version - TLS1_VERSION);
}

static int version_of(const struct setting_use *use)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(versions); i++)
		if (!strcmp(use->arg, versions[i].name))
			return versions[i].version;
	return err_set(use->err, "'%s' is not a version: SSLv3, TLSv1.0, TLSv1.1, TLSv1.2 or "
		       "TLSv1.3 expected", use->arg);
}

static int apply_min(const struct setting_use *use)
{
	int version = version_of(use);

	if (version < 0)
		return -1;
	use->set->min_version = version;
	return 0;
}

static int apply_max(const struct setting_use *use)
{
	int version = version_of(use);

	if (version < 0)
		return -1;
	use->set->max_version = version;
	return 0;
}

static int apply_force(const struct setting_use *use)
{
	use->set->min_version = use->set->max_version = use->word->value;
	return 0;
}

static int apply_forbid(const struct setting_use *use)
{
	use->set->forbidden |= version_bit(use->word->value);
	return 0;
}

/* Which of the list are allowed by min, max, forbidden. */
static unsigned versions_left(int min, int max, unsigned forbidden)
{
	unsigned left = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(versions); i++)
		if (versions[i].version >= min && versions[i].version <= max &&
		    !(forbidden & version_bit(versions[i].version)))
			left |= 1U << i;
	return left;
}

int tls_settings_versions(const struct tls_settings *set, int *min, int *max, uint64_t *without,
			  const char **doubt, struct err *err)
{
	bool range = set->min_version || set->max_version;
	unsigned left, i;
	const char *why = NULL;

	*min = set->min_version;
	*max = set->max_version ? set->max_version : TLS1_3_VERSION;
	if (!*min)
		*min = TLS1_2_VERSION;
	if (!set->min_version && *max < *min) {
		*min = *max;
		why = "'ssl-max-ver' is below the least version by default, TLSv1.2: it is the "
		      "only version allowed; say so with 'ssl-min-ver'";
	}
	if (range && set->forbidden)
		why = "words such as 'no-tlsv12' have no effect beside 'ssl-min-ver', "
		      "'ssl-max-ver' and 'force-tlsv1x'";
	left = versions_left(*min, *max, range ? 0 : set->forbidden);
	if (!why && set->options.on & TLS_ALLOW_0RTT && !(left & 1U << (ARRAY_LEN(versions) - 1)))
		why = "'allow-0rtt' has no effect: early data need TLS 1.3";
	if (!why && set->options.on & TLS_KERNEL && !(left & 1U << (ARRAY_LEN(versions) - 2)))
		why = "'ktls on' has no effect: the kernel gets connections of TLS 1.2 only";
	if (doubt)
		*doubt = why;
	if (!left || *max == SSL3_VERSION)
		return err_set(err, *max == SSL3_VERSION ?
			       "OpenSSL does not speak SSLv3 any more: no version of TLS is left" :
			       "no version of TLS is left");
	*min = versions[__builtin_ctz(left)].version;
	*max = versions[31 - __builtin_clz(left)].version;
	if (without)
		*without = 0;
	for (i = 0; without && i < ARRAY_LEN(versions); i++)
		if (!(left & 1U << i))
			*without |= versions[i].without;
	return 0;
}

/* -- lists --------------------------------------------------------------------------------- */

/* "h2,http/1.1" in the form of the wire. Empty names are left out, as the reference does. */
static int apply_alpn(const struct setting_use *use)
{
	const char *name = use->arg, *end;
	char *wire = arena_alloc(use->arena, strlen(name) + 2), *p = wire;
	size_t len;

	for (;; name = end + 1) {
		end = strchrnul(name, ',');
		len = (size_t)(end - name);
		if (len > 255)
			return err_set(use->err, "a protocol's name has at most 255 letters");
		if (len) {
			*p++ = (char)(unsigned char)len;
			memcpy(p, name, len);
			p += len;
		}
		if (!*end)
			break;
	}
	if (p == wire)
		return err_set(use->err, "'alpn' needs protocols, such as 'h2,http/1.1'");
	use->set->alpn = (struct span){ wire, (size_t)(p - wire) };
	use->set->has_alpn = true;
	return 0;
}

static int apply_no_alpn(const struct setting_use *use)
{
	use->set->alpn = (struct span){ NULL, 0 };
	use->set->has_alpn = true;
	return 0;
}

static int apply_verify(const struct setting_use *use)
{
	static const char *const names[] = { [TLS_VERIFY_NONE] = "none",
					     [TLS_VERIFY_OPTIONAL] = "optional",
					     [TLS_VERIFY_REQUIRED] = "required" };
	enum tls_verify i;

	for (i = TLS_VERIFY_NONE; i <= TLS_VERIFY_REQUIRED; i++)
		if (!strcmp(use->arg, names[i])) {
			use->set->verify = i;
			return 0;
		}
	return err_set(use->err, "'%s' is not what 'verify' takes: none, optional or required "
		       "expected", use->arg);
}

static int apply_ignore(const struct setting_use *use)
{
	struct tls_ignore *ignore = arena_alloc(use->arena, sizeof(*ignore));

	if (tls_ignore_parse(ignore, use->arg, use->err))
		return -1;
	*(const struct tls_ignore **)(void *)((char *)use->set + use->word->offset) = ignore;
	return 0;
}

static int apply_ktls(const struct setting_use *use)
{
	bool on = !strcmp(use->arg, "on");

	if (!on && strcmp(use->arg, "off") != 0)
		return err_set(use->err, "'%s' is not what 'ktls' takes: on or off expected",
			       use->arg);
	use->set->options.given |= TLS_KERNEL;
	if (on)
		use->set->options.on |= TLS_KERNEL;
	else
		use->set->options.on &= ~(uint64_t)TLS_KERNEL;
	return 0;
}

/* It never had an effect with OpenSSL 3: said by tls_settings_parse. */
static int apply_npn(const struct setting_use *use)
{
	(void)use;
	return 0;
}

/* -- the words ----------------------------------------------------------------------------- */

#define AT(field) offsetof(struct tls_settings, field)
enum { BOTH = TLS_IN_BIND | TLS_IN_SERVER,
       LINES = TLS_IN_BIND | TLS_IN_LIST,
       ALL = TLS_IN_BIND | TLS_IN_LIST | TLS_IN_SERVER,
       OPTION = TLS_IN_BIND | TLS_IN_SERVER | TLS_IN_DEFAULT };

static const struct setting settings[] = {
	{ "allow-0rtt", ALL, 0, apply_bit, .value = TLS_ALLOW_0RTT },
	{ "alpn", ALL, 1, apply_alpn, .offset = 0 },
	{ "no-alpn", LINES, 0, apply_no_alpn, .offset = 0 },
	{ "npn", ALL, 1, apply_npn, .offset = 0 },
	{ "ca-file", ALL, 1, apply_ca, .offset = AT(ca_file) },
	{ "ca-verify-file", LINES, 1, apply_ca, .offset = AT(ca_verify_file) },
	{ "crl-file", ALL, 1, apply_ca, .offset = AT(crl_file) },
	{ "ca-ignore-err", TLS_IN_BIND, 1, apply_ignore, .offset = AT(ca_ignore) },
	{ "crt-ignore-err", TLS_IN_BIND, 1, apply_ignore, .offset = AT(crt_ignore) },
	{ "ciphers", ALL, 1, apply_string, .offset = AT(ciphers) },
	{ "ciphersuites", ALL, 1, apply_string, .offset = AT(ciphersuites) },
	{ "curves", ALL, 1, apply_string, .offset = AT(curves) },
	{ "ecdhe", LINES, 1, apply_string, .offset = AT(ecdhe) },
	{ "sigalgs", ALL, 1, apply_string, .offset = AT(sigalgs) },
	{ "client-sigalgs", ALL, 1, apply_string, .offset = AT(client_sigalgs) },
	{ "ktls", BOTH, 1, apply_ktls, .offset = 0 },
	{ "no-ca-names", LINES, 0, apply_bit, .value = TLS_NO_CA_NAMES },
	{ "verify", ALL, 1, apply_verify, .offset = 0 },
	{ "ssl-min-ver", ALL | TLS_IN_DEFAULT, 1, apply_min, .offset = 0 },
	{ "ssl-max-ver", ALL | TLS_IN_DEFAULT, 1, apply_max, .offset = 0 },
	{ "force-sslv3", OPTION, 0, apply_force, .value = SSL3_VERSION },
	{ "force-tlsv10", OPTION, 0, apply_force, .value = TLS1_VERSION },
	{ "force-tlsv11", OPTION, 0, apply_force, .value = TLS1_1_VERSION },
	{ "force-tlsv12", OPTION, 0, apply_force, .value = TLS1_2_VERSION },
	{ "force-tlsv13", OPTION, 0, apply_force, .value = TLS1_3_VERSION },
	{ "no-sslv3", OPTION, 0, apply_forbid, .value = SSL3_VERSION },
	{ "no-tlsv10", OPTION, 0, apply_forbid, .value = TLS1_VERSION },
	{ "no-tlsv11", OPTION, 0, apply_forbid, .value = TLS1_1_VERSION },
	{ "no-tlsv12", OPTION, 0, apply_forbid, .value = TLS1_2_VERSION },
	{ "no-tlsv13", OPTION, 0, apply_forbid, .value = TLS1_3_VERSION },
	{ "no-tls-tickets", OPTION, 0, apply_bit, .value = TLS_NO_TICKETS },
	{ "tls-tickets", TLS_IN_SERVER | TLS_IN_DEFAULT, 0, apply_bit, .value = TLS_NO_TICKETS,
	  .off = true },
	{ "prefer-client-ciphers", TLS_IN_BIND | TLS_IN_DEFAULT, 0, apply_bit,
	  .value = TLS_PREFER_CLIENT_CIPHERS },
	{ "strict-sni", TLS_IN_BIND, 0, apply_bit, .value = TLS_STRICT_SNI },
	{ "generate-certificates", TLS_IN_BIND, 0, apply_bit, .value = TLS_GENERATE },
	{ "ssl", BOTH, 0, apply_bit, .value = TLS_SSL },
	{ "no-ssl", TLS_IN_SERVER, 0, apply_bit, .value = TLS_SSL, .off = true },
	{ "no-ssl-reuse", TLS_IN_SERVER, 0, apply_bit, .value = TLS_NO_REUSE },
	{ "ssl-reuse", TLS_IN_SERVER, 0, apply_bit, .value = TLS_NO_REUSE, .off = true },
};

static const struct setting *setting_find(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(settings); i++)
		if (!strcmp(settings[i].name, word))
			return &settings[i];
	return NULL;
}

int tls_settings_word(const char *word, unsigned where)
{
	const struct setting *s = setting_find(word);

	return s && s->where & where ? s->args : -1;
}

int tls_settings_set(struct tls_settings *set, const char *word, const char *arg,
		     struct arena *arena, struct err *err)
{
	struct setting_use use = { setting_find(word), set, arg, arena, err };

	BUG_ON(!use.word);
	if (use.word->args && (!arg || !*arg))
		return err_set(err, "'%s' needs a value", word);
	return use.word->apply(&use);
}

int tls_settings_parse(struct statement *st, const char *word, struct tls_settings *set)
{
	const struct setting *s = setting_find(word);
	const char *arg = NULL;
	struct err err;

	BUG_ON(!s);
	if (s->args && !(arg = stmt_need(st, "a value")))
		return -1;
	if (!strcmp(word, "npn"))
		stmt_warning(st, st->at - 2, "'npn' has no effect: browsers and OpenSSL have ALPN in "
			     "its place; write 'alpn %s'", arg);
	if (tls_settings_set(set, word, arg, st->cfg->arena, &err))
		return stmt_error(st, st->at - 1, "%s", err.text);
	return 0;
}

/* -- together ------------------------------------------------------------------------------ */

#define INHERIT(field) do { if (!over->field) over->field = under->field; } while (0)

void tls_settings_inherit(struct tls_settings *over, const struct tls_settings *under)
{
	uint64_t taken = under->options.given & ~over->options.given;

	over->options.on |= under->options.on & taken;
	over->options.given |= taken;
	/* A line that names the versions itself is not narrowed by words of the defaults. */
	INHERIT(min_version);
	INHERIT(max_version);
	over->forbidden |= under->forbidden;
	INHERIT(ciphers);
	INHERIT(ciphersuites);
	if (!over->curves && !over->ecdhe) {
		over->curves = under->curves;
		over->ecdhe = under->ecdhe;
	}
	INHERIT(sigalgs);
	INHERIT(client_sigalgs);
	INHERIT(verify);
	INHERIT(ca_file);
	INHERIT(ca_verify_file);
	INHERIT(crl_file);
	INHERIT(ca_ignore);
	INHERIT(crt_ignore);
	if (!over->has_alpn) {
		over->has_alpn = under->has_alpn;
		over->alpn = under->alpn;
	}
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_ignore(const struct tls_ignore *a, const struct tls_ignore *b)
{
	return a == b || (a && b && !memcmp(a, b, sizeof(*a)));
}

static bool same_alpn(const struct tls_settings *a, const struct tls_settings *b)
{
	return a->has_alpn == b->has_alpn && a->alpn.len == b->alpn.len &&
	       (!a->alpn.len || !memcmp(a->alpn.ptr, b->alpn.ptr, a->alpn.len));
}

bool tls_settings_equal(const struct tls_settings *a, const struct tls_settings *b)
{
	return a->options.on == b->options.on && a->min_version == b->min_version &&
	       a->max_version == b->max_version && a->forbidden == b->forbidden &&
	       a->verify == b->verify && same(a->ciphers, b->ciphers) &&
	       same(a->ciphersuites, b->ciphersuites) && same(a->curves, b->curves) &&
	       same(a->ecdhe, b->ecdhe) && same(a->sigalgs, b->sigalgs) &&
	       same(a->client_sigalgs, b->client_sigalgs) && same(a->ca_file, b->ca_file) &&
	       same(a->ca_verify_file, b->ca_verify_file) && same(a->crl_file, b->crl_file) &&
	       same_ignore(a->ca_ignore, b->ca_ignore) &&
	       same_ignore(a->crt_ignore, b->crt_ignore) && same_alpn(a, b);
}

static const char *copy_string(struct arena *arena, const char *s)
{
	return s ? arena_strdup(arena, s) : NULL;
}

static const struct tls_ignore *copy_ignore(struct arena *arena, const struct tls_ignore *from)
{
	struct tls_ignore *copy = from ? arena_alloc(arena, sizeof(*copy)) : NULL;

	if (copy)
		*copy = *from;
	return copy;
}

void tls_settings_copy(struct tls_settings *to, const struct tls_settings *from, struct arena *arena)
{
	const char **strings[] = { &to->ciphers, &to->ciphersuites, &to->curves, &to->ecdhe,
				   &to->sigalgs, &to->client_sigalgs, &to->ca_file,
				   &to->ca_verify_file, &to->crl_file };
	unsigned i;

	*to = *from;
	for (i = 0; i < ARRAY_LEN(strings); i++)
		*strings[i] = copy_string(arena, *strings[i]);
	if (to->alpn.len)
		to->alpn.ptr = arena_strndup(arena, from->alpn.ptr, from->alpn.len);
	to->ca_ignore = copy_ignore(arena, from->ca_ignore);
	to->crt_ignore = copy_ignore(arena, from->crt_ignore);
}
