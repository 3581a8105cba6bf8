/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of errors of verification (ca-ignore-err, crt-ignore-err), by number or by name. Pure. */
#include "tls/ignore.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "tls/settings.h"

#include <openssl/x509_vfy.h>
#include <string.h>

#define PREFIX "X509_V_ERR_"

static const struct {
	const char *name;
	int number;
} errors[] = {
#define VERIFY_ERROR(name) { PREFIX #name, X509_V_ERR_##name },
#include "tls/verify_errors.def"
#undef VERIFY_ERROR
};

/* The highest number that there is. */
#define LAST (errors[ARRAY_LEN(errors) - 1].number)

int tls_ignore_number(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(errors); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	return -1;
}

static int ignore_one(struct tls_ignore *ignore, const char *word, struct err *err)
{
	int64_t number;

	if (!str_to_int(word, 1, LAST, &number))
		number = tls_ignore_number(word);
	if (number < 1)
		return err_set(err, "'%s' is not an error of certificates: a number from 1 to "
			       "%d, a name such as " PREFIX "CERT_HAS_EXPIRED, or 'all' expected",
			       word, LAST);
	ignore->bits[number / 64] |= UINT64_C(1) << number % 64;
	return 0;
}

int tls_ignore_parse(struct tls_ignore *ignore, const char *list, struct err *err)
{
	char word[80];
	size_t len;

	memset(ignore, 0, sizeof(*ignore));
	if (!strcmp(list, "all")) {
		memset(ignore, 0xff, sizeof(*ignore));
		return 0;
	}
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (len >= sizeof(word))
			return err_set(err, "'%.*s...' is not an error of certificates",
				       STR_CUT(list, 60));
		memcpy(word, list, len);
		word[len] = 0;
		if (ignore_one(ignore, word, err))
			return -1;
		if (!list[len])
			return 0;
	}
}

bool tls_ignore_has(const struct tls_ignore *ignore, int error)
{
	return ignore && error >= 0 && error < 128 &&
	       ignore->bits[error / 64] >> error % 64 & 1;
}
