/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* Version of Penstock, such as "0.1.0". */
extern const char version_penstock[];

/* Day of that version, such as "2026/11/21". */
extern const char version_date[];

/*
 * Level of the HAProxy configuration language that Penstock speaks, such as "2.6":
 * what version_atleast() and version_before() compare with.
 */
extern const char version_language[];

/*
 * What tools read that were made for HAProxy, such as "2.6.99-penstock0.1.0". They compare three
 * numbers, some as a semantic version, where a text behind '-' makes it older than the numbers
 * alone: the third number is above that of any release of this level.
 */
extern const char version_for_tools[];

/* The TLS library that this was built with, such as "OpenSSL 3.0.17 1 Jul 2025"; empty: none. */
extern const char version_tls[];

#endif
