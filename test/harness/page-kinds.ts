import { type FaultySite, page as htmlPage, startFaultySite } from './faulty-site.ts';

/** A kind of page: how its content gets there. */
export interface PageKind {
  name: string;
  /** The page, with what it says at once and what its scripts, frames or trees add. `at` is its path. */
  html(said: string, added: string, at: string): string;
  /** Whether it shows what is added. */
  adds: boolean;
  /** How a single scrape reads it. */
  readAs: 'fetched' | 'rendered';
  /** What its document says is missing. */
  warns?: RegExp;
  /** How many pages the site has of it, 4 by default: one more than a crawl takes as samples. */
  pages?: number;
}

const lorem = 'The harbor was quiet that morning, and the boats lay still until the wind came back from the hills. ';
const main = (said: string, rest = '') => `<main><h1>${said}</h1><p>${lorem.repeat(3)}</p>${rest}</main>`;
const script = (code: string) => `<script>${code}</script>`;
const rows = (added: string, from: number, to: number) =>
  `Array.from({ length: ${to - from + 1} }, (_, n) => '<li style="height: 60px">${added} ' + (n + ${from}) + '</li>').join('')`;
const write = (added: string) => `list.innerHTML += '<li>${added}</li>';`;
const list = '<ul id="list"></ul>';

/** A static kind: its scripts change nothing, or it has none. */
const fixed = (name: string, rest: (said: string, at: string) => string, readAs: PageKind['readAs']): PageKind => ({
  name,
  adds: false,
  readAs,
  html: (said, _added, at) => main(said, rest(said, at)),
});
/** A kind whose scripts, frames or trees add content. */
const filled = (name: string, rest: (added: string, at: string) => string, more: Partial<PageKind> = {}): PageKind => ({
  name,
  adds: true,
  readAs: 'rendered',
  ...more,
  html: (said, added, at) => main(said, rest(added, at)),
});

