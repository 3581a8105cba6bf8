/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rows of the step tables a proxy's configuration asks for, of an exchange. */
#ifndef EXCHANGE_TRAITS_H
#define EXCHANGE_TRAITS_H

struct proxy;

/* Of enum stream_trait (stream/steps.h), for stream_kind: what the proxy does with requests and
 * responses as frontend, and as the backend of another one. The configuration is complete. */
unsigned exchange_traits_of_front(const struct proxy *px);
unsigned exchange_traits_of_back(const struct proxy *px);

#endif
