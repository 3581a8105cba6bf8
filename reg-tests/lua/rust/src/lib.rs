// SPDX-License-Identifier: BSD-2-Clause
//! A module of Lua, written against the crate haproxy-api: what it registers is what rust.txt uses.
use haproxy_api::{
    Action, Channel, Core, FilterMethod, FilterResult, HttpMessage, LogLevel, Txn, UserFilter,
};
use mlua::{
    AnyUserData, Error, Function, Lua, LuaSerdeExt, ObjectLike, Result, String as LuaString, Table,
    UserData, UserDataMethods, Value,
};

const HTTP: &[Action] = &[Action::HttpReq];

/// What a call came to, in a word.
fn outcome<T: std::fmt::Debug>(r: Result<T>) -> String {
    match r {
        Ok(v) => format!("{v:?}"),
        Err(_) => "raised".to_string(),
    }
}

fn register_samples(core: &Core) -> Result<()> {
    core.register_fetches("rs_sum", |_, (_txn, a, b): (Txn, i64, i64)| Ok(a + b))?;
    core.register_fetches("rs_path", |_, txn: Txn| {
        txn.f.get_str("path", ()).map(|path| path.to_uppercase())
    })?;
    core.register_fetches("rs_nothing", |_, _: Txn| Ok(Value::Nil))?;
    core.register_fetches("rs_fails", |_, _: Txn| -> Result<String> {
        Err(Error::runtime("a fetch fails"))
    })?;
    core.register_fetches("rs_panics", |_, _: Txn| -> Result<String> { panic!("a fetch panics") })?;
    core.register_converters("rs_reverse", |_, text: String| {
        Ok(text.chars().rev().collect::<String>())
    })?;
    core.register_converters("rs_join", |_, (text, by): (String, String)| Ok(text.replace('/', &by)))?;
    core.register_converters("rs_bytes", |lua, text: LuaString| {
        lua.create_string(text.as_bytes().iter().map(|b| b ^ 1).collect::<Vec<u8>>())
    })?;
    core.register_converters("rs_number", |_, text: String| {
        text.parse::<i64>().map_err(|_| Error::runtime("this is no number"))
    })
}

fn set_variables(txn: &Txn) -> Result<()> {
    txn.set_var("txn.text", "text")?;
    txn.set_var("txn.number", 42)?;
    txn.set_var_if_exists("txn.number", 43)?;
    let number: i64 = txn.get_var("txn.number")?;
    let text: String = txn.get_var("txn.text")?;
    txn.unset_var("txn.text")?;
    let gone: Option<String> = txn.get_var("txn.text")?;
    txn.set_priv("kept")?;
    let kept: String = txn.get_priv()?;
    txn.set_var("txn.said", format!("{number} {text} {gone:?} {kept}"))
}

fn rewrite_request(txn: &Txn) -> Result<()> {
    let http = txn.http()?;
    let headers = http.req_get_headers()?;
    let values: Vec<String> = headers.get("X-A")?;
    let first: Option<String> = headers.get_first("x-a")?;
    http.req_set_header("x-values", values.join("|"))?;
    http.req_add_header("x-first", first.unwrap_or_default())?;
    http.req_del_header("x-b")?;
    http.req_rep_header("x-a", "^(.)", "<\\1>")?;
    http.req_set_method("PUT")?;
    http.req_set_path("/path")?;
    http.req_set_query("query")?;
    let mut names = headers.pairs::<String>().map(|p| p.map(|p| p.0)).collect::<Result<Vec<_>>>()?;
    names.sort();
    http.req_set_header("x-names", names.join(","))
}

/// Methods of another side, values that are none.
fn misuse(txn: &Txn) -> Result<()> {
    let http = txn.http()?;
    let said = [
        outcome(http.res_get_headers().map(|_| ())),
        outcome(http.req_set_header("x-table", Vec::<i32>::new())),
        outcome(txn.f.get::<Value>("no_such_fetch", ()).map(|_| ())),
        outcome(txn.f.get::<i64>("path", ())),
        outcome(txn.f.get::<String>("req_ver", ())),
        outcome(txn.c.get::<String>("no_such", "x")),
        outcome(txn.c.get::<String>("lower", "ABC")),
        outcome(txn.get_var::<Option<String>>("no.such")),
        outcome(txn.call_method::<()>("no_such", ())),
    ];
    txn.set_var("txn.said", said.join(" "))
}

