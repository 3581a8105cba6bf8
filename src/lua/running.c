/* SPDX-License-Identifier: BSD-2-Clause */
/* What of Lua runs in this process, for all who need no more of it than that. */
#include "lua/running.h"

#include "expr/state.h"

lua_State *lua_running;
bool own_reading;

unsigned own_state(bool is_own)
{
	return is_own ? expr_process.number : 0;
}
