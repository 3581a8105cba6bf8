/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubly linked lists whose nodes live inside the objects. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include "base/bug.h"

#include <stdbool.h>

struct list {
	struct list *next, *prev;
};

#define LIST_INIT(l) { &(l), &(l) }

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

/* Adds node n before head l: at the end. */
static inline void list_append(struct list *l, struct list *n)
{
	n->prev = l->prev;
	n->next = l;
	l->prev->next = n;
	l->prev = n;
}

/* Adds node n right behind head l: at the front. */
static inline void list_prepend(struct list *l, struct list *n)
{
	list_append(l->next, n);
}

/* Takes n out of whatever list it is in; n becomes an empty list of its own, so a second
 * removal is harmless. */
static inline void list_remove(struct list *n)
{
	n->next->prev = n->prev;
	n->prev->next = n->next;
	list_init(n);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first(l, type, member) list_entry((l)->next, type, member)
#define list_for_each(pos, l, member)                                                   \
	for (pos = list_entry((l)->next, __typeof__(*pos), member); &pos->member != (l); \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
/* The body may remove pos. */
#define list_for_each_safe(pos, tmp, l, member)                                          \
	for (pos = list_entry((l)->next, __typeof__(*pos), member),                      \
	    tmp = list_entry(pos->member.next, __typeof__(*pos), member);                \
	     &pos->member != (l);                                                        \
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*pos), member))

#endif
