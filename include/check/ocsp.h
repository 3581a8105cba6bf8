/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches OCSP responses (ocsp-update on) before they expire. Whoever checks the servers does it
 * for all. */
#ifndef CHECK_OCSP_H
#define CHECK_OCSP_H

struct module;
struct tls_ocsp;

/* ocsp-update.mindelay, ocsp-update.maxdelay. Behind check_module in the list. */
extern const struct module check_ocsp_module;

#endif
