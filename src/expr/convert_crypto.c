/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters that digest, authenticate and decipher by OpenSSL (manual 7.3.1): sha1, sha2, digest,
 * hmac, aes_gcm_dec. They write to scratch memory only. */
#include "expr/crypto.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/tables.h"
#include "expr/vars.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

/* -- digests by their names
 * --------------------------------------------------------------------- */

/* Fetched once a name: finding the implementation costs more than to digest a few bytes. They stay
 * until the process ends. */
struct named_md {
	struct named_md *next;
	EVP_MD *md;
	char name[];
};

static struct named_md *named_mds;

const EVP_MD *crypto_md(const char *name)
{
	size_t len = strlen(name);
	struct named_md *n;

	for (n = named_mds; n; n = n->next) {
		if (!strcmp(n->name, name))
			return n->md;
	}
	n = calloc(1, sizeof(*n) + len + 1);
	BUG_ON(!n);
	memcpy(n->name, name, len);
	n->md = len ? EVP_MD_fetch(NULL, name, NULL) : NULL;
	if (!n->md) {
		free(n);
		return NULL;
	}
	n->next = named_mds;
	named_mds = n;
	return n->md;
}

static int check_md(struct expr_arg *arg, const char *name, struct err *err)
{
	const EVP_MD *md = crypto_md(name);

	if (!md)
		return err_set(err, "OpenSSL has no digest '%s' here; sha256 is one", name);
	*arg = (struct expr_arg){ .type = ARG_PTR, .ptr = (void *)md };
	return 0;
}

static int check_digest(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return check_md(&args[0], args[0].type == ARG_STR ? args[0].str.ptr : "", err);
}

static int check_sha1(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return check_md(&args[0], "sha1", err);
}

static int check_sha2(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	int64_t bits = args[0].type == ARG_INT ? args[0].num : 256;
	char name[16];

	(void)ctx;
	if (bits != 224 && bits != 256 && bits != 384 && bits != 512)
		return err_set(err, "SHA-2 has 224, 256, 384 or 512 bits");
	snprintf(name, sizeof(name), "sha%d", (int)bits);
	return check_md(&args[0], name, err);
}

static bool convert_digest(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row)
{
	unsigned char *out = (unsigned char *)expr_scratch();
	unsigned len = 0;

	(void)view;
	(void)row;
	if (EVP_Digest(smp->str.ptr, smp->str.len, out, &len, args[0].ptr, NULL) != 1)
		return false;
	smp->str = (struct span){ (char *)out, len };
	smp->type = SMP_BIN;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* -- arguments in base64, or in variables that hold base64
 * -------------------------------------- */

static bool unbase64(struct span text, struct span *bytes)
{
	const struct converter *decode = expr_converter_find(span_of("b64dec"));
	struct sample smp = { .type = SMP_STR, .str = text };

	if (!decode->run(NULL, &smp, NULL, decode))
		return false;
	*bytes = smp.str;
	return true;
}

static int check_base64(struct expr_arg *arg, const struct expr_context *ctx, const char *what,
			struct err *err)
{
	struct span text = arg->type == ARG_STR ? arg->str : (struct span){ "", 0 }, bytes;
	const struct var_name *var = text.len ? var_name(text, NULL) : NULL;

	if (var) {
		*arg = (struct expr_arg){ .type = ARG_VAR, .var = var };
		return 0;
	}
	if (!unbase64(text, &bytes))
		return err_set(err, "the %s must be base64, or a variable that holds base64", what);
	arg->type = ARG_STR;
	arg->str = (struct span){ arena_strndup(ctx->arena, bytes.ptr, bytes.len), bytes.len };
	return 0;
}

/* Into memory of size bytes; false: it is not set, no base64, or longer. */
static bool key_bytes(const struct expr_arg *arg, const struct view *view, unsigned char *memory,
		      size_t size, struct span *bytes)
{
	struct sample value = { .flags = 0 };

	if (arg->type == ARG_STR) {
		*bytes = arg->str;
		return true;
	}
	if (!var_get(arg->var, view, &value) || !sample_cast(&value, SMP_STR) ||
	    !unbase64(value.str, bytes) || bytes->len > size)
		return false;
	memcpy(memory, bytes->ptr, bytes->len);
	bytes->ptr = (char *)memory;
	return true;
}

/* -- hmac
 * ---------------------------------------------------------------------------------------- */

static int check_hmac(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	if (check_md(&args[0], args[0].type == ARG_STR ? args[0].str.ptr : "", err))
		return -1;
	return check_base64(&args[1], ctx, "key", err);
}

static bool convert_hmac(const struct expr_arg *args, struct sample *smp, const struct view *view,
			 const struct converter *row)
{
	unsigned char memory[1024], *out;
	unsigned len = 0;
	struct span key;
	bool done;

	(void)row;
	if (!key_bytes(&args[1], view, memory, sizeof(memory), &key))
		return false;
	out = (unsigned char *)expr_scratch();
	done = HMAC(args[0].ptr, key.ptr, (int)key.len, (const unsigned char *)smp->str.ptr,
		    smp->str.len, out, &len) != NULL;
	OPENSSL_cleanse(memory, sizeof(memory));
	if (!done)
		return false;
	smp->str = (struct span){ (char *)out, len };
	smp->type = SMP_BIN;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* -- aes_gcm_dec
 * --------------------------------------------------------------------------------- */

enum { GCM_BITS, GCM_NONCE, GCM_KEY, GCM_TAG, TAG_LEAST = 12, TAG_MOST = 16, NONCE_MOST = 128 };

static int check_aes_gcm(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	int64_t bits = args[GCM_BITS].num;

	if (bits != 128 && bits != 192 && bits != 256)
		return err_set(err, "the key of AES has 128, 192 or 256 bits");
	if (check_base64(&args[GCM_NONCE], ctx, "nonce", err) ||
	    check_base64(&args[GCM_KEY], ctx, "key", err) ||
	    check_base64(&args[GCM_TAG], ctx, "tag", err))
		return -1;
	if (args[GCM_KEY].type == ARG_STR && args[GCM_KEY].str.len != (size_t)bits / 8)
		return err_set(err, "the key has %zu bytes where %d are wanted",
			       args[GCM_KEY].str.len, (int)bits / 8);
	return 0;
}

static const EVP_CIPHER *gcm_cipher(int64_t bits)
{
	return bits == 128 ? EVP_aes_128_gcm() : bits == 192 ? EVP_aes_192_gcm() : EVP_aes_256_gcm();
}

/* The lengths are right. Nothing of the text is given away unless the tag fits. */
static bool gcm_open(const EVP_CIPHER *cipher, struct span key, struct span nonce, struct span tag,
		     struct span text, unsigned char *out, size_t *out_len)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int len = 0, last = 0;
	bool done;

	done = ctx && EVP_DecryptInit_ex(ctx, cipher, NULL, NULL, NULL) == 1 &&
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce.len, NULL) == 1 &&
	       EVP_DecryptInit_ex(ctx, NULL, NULL, (const unsigned char *)key.ptr,
				  (const unsigned char *)nonce.ptr) == 1 &&
	       EVP_DecryptUpdate(ctx, out, &len, (const unsigned char *)text.ptr,
				 (int)text.len) == 1 &&
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag.len, (void *)tag.ptr) == 1 &&
	       EVP_DecryptFinal_ex(ctx, out + len, &last) == 1;
	EVP_CIPHER_CTX_free(ctx);
	*out_len = (size_t)len + (size_t)last;
	return done;
}

