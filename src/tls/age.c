/* SPDX-License-Identifier: BSD-2-Clause */
/* When a certificate is valid, and the sentence for people when it is not: at the start, and in the
 * answers of `commit ssl cert` and `show ssl cert`. Called by cert.c with what it has parsed, and
 * by those who show certificates. Nothing is refused for it: the clock may be wrong, and a client
 * may not care. */
#include "tls/age.h"

#include <inttypes.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

static int64_t age_seconds(const ASN1_TIME *time, int64_t otherwise)
{
	struct tm tm;

	return ASN1_TIME_to_tm(time, &tm) ? timegm(&tm) : otherwise;
}

void tls_age_add(struct tls_age *age, const X509 *x, unsigned place)
{
	int64_t from = age_seconds(X509_get0_notBefore(x), INT64_MIN);
	int64_t until = age_seconds(X509_get0_notAfter(x), INT64_MAX);

	if (!place)
		*age = (struct tls_age){ INT64_MIN, INT64_MAX, 0, 0 };
	if (from > age->from) {
		age->from = from;
		age->from_place = place;
	}
	if (until < age->until) {
		age->until = until;
		age->until_place = place;
	}
}

static void age_who(struct text *t, unsigned place)
{
	if (place)
		text_printf(t, "certificate %u of its chain", place);
	else
		text_str(t, "the certificate");
}

static void age_date(struct text *t, int64_t at)
{
	time_t time = at;
	char date[64];
	struct tm tm;

	if (gmtime_r(&time, &tm) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm))
		text_str(t, date);
}

static void age_span(struct text *t, int64_t seconds)
{
	if (seconds >= 2 * DAY)
		text_printf(t, "%" PRId64 " days", seconds / DAY);
	else if (seconds >= 2 * HOUR)
		text_printf(t, "%" PRId64 " hours", seconds / HOUR);
	else
		text_printf(t, "%" PRId64 " minutes", seconds / MINUTE);
}

bool tls_age_explain(const struct tls_age *age, int64_t now, struct text *t)
{
	if (now > age->until) {
		age_who(t, age->until_place);
		text_str(t, " has expired on ");
		age_date(t, age->until);
		text_str(t, ", ");
		age_span(t, now - age->until);
		text_str(t, " ago: clients refuse it");
		return true;
	}
	if (now >= age->from)
		return false;
	age_who(t, age->from_place);
	text_str(t, " is not valid before ");
	age_date(t, age->from);
	text_str(t, ", in ");
	age_span(t, age->from - now);
	text_str(t, ": until then clients refuse it (is the clock of this machine right?)");
	return true;
}
