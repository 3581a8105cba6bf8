-- SPDX-License-Identifier: BSD-2-Clause
-- Fetches and converters that take the name of a backend, a server, a table or a list of users: names
-- are found while scripts run.
local function try_names(say, what, class, names, first)
	for _, name in ipairs(what) do
		for _, args in ipairs(names) do
			local list = { table.unpack(first or {}) }
			for _, a in ipairs(args) do list[#list + 1] = a end
			local title = name .. "(" .. table.concat(args, ",") .. ")"
			if not class[name] then
				say(title, "none")
			else
				say(title, (shown(class[name], class, table.unpack(list)):gsub("^error .*", "error")))
			end
		end
	end
end
local backends = { { "be" }, { "nosuch" }, { "" }, { "fe" } }
case("backends", function(txn, say)
	try_names(say, { "nbsrv", "be_conn", "be_conn_free", "be_sess_rate", "connslots", "queue", "avg_queue", "be_id" }, txn.f,
		backends)
end)
case("frontends", function(txn, say)
	try_names(say, { "fe_conn", "fe_req_rate", "fe_sess_rate" }, txn.f, { { "fe" }, { "nosuch" }, { "be" } })
end)
case("servers", function(txn, say)
	try_names(say, { "srv_conn", "srv_conn_free", "srv_is_up", "srv_queue", "srv_sess_rate", "srv_weight", "srv_iweight",
		"srv_uweight" }, txn.f, { { "be/s1" }, { "be/nosuch" }, { "nosuch/s1" }, { "s1" }, { "" } })
	try_names(say, { "srv_name", "srv_id" }, txn.f, { {} })
	try_names(say, { "srv_queue" }, txn.c, { {} }, { "be/s1" })
	try_names(say, { "srv_queue" }, txn.c, { {} }, { "be/nosuch" })
end)
case("tables", function(txn, say)
	try_names(say, { "table_avail", "table_cnt" }, txn.f, { { "table" }, { "nosuch" }, { "be" } })
	try_names(say, { "src_bytes_in_rate", "src_bytes_out_rate", "src_clr_gpc", "src_clr_gpc0", "src_clr_gpc1", "src_conn_cnt",
		"src_conn_cur", "src_conn_rate", "src_get_gpc0", "src_get_gpc1", "src_get_gpt0", "src_gpc0_rate", "src_gpc1_rate",
		"src_http_err_cnt", "src_http_err_rate", "src_http_fail_cnt", "src_http_fail_rate", "src_http_req_cnt", "src_http_req_rate",
		"src_inc_gpc0", "src_inc_gpc1", "src_kbytes_in", "src_kbytes_out", "src_sess_cnt", "src_sess_rate", "src_updt_conn_cnt" },
		txn.f, { { "table" }, { "nosuch" }, { "be" } })
	try_names(say, { "src_get_gpc", "src_gpc_rate", "src_inc_gpc", "src_get_gpt" }, txn.f, { { 0, "table" }, { 0, "nosuch" } })
	try_names(say, { "sc_http_req_cnt", "sc_get_gpc0", "sc_conn_cur", "sc_tracked" }, txn.f, { { 0, "table" }, { 0, "nosuch" },
		{ 1, "table" } })
	try_names(say, { "sc0_http_req_cnt", "sc0_get_gpc0", "sc0_tracked" }, txn.f, { { "table" }, { "nosuch" } })
end)
case("converters", function(txn, say)
	local names = { { "table" }, { "nosuch" }, { "be" }, {} }
	try_names(say, { "in_table", "table_bytes_in_rate", "table_bytes_out_rate", "table_conn_cnt", "table_conn_cur",
		"table_conn_rate", "table_gpc0", "table_gpc0_rate", "table_gpc1", "table_gpc1_rate", "table_gpt0",
		"table_http_err_cnt", "table_http_err_rate", "table_http_fail_cnt", "table_http_fail_rate", "table_http_req_cnt",
		"table_http_req_rate", "table_kbytes_in", "table_kbytes_out", "table_server_id", "table_sess_cnt", "table_sess_rate",
		"table_trackers" }, txn.c, names, { "192.0.2.7" })
	try_names(say, { "in_table", "table_http_req_cnt", "table_conn_cnt" }, txn.c, names, { "192.0.2.9" })
	try_names(say, { "table_gpc", "table_gpc_rate", "table_gpt" }, txn.c, { { 0, "table" }, { 0, "nosuch" } }, { "192.0.2.7" })
end)
case("users", function(txn, say)
	try_names(say, { "http_auth", "http_auth_group" }, txn.f, { { "ul" }, { "nosuch" } })
	try_names(say, { "http_auth", "http_auth_group" }, txn.sf, { { "ul" } })
end)
case("maps", function(txn, say)
	try_names(say, { "map", "map_str", "map_beg", "map_ip" }, txn.c, { { "map_str.map" }, { "later.map" } }, { "key" })
end)
