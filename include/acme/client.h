/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that asks authorities. */
#ifndef ACME_CLIENT_H
#define ACME_CLIENT_H

#include <stdint.h>

/* In a process that serves: it asks whenever it is the one that checks servers. */
void acme_client_start(void);
void acme_client_stop(void);

/* Seconds until another try, behind so many failures in a row; chance: 0 to 255. */
int64_t acme_backoff(unsigned failures, unsigned chance);

#endif