fn register_actions(core: &Core) -> Result<()> {
    core.register_action("rs_variables", HTTP, 0, |_, txn: Txn| set_variables(&txn))?;
    core.register_action("rs_request", HTTP, 0, |_, txn: Txn| rewrite_request(&txn))?;
    core.register_action("rs_misuse", HTTP, 0, |_, txn: Txn| misuse(&txn))?;
    core.register_action("rs_words", HTTP, 2, |_, (txn, a, b): (Txn, String, String)| {
        txn.set_var("txn.said", format!("{a}, {b}"))
    })?;
    core.register_action("rs_logs", HTTP, 0, |lua, txn: Txn| {
        txn.log(LogLevel::Info, "of a stream")?;
        txn.deflog("of a stream, with its level")?;
        Core::new(lua)?.log(LogLevel::Notice, "of the process")
    })?;
    core.register_action("rs_fails", HTTP, 0, |_, _: Txn| Err(Error::runtime("an action fails")))?;
    core.register_action("rs_panics", HTTP, 0, |_, _: Txn| panic!("an action panics"))?;
    core.register_action("rs_response", &[Action::HttpRes], 0, |_, txn: Txn| {
        let http = txn.http()?;
        let server: Vec<String> = http.res_get_headers()?.get("server")?;
        http.res_set_status(201, Some("Made"))?;
        http.res_add_header("x-rs", server.join(","))?;
        http.res_del_header("x-res")
    })?;
    core.register_action("rs_kept", HTTP, 0, |lua, txn: Txn| {
        let globals = lua.globals();
        let said = match globals.get::<Option<Table>>("kept_by_rust")? {
            Some(old) => outcome(old.call_method::<Value>("get_var", "txn.a").map(|_| ())),
            None => "none".to_string(),
        };
        globals.set("kept_by_rust", (*txn).clone())?;
        txn.set_var("txn.said", said)
    })?;
    core.register_action("rs_tcp", &[Action::TcpReq, Action::TcpRes], 0, |_, txn: Txn| {
        txn.set_var("txn.said", txn.f.get_str("src", ())?)
    })
}

#[derive(serde::Serialize, serde::Deserialize)]
struct User {
    name: String,
    ids: Vec<i64>,
    more: Option<bool>,
}

fn described(lua: &Lua) -> Result<String> {
    let core = Core::new(lua)?;
    let net = core.parse_addr("192.0.2.0/24")?;
    let inside = core.match_addr(core.parse_addr("192.0.2.7")?, net)?;
    let backend: haproxy_api::Proxy = core.get::<Table>("backends")?.get("known")?;
    let server: haproxy_api::Server = backend.get::<Table>("servers")?.get("s")?;
    let table = backend.get_stktable().and_then(|t| t.map_or(Ok(0), |t| t.info()?.get::<i64>("size")));
    let user: User = lua.from_value(lua.load("{ name = 'a', ids = { 1, 2 } }").eval()?)?;
    let back: Table = lua.to_value(&user)?.as_table().cloned().ok_or(Error::runtime("no table"))?;
    Ok(format!(
        "{inside} {} {} {} {} {} {} {} {}",
        outcome(core.get::<Table>("frontends").and_then(|f| f.contains_key("known"))),
        outcome(server.get_addr()),
        outcome(server.is_draining()),
        backend.get_mode().is_ok(),
        outcome(table),
        core.now()?.sec > 1_000_000_000,
        core.get_info()?.get::<i64>("Pid").is_ok(),
        back.get::<Table>("ids")?.raw_len(),
    ))
}

/// An object of Rust that scripts hold, and that knows when it is collected.
struct Counter(i64);

impl UserData for Counter {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method_mut("add", |_, this, n: i64| {
            this.0 += n;
            Ok(this.0)
        });
        // Whoever calls back while it is borrowed gets an error.
        methods.add_method_mut("with", |_, this, f: Function| {
            this.0 += 1;
            f.call::<Value>(())
        });
    }
}

