/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the log that scripts write. Called by core and TXN. What is told of scripts that fail goes
 * another way: no word silences it. */
#include "lua/say.h"

#include "log/log.h"

#include <lauxlib.h>

enum { LINE_MOST = 1023 };

struct say_conf say_conf = { .loggers = true, .stderr_too = SAY_STDERR_ON };

/* It stays one line, on a terminal as well: what is not visible is a dot. */
static struct span line_of(struct span text, char line[LINE_MOST])
{
	size_t i;

	for (i = 0; i < text.len && i < LINE_MOST; i++)
		line[i] = text.ptr[i] >= ' ' && text.ptr[i] <= '~' ? text.ptr[i] : '.';
	return (struct span){ line, i };
}

/* "auto": where no log takes it. */
static bool wants_stderr(const struct log_conf *conf)
{
	if (say_conf.stderr_too != SAY_STDERR_AUTO)
		return say_conf.stderr_too == SAY_STDERR_ON;
	return !say_conf.loggers || !log_enabled(conf);
}

void say_line(lua_State *L, lua_Integer level, struct span text, const struct log_conf *conf)
{
	char memory[LINE_MOST];
	struct span line = line_of(text, memory);

	if (level < LOG_L_EMERG || level > LOG_L_DEBUG)
		luaL_argerror(L, 1, "Invalid loglevel.");
	if (say_conf.loggers)
		log_send(conf, (enum log_level)level, line.ptr, line.len);
	if (level < LOG_L_DEBUG && wants_stderr(conf))
		log_stderr_own((enum log_level)level, line.ptr, line.len);
}
