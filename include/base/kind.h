/* SPDX-License-Identifier: BSD-2-Clause */
/* What objects are that are reached by a pointer to void or to "whoever owns it": in builds with
 * the sanitizers they carry a number of their kind, which is checked where the pointer becomes one
 * to the type. Other builds have none of it. */
#ifndef BASE_KIND_H
#define BASE_KIND_H

#include "base/bug.h"

#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define KINDS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KINDS 1
#endif
#endif

/* None is 0, so memory that nobody has made an object of is of no kind. */
enum object_kind {
	KIND_CONN = 0x0c0ec7ed,
	KIND_END,
	KIND_ERRAND,
	KIND_H2_CONN,
	KIND_HANDSHAKE,
	KIND_LINGERER,
	KIND_PEER_LINK,
	KIND_PROXY,
	KIND_SCRIPT_SOCKET,
	KIND_SERVER_CONN,
	KIND_SESSION,
	KIND_STANDBY,
};

#ifdef KINDS
/* A member of the struct; the line has no semicolon. */
#define KIND_MEMBER uint32_t kind_number;
/* The object is of that kind from now on, which is said behind all that clears it. */
#define KIND_IS(object, kind) ((void)((object)->kind_number = KIND_##kind))
/* The pointer as one to the type, whose object is of that kind. */
#define KIND_OF(type, pointer, kind)                          \
	({                                                    \
		type *of_kind_ = (pointer);                   \
		BUG_ON(of_kind_->kind_number != KIND_##kind); \
		of_kind_;                                     \
	})
#else
#define KIND_MEMBER
#define KIND_IS(object, kind) ((void)(object))
#define KIND_OF(type, pointer, kind) ((type *)(pointer))
#endif

#endif