fn register_objects(lua: &Lua, core: &Core) -> Result<()> {
    core.register_action("rs_core", HTTP, 0, |lua, txn: Txn| txn.set_var("txn.said", described(lua)?))?;
    core.register_action("rs_maps", HTTP, 0, |lua, txn: Txn| {
        let core = Core::new(lua)?;
        core.set_map("some.map", "b", "2")?;
        core.del_map("some.map", "a")?;
        let f = |key: &str| -> Result<Option<String>> { txn.c.get("map", (key, "some.map")) };
        let said = [outcome(core.add_acl("nosuch.acl", "x")), outcome(f("a")).len().to_string()];
        txn.set_var("txn.said", said.join(" "))
    })?;
    let counter: AnyUserData = lua.create_userdata(Counter(40))?;
    lua.globals().set("rs_counter", counter)?;
    core.register_action("rs_calls_back", HTTP, 0, |lua, txn: Txn| {
        let f: Function = lua.globals().get("called_back")?;
        let said = f.call::<i64>(20).map_or_else(|e| e.to_string(), |n| n.to_string());
        txn.set_var("txn.said", said.lines().next().unwrap_or_default())
    })
}

fn register_tasks(core: &Core) -> Result<()> {
    core.register_init(|lua| Core::new(lua)?.log(LogLevel::Notice, "init of Rust"))?;
    core.register_task(|lua| {
        lua.globals().set("rs_task", "has run")?;
        Core::new(lua)?.log(LogLevel::Notice, "a task of Rust")
    })?;
    core.register_task(|_| Err(Error::runtime("a task fails")))?;
    core.register_lua_service(
        "rs_service",
        haproxy_api::ServiceMode::Http,
        "local applet = ... applet:set_status(200) applet:add_header('content-length', 5) \
         applet:start_response() core.msleep(1) applet:send('lua\\r\\n')",
    )?;
    core.register_lua_cli(&["show", "rust"], "a command", "local a = ... a:send(rs_task .. '\\n')")
}

/// Futures of tokio, on threads of its own: scripts call rs_wait, which waits for one.
fn register_futures(lua: &Lua) -> Result<()> {
    let wait = haproxy_api::create_async_function(lua, |ms: u64| async move {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
        Ok(format!("waited {ms}"))
    })?;
    lua.globals().set("rs_wait", wait)
}

/// Adds up what flows, and marks what passes.
struct Mark {
    word: String,
    size: usize,
}

impl UserFilter for Mark {
    const METHODS: u8 = FilterMethod::START_ANALYZE
        | FilterMethod::HTTP_HEADERS
        | FilterMethod::HTTP_PAYLOAD
        | FilterMethod::HTTP_END;

    fn new(_: &Lua, args: Table) -> Result<Self> {
        Ok(Mark { word: args.get(1)?, size: 0 })
    }

    fn start_analyze(&mut self, lua: &Lua, txn: Txn, chn: Channel) -> Result<FilterResult> {
        if chn.is_resp()? {
            Self::register_data_filter(lua, txn, chn)?;
        }
        Ok(FilterResult::Continue)
    }

    fn http_headers(&mut self, _: &Lua, _: Txn, msg: HttpMessage) -> Result<FilterResult> {
        msg.set_header("x-marked", &self.word)?;
        Ok(FilterResult::Continue)
    }

    fn http_payload(&mut self, _: &Lua, _: Txn, msg: HttpMessage) -> Result<Option<usize>> {
        if let Some(body) = msg.body(None, None)? {
            let body = body.as_bytes().to_ascii_uppercase();
            self.size += body.len();
            msg.set(body, None, None)?;
        }
        Ok(None)
    }

    fn http_end(&mut self, lua: &Lua, _: Txn, msg: HttpMessage) -> Result<FilterResult> {
        if msg.is_resp()? {
            Core::new(lua)?.log(LogLevel::Notice, format!("{} {}", self.word, self.size))?;
        }
        Ok(FilterResult::Continue)
    }
}

#[mlua::lua_module]
fn judge(lua: &Lua) -> Result<Table> {
    let core = Core::new(lua)?;
    register_samples(&core)?;
    register_actions(&core)?;
    register_objects(lua, &core)?;
    register_tasks(&core)?;
    let more = lua.create_table()?;
    more.set("futures", lua.create_function(|lua, ()| register_futures(lua))?)?;
    more.set("filters", lua.create_function(|lua, ()| Core::new(lua)?.register_filter::<Mark>("rs_mark"))?)?;
    Ok(more)
}
