/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of exchanges that early data need. Written by whoever asks for the client's proof
 * (http_stream.c) or sends the request once more (outcome.c), and by early_request.c. */
#include "exchange/early_part.h"

struct exchange_part early_part = { EXCHANGE_PART("early data", struct early) };

bool early_ask(struct exchange *x)
{
	struct early *early = exchange_part_make(x, &early_part);

	if (early)
		early->asked = true;
	return early != NULL;
}

void early_unask(struct exchange *x)
{
	struct early *early = early_of(x);

	if (early)
		early->waits = early->asked = false;
}

void early_forget(struct exchange *x)
{
	struct early *early = early_of(x);

	if (early)
		early->used = false;
}
