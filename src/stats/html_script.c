/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The script of the stats page. The page says everything without it. With it, numbers are brought
 * up to date in place: what was ticked, opened or typed stays. Heads of columns sort the servers of
 * a backend, and names are filtered while they are typed. It asks for nothing but the page itself,
 * and it is allowed by a nonce of the response's policy.
 */
#include "stats/html.h"

static const char script[] =
	"(()=>{const D=document,$=(s,o=D)=>[...o.querySelectorAll(s)],every=+D.currentScript."
	"dataset.refresh;let busy=0,timer;\n"
	/* What a cell says, as a number if it is one: 1.23M, 4 kB, 1d2h. */
	"const unit={k:1e3,M:1e6,G:1e9,T:1e12,P:1e15,E:1e18},time={d:86400,h:3600,m:60,s:1};"
	"const value=c=>{let t='';for(const n of c.childNodes)if(n.nodeName!='DIV')t+=n.textContent"
	";"
	"t=t.trim();let m=/^([\\d.]+)\\s*([kMGTPE]?)B?$/.exec(t.replace(/(\\d)\\s+(?=\\d)/g,'$1'));"
	"if(m)return+m[1]*(unit[m[2]]||1);if(/^(\\d+[dhms]\\s*)+$/.test(t)){let n=0;"
	"for(const p of t.matchAll(/(\\d+)([dhms])/g))n+=p[1]*time[p[2]];return n}"
	"return t==''||t=='–'?-1:t};\n"
	/* Servers in the order of a column: down, up, as in the file. */
	"const sort=t=>{const b=t.tBodies[0],r=$('tr.S',b);if(!r.length)return;"
	"r.forEach((x,i)=>{if(!('at' in x))x.at=i});const k=t.sorted,v=new Map;"
	"if(k)r.forEach(x=>v.set(x,"
	"value(x.cells[k.at])));const o=[...r].sort((x,y)=>{if(!k)return x.at-y.at;"
	"const a=v.get(x),c=v.get(y),d=typeof a==typeof c?(a>c)-(a<c):typeof a=='number'?-1:1;"
	"return d*k.way||x.at-y.at});if(o.some((x,i)=>x!=r[i])){const end=r.at(-1).nextSibling;"
	"o.forEach(x=>b.insertBefore(x,end))}};"
	"const heads=t=>$('thead tr+tr th',t).forEach((h,i)=>{h.tabIndex=0;h.classList.add('o');"
	"const go=e=>{if(e.target.nodeName=='INPUT'||(e.type=='keydown'&&e.key!='Enter'))return;"
	"const k=t.sorted;t.sorted=!k||k.at!=i?{at:i,way:-1}:k.way<0?{at:i,way:1}:null;"
	"$('thead th[aria-sort]',t).forEach(x=>x.removeAttribute('aria-sort'));if(t.sorted)"
	"h.setAttribute('aria-sort',t.sorted.way<0?'descending':'ascending');sort(t)};"
	"h.onclick=go;h.onkeydown=go});\n"
	/* Names, while they are typed. */
	"const box=D.querySelector('input[name=scope]'),asked=box?box.value:'';"
	"const filter=()=>{const w=box.value.toLowerCase(),on=w&&w!=asked.toLowerCase();"
	"$('body>section').forEach(s=>{const whole=!on||(s.id[0]!='+'&&s.id.toLowerCase().includes"
	"(w));let n=0;$('tbody>tr[id]',s).forEach(r=>{r.hidden=!whole&&!r.id.toLowerCase()"
	".includes(w);n+=!r.hidden});s.hidden=!n})};if(box)box.oninput=filter;\n"
	/* The new page's rows take the place of those that have changed. */
	"const row=(o,n)=>{if(o.outerHTML==n.outerHTML||o.contains(D.activeElement)&&"
	"D.activeElement.nodeName!='INPUT')return;const i=$('input',o)[0],j=$('input',n)[0];"
	"const had=D.activeElement==i;if(i&&j)j.checked=i.checked;n.at=o.at;o.replaceWith(n);"
	"if(had&&j)j.focus()};"
	"const section=(o,n)=>{const b=$('tbody',o)[0],old=new Map($('tbody>tr[id]',o).map(r=>"
	"[r.id,r])),fresh=$('tbody>tr[id]',n);let last=null;fresh.forEach((r,i)=>{const x="
	"old.get(r.id);old.delete(r.id);if(x){r.at=x.at;row(x,r);last=D.getElementById(r.id)}"
	"else{r.at=i;last?last.after(r):b.prepend(r);last=r}});old.forEach(r=>r.remove());"
	"sort($('table',o)[0])};"
	"const show=n=>{['+clock','+now','+sum'].forEach(i=>{const a=D.getElementById(i),b="
	"n.getElementById(i);if(a&&b&&!a.contains(D.activeElement))a.replaceWith(b);"
	"else if(a&&!b)a.remove()});const old=new Map($('body>section').map(s=>[s.id,s]));"
	"let last=null;$('body>section',n).forEach(s=>{const x=old.get(s.id);old.delete(s.id);"
	"if(x)section(x,s);else{(last||D.getElementById('+sum')||D.getElementById('+now')).after(s)"
	";"
	"heads($('table',s)[0])}last=x||s});old.forEach(s=>s.remove());if(box)filter()};\n"
	"const again=()=>{clearTimeout(timer);if(every)timer=setTimeout(load,every*1e3)};"
	"const note=t=>{let n=D.getElementById('+late');if(!n&&t){n=D.createElement('div');"
	"n.id='+late';n.className='note down';D.querySelector('nav').after(n)}if(n)t?"
	"n.textContent=t:n.remove()};"
	"const load=async()=>{if(busy||D.hidden){again();return}busy=1;try{const r=await "
	"fetch(location.href.replace(/;st=\\w+/,''),{cache:'no-store'});if(!r.ok)"
	"throw Error('status '+r.status);show(new DOMParser().parseFromString((await "
	"r.text()).replace(/<style[^]*?<\\/style>/,''),'text/html'));note('')}catch(e){"
	"note('These numbers are old: the page cannot be had "
	"('+e.message+').')}busy=0;again()};"
	"$('section table').forEach(t=>t.tHead&&heads(t));D.addEventListener('visibilitychange',"
	"()=>{if(!D.hidden&&every)load()});"
	"const button=$('nav a')[0];if(button)button.onclick=e=>{e.preventDefault();load()};"
	"again()})()";

void html_say_script(const struct html *h, struct text *out)
{
	unsigned seconds = (h->req.page->refresh_ms + 999) / 1000;

	text_printf(out, "<script nonce=\"%s\" data-refresh=%u>", h->req.nonce,
		    h->req.norefresh ? 0 : seconds);
	text_str(out, script);
	text_str(out, "</script>\n");
}
