/* SPDX-License-Identifier: BSD-2-Clause */
/* The style sheet of the stats page: light and dark as the browser prefers, calm as long as
 * nothing is wrong. All tables have the same columns, which are in line, and fit from 1,280 px on;
 * in narrower windows names stay at the left, the heads of columns on top. Lines with more numbers
 * appear below a cell that is pointed at or tapped; on small screens at the window's foot. */
#include "stats/html.h"

#include "base/bug.h"

static const char *const style[] = {
	/* Colours. */
	":root{color-scheme:light dark;--bg:#f3f5f7;--card:#fff;--ink:#1d2329;--dim:#59636e;"
	"--zero:#656e78;--line:#e3e7eb;--head:#f0f2f5;--link:#1f5fd0;--hover:#f4f8ff;"
	"--up:#187a41;--up-bg:#ddf4e6;--fall:#8a5a00;--fall-bg:#fff0c8;--rise:#a04600;"
	"--rise-bg:#ffe3cf;--down:#b42318;--down-bg:#fddedb;--down-row:#fff4f3;--maint:#6b4f2a;"
	"--maint-bg:#ecdfce;--nolb:#1d5fae;--nolb-bg:#dbeafe;--none:#5c6670;--none-bg:#e7eaee}"
	"@media(prefers-color-scheme:dark){:root{--bg:#11151a;--card:#181d24;--ink:#d6dce3;"
	"--dim:#9aa5b2;--zero:#8792a0;--line:#272e38;--head:#1e242c;--link:#7fb0ff;"
	"--hover:#1d2531;--up:#6fd69a;--up-bg:#133324;--fall:#f0c35a;--fall-bg:#3a2f10;"
	"--rise:#ffa869;--rise-bg:#40260f;--down:#ff8f84;--down-bg:#4a1a17;--down-row:#261619;"
	"--maint:#d9b78c;--maint-bg:#382c1e;--nolb:#86b9ff;--nolb-bg:#15294a;--none:#9aa5b1;"
	"--none-bg:#272e37}}\n",
	/* The page. */
	"*{box-sizing:border-box}html{font:clamp(11.5px,.9vw,14px)/1.4 system-ui,-apple-system,"
	"\"Segoe UI\",Roboto,"
	"\"Helvetica Neue\",Arial,sans-serif;background:var(--bg);color:var(--ink);"
	"-webkit-text-size-adjust:100%}"
	"body{margin:0;padding:0 8px 12rem;min-width:calc(108.1rem + 18px)}"
	"a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}"
	"header,nav,.now,.sum,footer,.note{position:sticky;left:8px;width:calc(100vw - 32px)}"
	"header{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:baseline;padding-top:14px}"
	"h1{font-size:1.35rem;margin:0;font-weight:650}h1 small{font-weight:400;color:var(--dim)}"
	"header p{margin:0;color:var(--dim)}"
	"nav{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.7rem 0}"
	"nav a,nav button,.act button{border:1px solid var(--line);background:var(--card);"
	"border-radius:6px;padding:.25rem .65rem;color:var(--ink);font:inherit;cursor:pointer}"
	"nav a:hover,nav button:hover,.act button:hover{border-color:var(--link);"
	"text-decoration:none}nav form{margin:0 0 0 auto;display:flex;gap:.4rem}"
	"input[type=search],select{font:inherit;color:inherit;background:var(--card);"
	"border:1px solid var(--line);border-radius:6px;padding:.25rem .5rem}"
	"input[type=search]{width:11rem}"
	"input[type=checkbox]{margin:0 .3rem 0 0;vertical-align:-1px;accent-color:var(--link)}\n",
	/* The process, the states of all servers, notes. */
	".now{display:grid;gap:6px;"
	"margin:0 0 .9rem}.now>div{background:var(--card);padding:.35rem .7rem;"
	"border:1px solid var(--line);border-radius:8px}"
	".now dt{color:var(--dim);font-size:.95rem}.now dd{margin:0;font-size:1.12rem;"
	"font-variant-numeric:tabular-nums}.now dd small{color:var(--dim);font-size:.9rem}"
	".now meter{width:100%;height:.5rem;display:block;border:0;border-radius:4px;"
	"background:var(--none-bg)}.now meter::-webkit-meter-bar{height:.5rem;border:0;"
	"border-radius:4px;background:var(--none-bg)}"
	".now{grid-template-columns:repeat(3,1fr)}"
	"@media(min-width:900px){.now{grid-template-columns:repeat(6,1fr)}}"
	".sum{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.2rem 0 1rem}"
	".sum b,td.s b{display:inline-block;border-radius:99px;padding:0 .45rem;font-weight:600;"
	"color:var(--c);background:var(--b)}.sum span a{font-weight:600;color:var(--down)}"
	".sum a[aria-current] b{outline:2px solid}"
	".note{background:var(--b);color:var(--c);border-radius:8px;padding:.5rem .8rem;"
	"margin:0 0 .8rem}.note a{float:right;color:inherit;font-weight:700}"
	".note ul{margin:.2rem 0 0;padding-left:1.2rem}\n",
	/* The tables. */
	"section{margin:0 0 1.4rem;background:var(--card);border:1px solid var(--line);"
	"border-radius:8px}"
	"section>h2{position:sticky;left:17px;width:max-content;max-width:calc(100vw - 50px);"
	"margin:0;padding:.55rem .7rem;font-size:1.08rem;display:flex;flex-wrap:wrap;gap:.1rem "
	".6rem;align-items:baseline}section>h2 a{color:inherit}"
	"section>h2 small{font-weight:400;color:var(--dim);font-size:.9rem}"
	"table{border-collapse:separate;border-spacing:0;font-variant-numeric:tabular-nums}"
	"section>table,section>form>table{width:100%;min-width:108.1rem;table-layout:fixed}"
	"thead th{background:var(--head);color:var(--dim);font-weight:500;font-size:1rem;"
	"padding:.12rem .12rem;text-align:right;position:sticky;top:0;z-index:3;white-space:nowrap}"
	"thead tr:first-child th{text-align:center;height:1.5rem;font-weight:600;"
	"border-left:1px solid var(--line)}"
	"thead tr+tr th{top:1.5rem;border-bottom:1px solid var(--line)}"
	"thead th:first-child{left:0;z-index:5;text-align:left;padding-left:.9rem;"
	"border-left:0}"
	"tbody th,tbody td{padding:.22rem .2rem;white-space:nowrap;text-align:right;"
	"border-bottom:1px solid var(--line)}tbody tr:last-child>*{border-bottom:0}"
	"tr>:last-child{padding-right:.4rem}td.s:not(.t){overflow:hidden;text-overflow:ellipsis}"
	"thead th.o{cursor:pointer}thead th[aria-sort]{color:var(--ink)}"
	"thead th[aria-sort=descending]::after{content:\" ↓\"}"
	"thead th[aria-sort=ascending]::after{content:\" ↑\"}"
	"col.w1{width:11rem}col.w2{width:9.2rem}col.w3{width:8.6rem}col.w4{width:4.2rem}"
	"col.w5{width:3.55rem}col.w6{width:3rem}col.w7{width:4.7rem}"
	"td.s,thead tr+tr th.s{text-align:left}td small,th small{color:var(--dim);font-size:.85em}"
	"tbody th{position:sticky;left:0;z-index:2;background:var(--card);text-align:left;"
	"font-weight:500;padding-left:.7rem;border-left:4px solid var(--c)}"
	"tbody th a{color:inherit}tr:hover>td,tr:hover>th{background:var(--hover)}"
	"tr:target>td,tr:target>th{background:var(--fall-bg)}"
	"tr.F>th,tr.B>th{font-weight:650}tr.B>*{background:var(--head)}"
	"i{font-style:normal;margin-left:.18em}"
	".z{color:var(--zero)}.bad{color:var(--down);font-weight:600}"
	".hot{color:var(--fall);font-weight:600}.over{color:var(--down);font-weight:700}"
	"svg.h{display:block;width:100%;height:1.3em;overflow:visible}svg.h path{fill:none;"
	"stroke:var(--dim);stroke-width:1px;vector-effect:non-scaling-stroke}svg.h path.e{"
	"stroke:var(--down)}[hidden]{display:none}\n",
	/* States; .down rows stand out. */
	".up{--c:var(--up);--b:var(--up-bg)}.going_down{--c:var(--fall);--b:var(--fall-bg)}"
	".going_up{--c:var(--rise);--b:var(--rise-bg)}.down{--c:var(--down);--b:var(--down-bg)}"
	"tr.down>td,tr.down>th{background:var(--down-row)}"
	".nolb,.drain{--c:var(--nolb);--b:var(--nolb-bg)}"
	".no_check{--c:var(--none);--b:var(--none-bg)}"
	".maint{--c:var(--maint);--b:var(--maint-bg)}.open{--c:var(--up);--b:var(--up-bg)}"
	".paused{--c:var(--fall);--b:var(--fall-bg)}.backup th{border-left-style:dashed}"
	".full{--c:var(--down);--b:var(--down-bg)}\n",
	/* What appears. */
	".t{position:relative;cursor:help}tbody th.t{position:sticky}"
	".t>div,.t>dd>div{display:none;position:absolute;z-index:9;top:calc(100% - 2px);right:0;"
	"background:var(--card);color:var(--ink);border:1px solid var(--line);border-radius:8px;"
	"padding:.4rem .6rem;box-shadow:0 6px 24px #0004;font-weight:400;cursor:auto}"
	".t.l>div,.t>dd>div{right:auto;left:0}.t:hover>div,.t:focus>div,.t:hover>dd>div,"
	".t:focus>dd>div{display:block}"
	".t:focus{outline:2px solid var(--link);outline-offset:-2px}"
	"tbody th.t:hover,tbody th.t:focus{z-index:6}"
	".t caption{text-align:left;color:var(--dim);padding-bottom:.2rem;white-space:nowrap}"
	".t div th,.t div td{position:static;border:0;padding:.05rem .5rem "
	".05rem 0;background:none;font-weight:400;text-align:left}"
	".t div td{text-align:right;padding-right:0;padding-left:.5rem}.t div td+td{"
	"color:var(--dim)}.t div tr:hover>*{background:none}\n",
	/* Long names go on in the next line, since they often differ at their end alone. */
	"tbody th>a{display:inline-block;max-width:100%;line-height:1.2;white-space:normal;"
	"overflow-wrap:anywhere;vertical-align:middle}tbody th input+a{max-width:calc(100% - 2rem)}"
	"section>h2,.act{left:9px}"
	/* Changes, the foot, small screens. */
	".act{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.55rem .7rem;"
	"position:sticky;left:17px;width:max-content;max-width:calc(100vw - 50px)}"
	"table:has(thead input:checked) tbody input{opacity:.35}"
	"footer{color:var(--dim);margin-top:1.5rem}footer dl{display:grid;grid-template-columns:"
	"max-content 1fr;gap:.3rem .8rem;margin:.4rem 0}footer dt b{display:inline-block;"
	"border-radius:99px;padding:0 .6rem;color:var(--c);background:var(--b)}footer dd{margin:0}"
	"@media(max-width:720px){html{font-size:12px}body{padding:0 8px 12rem}"
	"header,nav,.now,.sum,footer,.note{left:8px;width:calc(100vw - 16px)}"
	"section>h2,.act{left:9px;max-width:calc(100vw - 18px)}nav form{margin:0}"
	".now{grid-template-columns:repeat(auto-fill,minmax(104px,1fr))}"
	".t>div,.t.l>div,.t>dd>div{position:fixed;top:auto;bottom:8px;left:8px;right:8px;"
	"max-height:60vh;"
	"overflow:auto;font-size:1.1rem}}\n",
};

bool html_say_style(struct text *out, unsigned at)
{
	if (at == ARRAY_LEN(style))
		return false;
	text_str(out, style[at]);
	return true;
}
