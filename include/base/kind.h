/* SPDX-License-Identifier: BSD-2-Clause */
/* What objects are that are reached by a pointer to void or to "whoever owns it": in builds with
 * the sanitizers they carry a number for their type, which is checked where the pointer becomes one to
 * the type. Other builds have none of it. */
#ifndef BASE_KIND_H
#define BASE_KIND_H

#include "base/bug.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define KINDS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KINDS 1
#endif
#endif

/* Is the object of that type, for the compiler? An error, or no code. */
#define KIND_SAME(type, object) \
	((void)sizeof(char[__builtin_types_compatible_p(__typeof__(*(object)), type) ? 1 : -1]))

#ifdef KINDS
/* The kind is the name of the type, as a number; never 0, so that memory which nobody has made an
 * object of is of no kind. */
static inline uint32_t kind_number_of(const char *type)
{
	uint32_t n = 2166136261;

	if (!strncmp(type, "const ", 6))
		type += 6;
	for (; *type; type++)
		n = (n ^ (unsigned char)*type) * 16777619;
	return n | 1;
}

/* A member of the struct; the line has no semicolon. */
#define KIND_MEMBER uint32_t kind_number;
/* The object is one from now on, which is said behind all that clears it. */
#define KIND_IS(type, object) \
	(KIND_SAME(type, object), (void)((object)->kind_number = kind_number_of(#type)))
/* The pointer as one to the type, which its object is. */
#define KIND_OF(type, pointer)                                         \
	({                                                             \
		type *of_kind_ = (pointer);                            \
		BUG_ON(of_kind_->kind_number != kind_number_of(#type)); \
		of_kind_;                                              \
	})
/* The same of a pointer that may be NULL. */
#define KIND_OR_NULL(type, pointer)                          \
	({                                                   \
		void *may_be_ = (void *)(pointer);           \
		may_be_ ? KIND_OF(type, may_be_) : NULL;     \
	})

/* Where a table makes objects for its rows, and does not know their types: a member of the row (no
 * semicolon), what the row says of the type (no comma), and an object that was made for the row, or
 * NULL, as one of that type. */
#define KIND_ROW_MEMBER const char *kind_name;
#define KIND_ROW(type) .kind_name = #type,
#define KIND_OF_ROW(type, row, pointer)                              \
	({                                                           \
		type *of_row_ = (pointer);                           \
		const char *name_ = (row)->kind_name;                \
		BUG_ON(of_row_ && (!name_ || strcmp(name_, #type))); \
		of_row_;                                             \
	})
#else
#define KIND_MEMBER
#define KIND_IS(type, object) (KIND_SAME(type, object), (void)(object))
#define KIND_OF(type, pointer) ((type *)(pointer))
#define KIND_OR_NULL(type, pointer) ((type *)(pointer))
#define KIND_ROW_MEMBER
#define KIND_ROW(type)
#define KIND_OF_ROW(type, row, pointer) ((type *)(pointer))
#endif

#endif
