/* SPDX-License-Identifier: BSD-2-Clause */
/* What settings of TLS are as long as nobody says otherwise. */
#include "tls/tune.h"

struct tls_tune tls_tune = { .parsed_most = 2048, .silence_ms = 5000 };
