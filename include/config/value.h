/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units, as the language writes them. Manual 2.5. Pure functions, also used by
 * commands at run time. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include <stdint.h>

enum value_result {
	VALUE_OK,
	VALUE_NONE,     /* does not begin with a digit */
	VALUE_UNIT,     /* something unknown behind the number */
	VALUE_OVERFLOW,
};

/* Microseconds. Units us ms s m h d; that of a bare number: 'u', 'm' (ms), 's', 'M'
 * (minutes), 'h', 'd'. On VALUE_UNIT *bad is where the number ends (bad may be NULL). */
enum value_result value_time(const char *s, char unit, uint64_t *us, const char **bad);
/* Bytes. Suffixes k m g (and K M G), powers of 1024. */
enum value_result value_size(const char *s, uint64_t *bytes, const char **bad);

#endif
