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

/* Both, such as "2.6-penstock0.1.0": what tools read that were made for HAProxy. */
extern const char version_for_tools[];

/* The TLS library that this was built with, such as "OpenSSL 3.0.17 1 Jul 2025"; empty: none. */
extern const char version_tls[];

#endif
