/* SPDX-License-Identifier: BSD-2-Clause */
#include "lua/traceback.h"

#include "base/str.h"

/* One function of a traceback, by what a handler of signals may call. False: one of C without a
 * name, which is how we begin a script. */
static bool say_level(struct text *t, lua_State *thread, lua_Debug *ar)
{
	lua_getinfo(thread, "nSl", ar);
	if (!*ar->namewhat && *ar->what == 'C')
		return false;
	text_str(t, ar->short_src);
	text_char(t, ':');
	if (ar->currentline > 0) {
		text_num(t, ar->currentline);
		text_char(t, ':');
	}
	if (*ar->namewhat) {
		text_str(t, " in ");
		text_str(t, ar->namewhat);
		text_str(t, " '");
		text_str(t, ar->name);
		text_char(t, '\'');
	} else if (*ar->what == 'm') {
		text_str(t, " in main chunk");
	} else {
		text_str(t, " in function line ");
		text_num(t, ar->linedefined);
	}
	return true;
}

enum { LEVELS_MOST = 20 };

void traceback_say(struct text *t, lua_State *thread)
{
	const char *between = " from ";
	lua_Debug ar;
	int level;

	for (level = 0; level < LEVELS_MOST && lua_getstack(thread, level, &ar); level++) {
		size_t before = t->len;

		text_str(t, between);
		if (say_level(t, thread, &ar))
			between = ", ";
		else
			t->ptr[t->len = before] = 0;
	}
}