export const pageKinds: readonly PageKind[] = [
  fixed('server-rendered', () => '', 'fetched'),
  fixed('structured-data', () => '<script type="application/ld+json">{"@type":"Product"}</script>', 'fetched'),
  fixed('inert-template', () => '<template><p>Never shown</p></template>', 'fetched'),
  fixed(
    'analytics',
    () =>
      '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>' +
      script(
        'window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments)} gtag("js", new Date())',
      ),
    'fetched',
  ),
  fixed('noscript-hint', () => '<noscript>Please enable JavaScript.</noscript>', 'fetched'),
  fixed('details', () => '<details><summary>Shipping</summary><p>In three days.</p></details>', 'fetched'),
  fixed(
    'hydrated',
    (said) =>
      script(
        `document.querySelector("h1").replaceWith(Object.assign(document.createElement("h1"), { textContent: "${said}" }))`,
      ),
    'rendered',
  ),
  fixed(
    'enhanced',
    () => script('for (const p of document.querySelectorAll("p")) p.onclick = () => p.classList.toggle("big")'),
    'rendered',
  ),
  fixed(
    'consent-overlay',
    () =>
      script(
        'document.body.insertAdjacentHTML("beforeend", \'<div role="dialog" class="cookie-banner">We value your privacy. <button>Accept all</button></div>\')',
      ),
    'rendered',
  ),
  fixed('script-error', () => script('undefinedFunction()'), 'rendered'),
  fixed(
    'tabs',
    () =>
      `<div role="tabpanel">First panel</div><div role="tabpanel" hidden>Second panel</div>${script('document.querySelector("[role=tabpanel]").tabIndex = 0')}`,
    'rendered',
  ),
  fixed(
    'lazy-image',
    () => `<img data-src="/a.png" alt="Boat">${script('for (const i of document.images) i.src = i.dataset.src')}`,
    'rendered',
  ),
  {
    name: 'single-page-app',
    adds: true,
    readAs: 'rendered',
    html: (said, added) =>
      `<div id="root">Loading…</div>${script(`setTimeout(() => { root.innerHTML = '${main(said, `<p>${added}</p>`)}' }, 50)`)}`,
  },
  filled('inline-list', (added) => list + script(write(added))),
  filled(
    'inline-data',
    (added) =>
      `<script type="application/json" id="data">["${added}"]</script>${list}${script(`for (const text of JSON.parse(data.textContent)) list.innerHTML += "<li>" + text + "</li>"`)}`,
  ),
  filled(
    'fetched-list',
    (added, at) =>
      list +
      script(
        `fetch("${at}/data?text=${encodeURIComponent(added)}").then((a) => a.text()).then((text) => { list.innerHTML = "<li>" + text + "</li>" })`,
      ),
  ),
  filled(
    'fetched-twice',
    (added, at) =>
      list +
      script(
        `fetch("${at}/data?text=1").then(() => fetch("${at}/data?text=${encodeURIComponent(added)}")).then((a) => a.text()).then((text) => { list.innerHTML = "<li>" + text + "</li>" })`,
      ),
  ),
  filled(
    'jsonp',
    (added, at) =>
      `${list}${script('function show(text) { list.innerHTML = "<li>" + text + "</li>" }')}<script src="${at}/jsonp?text=${encodeURIComponent(added)}"></script>`,
  ),
  filled(
    'module',
    (added, at) => `${list}<script type="module" src="${at}/module.js?text=${encodeURIComponent(added)}"></script>`,
  ),
  filled('delayed', (added) => list + script(`setTimeout(() => { ${write(added)} }, 1200)`), { pages: 3 }),
  filled(
    'busy',
    (added) =>
      `${list}<p id="state">Loading…</p>` +
      script(
        `let n = 0; const tick = setInterval(() => { if (++n < 25) return; clearInterval(tick); state.remove(); ${write(added)} }, 100)`,
      ),
    { pages: 3 },
  ),
  filled('document-write', (added) => script(`document.write("<p>${added}</p>")`)),
  filled(
    'cloned-template',
    (added) =>
      `<template id="row"><p>${added}</p></template>${script('document.querySelector("main").append(row.content.cloneNode(true))')}`,
  ),
  filled('replaced-text', (added) => `<p id="price">Price on request</p>${script(`price.textContent = "${added}"`)}`),
  filled(
    'load-handler',
    (added) => `${list}<iframe hidden onload="${write(added).replaceAll('"', '&quot;')}"></iframe>`,
  ),
  filled(
    'shadow-tree',
    (added) =>
      `<my-card><b slot="name">Slotted</b></my-card>${script(`customElements.define("my-card", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = '<p><slot name="name"></slot> ${added}</p>' } })`)}`,
  ),
  filled(
    'declared-shadow-tree',
    (added) => `<my-box><template shadowrootmode="open"><p>${added}</p></template></my-box>`,
  ),
  filled('iframe', (added, at) => `<iframe src="${at}/part?text=${encodeURIComponent(added)}"></iframe>`),
  filled('inline-frame', (added) => `<iframe srcdoc="<p>${added}</p>"></iframe>`),
  {
    name: 'frameset',
    adds: true,
    readAs: 'rendered',
    html: (said, added, at) =>
      `<frameset cols="30%,*">${[said, added].map((text) => `<frame src="${at}/part?text=${encodeURIComponent(text)}">`).join('')}</frameset>`,
  },
  filled('router', (added, at) => list + script(`history.pushState({}, "", "${at}?view=list"); ${write(added)}`)),
  {
    name: 'script-redirect',
    adds: true,
    readAs: 'rendered',
    pages: 3,
    html: (said, added, at) =>
      `<p>One moment</p>${script(`location.href = "${at}/part?text=${encodeURIComponent(`${said} ${added}`)}"`)}`,
  },
  {
    name: 'meta-refresh',
    adds: true,
    readAs: 'fetched',
    pages: 3,
    html: (said, added, at) =>
      `<meta http-equiv="refresh" content="0; url=${at}/part?text=${encodeURIComponent(`${said} ${added}`)}">`,
  },
  filled(
    'on-scroll',
    (added) =>
      `<ul id="list"></ul><i id="end"></i>${script(`let loaded = 0; const more = () => { if (loaded >= 90) return; const from = loaded + 1; loaded += 30; list.insertAdjacentHTML("beforeend", Array.from({ length: 30 }, (_, n) => '<li style="height: 60px">${added} ' + (n + from) + '</li>').join("")) }; more(); new IntersectionObserver(([entry]) => entry.isIntersecting && more(), { rootMargin: "50px" }).observe(end)`)}`,
    { pages: 3 },
  ),
  filled(
    'endless',
    (added) =>
      `<ul id="list"></ul>${script(`const more = () => { list.insertAdjacentHTML("beforeend", ${rows(added, 1, 30)}) }; more(); addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 100) more() })`)}`,
    { pages: 1, warns: /keeps adding content/ },
  ),
  filled(
    'load-more',
    (added) =>
      `${list}<button id="more">Load more</button>${script(`${write(added)} more.onclick = () => { ${write('Rest')} }`)}`,
    { warns: /button "Load more".*"#more"/ },
  ),
  filled('endless-script', () => script('for (;;);'), { adds: false, pages: 1, warns: /never ended/ }),
  filled('foreign-frame', () => '<iframe width="600" height="300" src="FOREIGN/part?text=Elsewhere"></iframe>', {
    adds: false,
    pages: 3,
    warns: /frames that aren't part of the document.*Elsewhere/,
  }),
];