static bool convert_aes_gcm(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	unsigned char nonce_memory[NONCE_MOST], key_memory[32], tag_memory[TAG_MOST], *out;
	struct span nonce, key, tag;
	size_t len = 0;
	bool done;

	(void)row;
	if (!key_bytes(&args[GCM_NONCE], view, nonce_memory, sizeof(nonce_memory), &nonce) ||
	    !key_bytes(&args[GCM_KEY], view, key_memory, sizeof(key_memory), &key) ||
	    !key_bytes(&args[GCM_TAG], view, tag_memory, sizeof(tag_memory), &tag))
		return false;
	if (!nonce.len || key.len != (size_t)args[GCM_BITS].num / 8 || tag.len < TAG_LEAST ||
	    tag.len > TAG_MOST || smp->str.len > expr_scratch_size)
		return false;
	out = (unsigned char *)expr_scratch();
	done = gcm_open(gcm_cipher(args[GCM_BITS].num), key, nonce, tag, smp->str, out, &len);
	OPENSSL_cleanse(key_memory, sizeof(key_memory));
	if (!done) {
		OPENSSL_cleanse(out, smp->str.len);
		return false;
	}
	smp->str = (struct span){ (char *)out, len };
	smp->type = SMP_BIN;
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

const struct converter converter_crypto[] = {
	{ "aes_gcm_dec", ARGS(4, ARG_INT, ARG_STR, ARG_STR, ARG_STR), SMP_BIN, SMP_BIN,
	  convert_aes_gcm, check_aes_gcm,
	  .help = "deciphers AES-GCM with a nonce, a key and a tag in base64" },
	{ "digest", ARGS(1, ARG_STR), SMP_BIN, SMP_BIN, convert_digest, check_digest,
	  .help = "digest by its name in OpenSSL" },
	{ "hmac", ARGS(2, ARG_STR, ARG_STR), SMP_BIN, SMP_BIN, convert_hmac, check_hmac,
	  .help = "authentication code by a digest and a key in base64" },
	{ "sha1", { 0 }, SMP_BIN, SMP_BIN, convert_digest, check_sha1, .help = "SHA-1" },
	{ "sha2", ARGS(0, ARG_INT), SMP_BIN, SMP_BIN, convert_digest, check_sha2,
	  .help = "SHA-2 of 224, 256, 384 or 512 bits; 256 if not said" },
	{ 0 },
};
