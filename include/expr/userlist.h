/* SPDX-License-Identifier: BSD-2-Clause */
/* userlist sections: users, their passwords and groups (manual 3.4), for http_auth and
 * http_auth_group. */
#ifndef EXPR_USERLIST_H
#define EXPR_USERLIST_H

#include "base/str.h"
#include "config/module.h"

#include <stdbool.h>

struct config;
struct userlist;

/* NULL: there is none of this name. */
struct userlist *userlist_find(struct config *cfg, const char *name);
/* The same, for somebody who will ask it. */
struct userlist *userlist_use(struct config *cfg, const char *name);
/* Notes those that nobody asks. */
void userlists_doubt(struct config *cfg);
/* Behind a problem: which may be meant. */
void userlist_suggest(struct config *cfg, const char *name);
/* Is this the user's password? A hashed one is computed by crypt(3), which takes its time; what it
 * has said of the last some thousand is known. Names that are not there take as long as others.
 * patient: the caller can wait, and on LATER asks again in another turn of the loop. */
enum secret { SECRET_WRONG, SECRET_RIGHT, SECRET_LATER };
enum secret userlist_ask(const struct userlist *list, struct span user, struct span password,
			 bool patient);
bool userlist_in_group(const struct userlist *list, struct span user, const char *group);
bool userlist_has_group(const struct userlist *list, const char *group);

/* How often crypt(3) has run. */
extern uint64_t userlist_crypts;

extern const struct module userlist_module;

#endif
