/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a pump has moved, by whichever way: through this process and beside it. */
#ifndef RELAY_PUMP_BYTES_H
#define RELAY_PUMP_BYTES_H

#include "relay/bypass.h"
#include "relay/pump.h"

/* Bytes that have left. */
static inline uint64_t pump_bytes(const struct pump *pump)
{
	return pump->copied + pump->spliced + (unlikely(pump->odd & (ODD_KERNEL | ODD_RELAYED)) ?
						       relay_bypass->relayed(pump) : 0);
}

#endif
