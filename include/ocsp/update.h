/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches OCSP responses (ocsp-update on) before they expire. Whoever checks the servers does it
 * for all. */
#ifndef OCSP_UPDATE_H
#define OCSP_UPDATE_H

struct module;

/* ocsp-update.mindelay, ocsp-update.maxdelay. In front of client_module in the list, so that requests
 * are at hand. */
extern const struct module ocsp_module;

#endif