export interface KindsSite extends FaultySite {
  /** Links to all pages. */
  readonly index: string;
  pathsOf(kind: PageKind): string[];
}

/** What the page at a path says at once, and what is added to it. */
export const said = (path: string) => `Said ${path.slice(1).replace('/', ' ')}`;
export const added = (path: string) => `Added ${path.slice(1).replace('/', ' ')}`;

/** Starts a site with pages of all kinds, at `/KIND/NUMBER`. */
export async function startKindsSite(): Promise<KindsSite> {
  const pathsOf = ({ name, pages = 4 }: PageKind) =>
    Array.from({ length: pages }, (_, index) => `/${name}/${index + 1}`);
  const serve = (_request: unknown, response: import('node:http').ServerResponse, url: URL) => {
    const text = url.searchParams.get('text') ?? '';
    const [, kind, number, file] = url.pathname.split('/');
    const respond = (type: string, body: string) => void response.writeHead(200, { 'content-type': type }).end(body);
    if (file === 'part') return respond('text/html', `<p>${text}</p>`);
    if (file === 'data') return void setTimeout(() => respond('text/plain', text), 150);
    if (file === 'jsonp') return respond('text/javascript', `show(${JSON.stringify(text)})`);
    if (file === 'module.js') return respond('text/javascript', `list.innerHTML = "<li>${text}</li>"; export {};`);
    const known = pageKinds.find(({ name }) => name === kind);
    const path = `/${kind}/${number}`;
    if (!known || !pathsOf(known).includes(path) || file !== undefined) return void response.writeHead(404).end();
    const html = known.html(said(path), added(path), path).replace('FOREIGN', `http://localhost:${site.port}`);
    respond(
      'text/html; charset=utf-8',
      `<!doctype html><title>${kind}</title><body>${html}`.replace('<body><frameset', '<frameset'),
    );
  };
  const site = await startFaultySite({ otherwise: serve });
  const links = pageKinds.flatMap(pathsOf).map((path) => `<li><a href="${path}">${path}</a></li>`);
  site.answer('/index', htmlPage(`<main><h1>All kinds</h1><ul>${links.join('')}</ul></main>`));
  return { ...site, index: `${site.baseUrl}/index`, pathsOf };
}
