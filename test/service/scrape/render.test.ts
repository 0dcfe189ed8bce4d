import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScrapeDocument } from '../../../src/contract/scrape/scrape.ts';
import { crawl } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import {
  type Answer,
  type FaultySite,
  page,
  raw,
  redirect,
  startFaultySite,
  status,
} from '../../harness/faulty-site.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

describe('scrape in a browser', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService(chosenBrowsers)]);
  });
  after(() => Promise.all([site.close(), service.close()]));
  const scrape = (path: string, options: object = {}) =>
    service.call('POST', '/v2/scrape', { url: path.startsWith('http') ? path : site.baseUrl + path, ...options });

  it('renders a page that scripts fill', async () => {
    site.answer(
      '/app',
      '<div id="root"></div><script>setTimeout(() => { root.innerHTML = "<main><h1>Filled</h1></main>"; }, 80)</script>',
    );
    // How long a page is waited for that writes nothing yet depends on how fast it is.
    await eventually(async () => assert.equal((await scrape('/app')).body.data.markdown, '# Filled'));
    const plain = await scrape('/app', { fastMode: true });
    assert.equal(plain.body.data.markdown, '');
  });

  it('reads the parts that React sends at the end of a page where Chrome shows them, also without scripts', async () => {
    // As React 19.3 wrote it: nested parts, rows of a table, a part in segments, and one that never came.
    site.answer('/streamed', readFileSync(new URL('../../fixtures/streamed-page.html', import.meta.url), 'utf8'));
    const [fetched, rendered] = [await scrape('/streamed', { fastMode: true }), await scrape('/streamed')];
    const [{ markdown, metadata }, shown] = [fetched.body.data, rendered.body.data];
    assert.deepEqual([metadata.readAs, shown.metadata.readAs], ['fetched', 'rendered']);
    assert.match(
      markdown,
      /First.*Late one.*Late two.*row 1.*row 2.*Late four.*Late three.*Fallback never.*Last words/s,
    );
    assert.equal(markdown, shown.markdown);
  });

  it('renders a page unless it needs no scripts, and says how it was read and why', async () => {
    const reviews = '<h1>Reviews</h1><p>What our customers say.</p><ul id="list"></ul>';
    const fill = '<script>for (const name of ["Ana", "Bo"]) list.innerHTML += "<li>" + name + "</li>"</script>';
    const measure = '<script async src="https://www.googletagmanager.com/gtag/js?id=1"></script>';
    site.answer('/filled', page(reviews + fill));
    site.answer('/written', page(reviews));
    site.answer('/measured', page(reviews + measure));
    const read = async (path: string, options = {}) => {
      const { markdown, metadata } = (await scrape(path, options)).body.data;
      return [markdown.includes('Ana'), metadata.readAs, metadata.readBecause];
    };
    assert.deepEqual(await read('/filled'), [true, 'rendered', 'scripts']);
    assert.deepEqual(await read('/filled', { fastMode: true }), [false, 'fetched', 'fastMode']);
    assert.deepEqual(await read('/written'), [false, 'fetched', 'noScripts']);
    assert.deepEqual(await read('/written', { waitFor: 1 }), [false, 'rendered', 'options']);
    assert.deepEqual(await read('/measured'), [false, 'fetched', 'noContentScripts']);
  });

  it('renders a cached unrendered shell, and caches the result', async () => {
    site.answer('/stored-app', '<div id="root"></div><script>root.innerHTML = "<h1>Filled</h1>"</script>');
    assert.equal((await scrape('/stored-app', { fastMode: true })).body.data.markdown, '');
    assert.equal((await scrape('/stored-app', { fastMode: true, maxAge: 600_000 })).body.data.markdown, '');
    const rendered = (await scrape('/stored-app', { maxAge: 600_000 })).body.data;
    assert.deepEqual([rendered.markdown, rendered.metadata.cacheState], ['# Filled', 'miss']);
    const again = (await scrape('/stored-app', { lockdown: true })).body.data;
    assert.deepEqual([again.markdown, again.metadata.cacheState], ['# Filled', 'hit']);
  });

  it('waits for requests that a script sends to the site', async () => {
    site.answer('/slow-data', (_request, response) => void setTimeout(() => response.end('Late words'), 300));
    site.answer(
      '/asks',
      '<div id="app"></div><script>fetch("/slow-data").then((a) => a.text()).then((t) => { app.innerText = t; })</script>',
    );
    await eventually(async () => assert.equal((await scrape('/asks')).body.data.markdown, 'Late words'));
  });

  describe('whose own scripts and data fail', () => {
    const asking = (path: string, times: number) => `<h1>List</h1><div id="app"></div><script>(async () => {
      for (let time = 0; time < ${times}; time++) {
        const answer = await fetch('${path}', { method: 'POST', body: 'time' }).catch(() => undefined);
        if (answer?.ok) app.innerText = await answer.text();
      }
    })()</script>`;
    /** Answers the first requests in another way. */
    const first = (answers: readonly Answer[], then: Answer): Answer => {
      const left = [...answers];
      return (...request) => (left.shift() ?? then)(...request);
    };
    const data: Answer = (_request, response) => void response.end('Late words');

    it('is complete if it asks again itself, or if what failed is gone for good', async () => {
      site.answer('/busy', first([status(429), raw('')], data));
      site.answer('/persists', asking('/busy', 3));
      site.answer('/lacks', `${asking('/none', 1)}<script src="https://name.invalid/gone.js"></script>`);
      for (const [path, markdown] of [
        ['/persists', '# List\n\nLate words'],
        ['/lacks', '# List'],
      ]) {
        const { data: document } = (await scrape(path ?? '', { waitFor: 500 })).body;
        assert.deepEqual([document.markdown, document.warning ?? undefined], [markdown, undefined]);
      }
    });

    it('is rendered by a crawl also if its site refused it with a text first', async () => {
      const busy: Answer = (_request, response) =>
        void response.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '1' }).end('Too many requests');
      site.answer('/refused', first([busy], page('<p id="app">Wait</p><script>app.innerText = "Late words"</script>')));
      const body = { url: `${site.baseUrl}/refused`, limit: 1, sitemap: 'skip', scrapeOptions: { waitFor: 1 } };
      const { data } = await crawl(service, body);
      assert.deepEqual([data[0].markdown, data[0].metadata.readAs], ['Late words', 'rendered']);
    });

    it('is scraped with a warning, and read again by a crawl', async () => {
      const busy = status(429, { 'retry-after': '1' });
      site.answer('/refuses', first([busy], data));
      site.answer('/tries-once', asking('/refuses', 1));
      const { warning } = (await scrape('/tries-once')).body.data;
      const sentence = 'A request of the page failed, so content may be missing: ';
      assert.equal(warning, `${sentence}${site.baseUrl}/refuses (status 429).`);
      site.answer('/refuses', first([busy], data));
      const again = await crawl(service, { url: `${site.baseUrl}/tries-once`, limit: 1, sitemap: 'skip' });
      assert.deepEqual([again.data[0].markdown, again.warning ?? undefined], ['# List\n\nLate words', undefined]);
      site.answer(
        '/refuses',
        first([], (request) => request.socket.destroy()),
      );
      const never = await crawl(service, { url: `${site.baseUrl}/tries-once`, limit: 1, sitemap: 'skip' });
      const broke = `${sentence}${site.baseUrl}/refuses (the connection broke).`;
      assert.equal(never.data[0].warning, broke);
      assert.match(never.warning, /^A page of the crawl is incomplete, so pages may be missing: \S+\/tries-once: /);
    });
  });

  it('waits for an element of the page that follows, also if that is of another site', async () => {
    site.answer('/next', page('<h1 id="there">Next</h1>'));
    for (const to of ['/next', `${site.baseUrl.replace('127.0.0.1', 'localhost')}/next`]) {
      // Longer than timers are waited for before the first action.
      site.answer(
        '/leaves',
        page(`<p>First</p><script>setTimeout(() => { location = ${JSON.stringify(to)}; }, 3000)</script>`),
      );
      const { status, body } = await scrape('/leaves', { actions: [{ type: 'wait', selector: '#there' }] });
      assert.deepEqual([status, body.data?.markdown], [200, '# Next'], JSON.stringify(body).slice(0, 500));
    }
  });

  it('adds explicit waits to the default timeout', async () => {
    const clock = createFakeClock();
    let waiting = false;
    site.answer(
      '/patient',
      '<p>Words</p><script>addEventListener("load", () => setTimeout(() => fetch("/waiting"), 1500))</script>',
    );
    site.answer('/waiting', (_request, response) => {
      waiting = true;
      // The timeout depends only on the clock: 31 seconds are beyond the default of 30, and leave 5 to convert the page.
      clock.advance(31_000);
      response.end();
    });
    const own = await startTestService({ ...chosenBrowsers, clock });
    try {
      // Starts what converts pages.
      assert.equal((await own.call('POST', '/v2/scrape', { url: `${site.baseUrl}/plain` })).status, 200);
      const answer = await own.call('POST', '/v2/scrape', { url: `${site.baseUrl}/patient`, waitFor: 6_000 });
      assert.equal(answer.status, 200, answer.body.error);
      assert.ok(waiting);
    } finally {
      await own.close();
    }
  });

  it('performs actions in order and returns their results', async () => {
    site.answer(
      '/form',
      `<input id="field"><button id="go" onclick="document.body.insertAdjacentHTML('beforeend', '<p>Said ' + field.value + '</p>')">Go</button>
      <input type="checkbox" class="box"><input type="checkbox" class="box"><a id="away" href="/plain">away</a>`,
    );
    const { status, body } = await scrape('/form', {
      formats: ['markdown', 'rawHtml'],
      timeout: 300_000,
      actions: [
        { type: 'click', selector: '#field' },
        { type: 'write', text: 'hällo' },
        { type: 'press', key: '!' },
        { type: 'click', selector: '#go' },
        { type: 'wait', selector: 'p' },
        { type: 'click', selector: '.box', all: true },
        {
          type: 'executeJavascript',
          script: 'return [...document.querySelectorAll(".box")].map((box) => box.checked)',
        },
        { type: 'executeJavascript', script: '6 * 7' },
        { type: 'scroll', direction: 'down' },
        { type: 'screenshot', quality: 50 },
        { type: 'scrape' },
        { type: 'pdf', format: 'A4' },
        { type: 'click', selector: '#away' },
      ],
    });
    assert.equal(status, 200, body.error);
    const { actions, metadata, markdown } = body.data;
    assert.match(actions.scrapes[0].html, /Said hällo!/);
    assert.equal(actions.scrapes[0].url, `${site.baseUrl}/form`);
    assert.deepEqual(actions.javascriptReturns, [
      { type: 'object', value: [true, true] },
      { type: 'number', value: 42 },
    ]);
    assert.match(actions.screenshots[0], /^data:image\/jpeg;base64,/);
    assert.match(Buffer.from(actions.pdfs[0], 'base64').toString('latin1'), /^%PDF-/);
    assert.equal(metadata.url, `${site.baseUrl}/plain`);
    assert.match(markdown, /Plain page/);
  });

  it('sees at once that the mouse is over what it clicks, also on pages in quirks mode', async () => {
    // In quirks mode, a selector with nothing but :hover matches only links.
    const page = `<button onclick="this.textContent = moves">Go</button><script>let moves = 0; onmousemove = () => moves++</script>`;
    for (const doctype of ['<!doctype html>', '']) {
      site.answer('/hovered', doctype + page);
      const { status, body } = await scrape('/hovered', {
        actions: [
          { type: 'click', selector: 'button' },
          { type: 'executeJavascript', script: 'return moves' },
        ],
      });
      assert.equal(status, 200, body.error);
      // It is moved every 30 ms, for five seconds if it never seems to arrive: about 145 times.
      const moves = body.data.actions.javascriptReturns[0].value;
      assert.ok(moves < 100, `${moves} times in ${doctype ? 'standards' : 'quirks'} mode`);
    }
  });

  it('clicks what has no size itself, not what is in the corner of the page', async () => {
    const set = (text: string) => `onclick="out.textContent += ' ${text}'"`;
    site.answer(
      '/sizeless',
      `<body style="margin:0"><h1 ${set('corner')}>Home</h1><p id="out">Clicked:</p><img usemap="#map" width="9" height="9">
      <map name="map"><area shape="default" href="javascript:void 0" ${set('area')}></map><button hidden ${set('button')}>Go</button>
      <svg width="0" height="0"><path ${set('path')}></path></svg>`,
    );
    const actions = ['area', 'button', 'path'].map((selector) => ({ type: 'click', selector }));
    assert.match((await scrape('/sizeless', { actions })).body.data.markdown, /^Clicked: area button path$/m);
  });

  it('clicks a button that loads more until it is gone or adds nothing, and says which', async () => {
    const more = (last: number, then: string) =>
      `<button class="btn">Search</button><ul id="list"></ul><button class="btn more">Load more</button><script>let n = 0;
        const button = document.querySelector('.more');
        const add = async () => { await (await fetch('/plain?' + n)).text(); if (n >= ${last}) { ${then}; return }
          list.insertAdjacentHTML('beforeend', '<li>Row ' + ++n + '</li>'); if (n === 8) button.remove() };
        button.onclick = add; add();</script>`;
    const again = async (path: string) => {
      const first = await scrape(path, { formats: ['markdown'] });
      assert.match(first.body.data.warning, /"Load more", which wasn't clicked/);
      const [{ actions }] = first.body.data.missing;
      return (await scrape(path, { formats: ['markdown'], actions, timeout: 240_000 })).body.data;
    };
    site.answer('/more', more(99, ''));
    const whole = await again('/more');
    assert.match(whole.markdown, /Row 8$/m);
    assert.equal(whole.warning ?? undefined, undefined);
    assert.equal(whole.missing ?? undefined, undefined);
    for (const then of ['', 'button.disabled = false']) {
      site.answer('/stuck', more(3, then));
      const stuck = await again('/stuck');
      assert.match(stuck.markdown, /Row 3$/m);
      assert.match(stuck.warning, /clicked until it added nothing more, but is still there/);
      assert.equal(stuck.missing ?? undefined, undefined);
    }
    // A question for consent over all of a page, whose body can't be scrolled meanwhile, and a bar that isn't over the button.
    const over = `<div style="position: fixed; inset: 0"><div role="dialog">Accept?</div></div>`;
    const bar = '<div style="position: fixed; bottom: 0; height: 20px">Cookies</div>';
    for (const [path, beside] of Object.entries({ '/covered': over, '/bar': bar })) {
      site.answer(path, `<body style="position: fixed; inset: 0">${more(99, '')}${beside}`);
      const { markdown, warning } = await again(path);
      assert.match(markdown, /Row 8$/m, path);
      assert.equal(warning ?? undefined, undefined);
    }
    site.answer('/hides', more(3, 'button.hidden = true'));
    assert.equal((await again('/hides')).warning ?? undefined, undefined);
  });

  it('says how many rows only a click opens, but not of those that have an address or open in place', async () => {
    const words = 'Order of the month of May, paid and sent';
    const rows = (count: number, row: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => row(i)).join('');
    const opens =
      '<style>.hand { cursor: pointer }</style><script>document.body.onclick = () => location = "/open"</script>';
    const said = async (body: string) => {
      site.answer('/rows', page(`<h1>Orders</h1>${opens}<main>${body}</main>`));
      const { data } = (await scrape('/rows')).body;
      return data.warning as string | undefined;
    };
    const table = `<table><tr><th>What</th></tr>${rows(7, (at) => `<tr class="hand order"><td>${words} ${at}</td></tr>`)}</table>`;
    assert.equal(
      await said(table),
      `7 rows of the page seem to open something when they are clicked, and have no address, so what they open is missing: "${words} 0" and others. To get what the first one opens, set actions: [{"type":"click","selector":"tr.hand.order"}].`,
    );
    const link = (text: string, more = '') => `<div class="hand" role="link" ${more}>${text}</div>`;
    assert.match((await said(rows(3, (at) => link(`May ${at}`)))) ?? '', /^3 rows/);
    const many = (more = '') => rows(4, (at) => link(`${words} ${at}${more}`));
    for (const some of [
      many('<span style="opacity: 0">Open</span>'),
      `<div style="opacity: 0">${many()}</div>`,
      `<form><input name="children"><input name="getAttribute"><p>A</p><p>B</p></form>${many()}`,
      `${'<form class="hand"><input name="closest"></form>'.repeat(5)}${many()}`,
      `<section class="slider cookie-free">${many()}</section>`,
      `<div role="table">${rows(4, (at) => `<div class="hand" role="row">${words} ${at}</div>`)}</div>`,
    ])
      assert.match((await said(some)) ?? '', /^4 rows/, some);
    const named = await said(rows(3, (at) => link(`"May"&#7; &#x202e;is paid and sent ${at}`)));
    assert.match(named ?? '', /: "'May' is paid and sent 0" and/);
    const line = (text: string, more = '') => `<tr class="hand" ${more}><td>${text}</td></tr>`;
    const tableOf = (row: (at: number) => string) => `<table>${rows(4, row)}</table>`;
    for (const none of [
      rows(2, (at) => link(`${words} ${at}`)),
      `<div role="dialog">${many()}</div>`,
      `<nav>${many()}</nav>`,
      `<aside>${many()}</aside>`,
      `<div class="hand">${rows(4, (at) => `<div role="link">${words} ${at}</div>`)}</div>`,
      tableOf((at) => `<tr><td>${words} ${at}</td></tr>`),
      tableOf((at) => line(`May ${at}`)),
      tableOf((at) => line(`<a href="/${at}">${words}</a>`)),
      tableOf((at) => `${line(`${words} ${at}`)}<tr hidden><td>More of ${at}</td></tr>`),
      tableOf((at) => line(`${words} ${at}`, 'aria-expanded="false"')),
      tableOf((at) => line(`${words} ${at}`, `aria-selected="${at === 0}"`)),
      tableOf((at) => line(words, `data-href="/${at}"`)),
      tableOf((at) => line(words, `onclick="location = '/${at}'"`)),
      tableOf((at) => line(`<p onclick="location.href='/${at}'">${words}</p>`)),
      // What sorts, picks, plays, copies or shows a picture has a hand, too.
      `<table><tbody><tr>${rows(5, (at) => `<th class="hand">Sort by column ${at}</th>`)}</tr><tr><td>1</td></tr></table>`,
      `<table>${rows(5, (week) => `<tr>${rows(7, (day) => `<td class="hand">Day ${day} of week ${week}</td>`)}</tr>`)}</table>`,
      rows(4, (at) => `<div class="hand plan">Plan ${at}, for 10 dollars a month</div>`),
      rows(4, (at) => `<li class="hand">Filter by material number ${at}</li>`),
      rows(4, (at) => `<pre class="hand">npm install package-${at}</pre>`),
      rows(4, (at) => `<figure class="hand"><img alt=""><figcaption>View of house ${at}</figcaption></figure>`),
      rows(4, (at) => `<div class="hand chapter">Chapter ${at} begins at 10:0${at}</div>`),
      `<form>${rows(4, (at) => line(`Answer number ${at} of the quiz`))}</form>`,
    ])
      assert.equal(await said(none), undefined, none);
    const drawn = rows(4, (at) => `<g class="hand" role="link"><text>${words} ${at}</text></g>`);
    assert.match((await said(`<svg>${drawn}</svg>`)) ?? '', /^The page has drawings [^[]*$/);
    const card = (at: number, inside: string, more = '') =>
      `<article class="card" ${more}><h3>Guide ${at}</h3><p>${words} ${at}</p>${inside}</article>`;
    const cards = (inside: string, more = '') => rows(5, (at) => card(at, inside, more));
    // What ordinary pages repeat: buttons that do something, or show what is there already.
    for (const none of [
      cards('<button>Add to cart</button>'),
      cards('<button>Like</button> <button>Share</button> <button>Reply</button>'),
      cards('<button>▲</button> <button>▼</button>'),
      cards('<button>Buy now</button> <button>Quick view</button>'),
      cards('<button>Play</button> <button>Download</button> <button>Edit</button> <button>Delete</button>'),
      cards(`<a href="/guide">Guide</a> <button>Read more</button>`),
      cards('<button aria-expanded="false">Read more</button>'),
      cards('<button data-bs-toggle="modal" data-bs-target="#dialog">Details</button>'),
      cards(
        '<div style="height: 20px; overflow: hidden"><p>A long review</p><p>goes on</p></div><button>Read more</button>',
      ),
      cards('<div hidden>All about it</div><button>Details</button>'),
      cards('<button class="btn">Add to cart</button><button class="btn">Details</button>'),
      tableOf((at) => `<tr><td>${words} ${at}</td><td><button>Delete</button> <button>Open</button></td></tr>`),
      cards('<button>Zur Kasse</button>'),
      `<div>${cards('', 'style="cursor: pointer"')}</div>`,
      `<form>${cards('<button type="button">View</button>')}</form>`,
      `<nav>${cards('<button>Open</button>')}</nav>`,
      `<div role="dialog">${cards('<button>Learn more</button>')}</div>`,
      rows(5, (at) => `<pre>npm install package-${at}</pre><button>Copy</button>`),
      rows(
        5,
        (at) =>
          `<h3><button aria-expanded="false" aria-controls="p${at}">Question ${at}</button></h3><div id="p${at}" hidden>${words}</div>`,
      ),
      rows(5, (at) => `<details><summary>Question ${at}</summary><p>${words}</p></details>`),
      `<div class="toolbar">${rows(5, () => '<button>View</button>')}</div>`,
      rows(5, (at) => `<div class="hand"><h3>Question ${at}</h3><p hidden>${words}</p></div>`),
      rows(5, (at) => `<h3 class="hand">Question ${at}</h3><p>${words}</p>`),
      `<aside><h3><button aria-expanded="false" aria-controls="brand">Brand</button></h3><div id="brand"></div></aside>`,
      `<header><button aria-expanded="false" aria-controls="cart">Cart</button><div id="cart"></div></header>`,
      `<button aria-expanded="false" aria-controls="menu">Menu</button><div id="menu"></div>`,
      '<details><summary>Nothing in it</summary></details>',
      '<details><summary>Nothing that a script would find</summary><div></div></details>',
    ])
      assert.equal(await said(none), undefined, none);
    const closed = [
      `<h3><button aria-expanded="false" aria-controls="p1">Shipping</button></h3><div id="p1" hidden></div>`,
      `<details id="more"><summary>Specifications</summary><div></div></details>`,
    ];
    assert.equal(
      await said(closed.join('')),
      `Closed parts of the page may load what they show only when they are clicked, so it may be missing: "Shipping", "Specifications". To get it, set actions: [{"type":"click","selector":"[aria-controls=\\"p1\\"]"},{"type":"scrape"},{"type":"click","selector":"#more > summary:nth-of-type(1)"},{"type":"scrape"}].`,
    );
    site.answer('/rows', page(`<h1>Orders</h1>${opens}<main>${table}</main>`));
    site.answer(
      '/start',
      page('<main><h1>Start</h1><a href="/rows">Rows</a> <a href="/rows?from=start">Again</a></main>'),
    );
    const { warning } = await crawl(service, {
      url: `${site.baseUrl}/start`,
      crawlEntireDomain: true,
      sitemap: 'skip',
    });
    assert.match(warning, /^A page of the crawl is incomplete, so pages may be missing: \S+\/rows\S*: 7 rows of /);
    assert.doesNotMatch(warning, /The same is true/, 'a copy that is left out');
    for (const script of ['Map = undefined', 'getComputedStyle = undefined'])
      assert.match((await said(`<script>${script}</script>${table}`)) ?? '', /^7 rows/);
  });

  it('says what a screenshot of a page in a crawl lacks, but not that pages may be missing', async () => {
    site.answer('/tall', page('<main><h1>Tall</h1></main><div style="height: 40000px"></div>'));
    const { data, warning } = await crawl(service, {
      url: `${site.baseUrl}/tall`,
      sitemap: 'skip',
      scrapeOptions: { formats: ['markdown', { type: 'screenshot', fullPage: true }] },
    });
    assert.match(data[0].warning, /^The screenshot shows only the first \d+ × 16384 pixels of the page, which has /);
    assert.equal(warning ?? undefined, undefined);
  });

  it('reads a list that grows as it is scrolled no less with scroll actions than without, and says what they lost', async () => {
    const rows = `const add = (from) => list.insertAdjacentHTML('beforeend', Array.from({ length: 30 }, (_, n) => '<li style="height: 60px">Row ' + (from + n) + '</li>').join(''));`;
    const atEnd = 'scrollY + innerHeight > document.body.scrollHeight - 100';
    const fetched = `let count = 0, busy = false; const more = async () => { if (busy || count >= 210) return; busy = true; await (await fetch('/plain?' + count)).text(); add(count + 1); count += 30; busy = false }; more();`;
    site.answer(
      '/growing',
      `<ul id="list"></ul><script>${rows} ${fetched} addEventListener('scroll', () => { if (${atEnd}) more() })</script>`,
    );
    const scroll = { type: 'scroll', direction: 'down' };
    for (const actions of [[], [scroll], [scroll, scroll, scroll]]) {
      const { body } = await scrape('/growing', { formats: ['markdown'], actions });
      assert.match(body.data.markdown, /Row 210\b/, `${actions.length} actions`);
      assert.equal(body.data.warning ?? undefined, undefined);
    }
    site.answer(
      '/long',
      `<ul id="list"></ul><script>${rows} ${fetched.replace('210', '900')} addEventListener('scroll', () => { if (${atEnd}) more() })</script>`,
    );
    const beginning = await scrape('/long', { formats: ['markdown'] });
    assert.match(beginning.body.data.warning, /keeps adding content/);
    assert.doesNotMatch(beginning.body.data.markdown, /Row 900\b/);
    const [{ actions }] = beginning.body.data.missing;
    const rest = await scrape('/long', { formats: ['markdown'], actions, timeout: 240_000 });
    assert.match(rest.body.data.markdown, /Row 900\b/);
    assert.equal(rest.body.data.warning ?? undefined, undefined);
    assert.equal(rest.body.data.missing ?? undefined, undefined);
    site.answer(
      '/virtual',
      `<div style="height: 60000px"><ul id="list" style="position: sticky; top: 0"></ul></div><script>const show = () => { const from = Math.floor(scrollY / 60); list.innerHTML = Array.from({ length: 15 }, (_, n) => '<li>Row ' + (from + n) + '</li>').join('') }; show(); addEventListener('scroll', show)</script>`,
    );
    const { body } = await scrape('/virtual', { formats: ['markdown'], actions: [scroll, scroll, scroll] });
    assert.match(body.data.warning, /removed content as it was scrolled/);
  });

  describe('that takes over another address as it is scrolled', () => {
    const text = (name: string) => `${name} says that tea grows in the hills, by the river. `.repeat(30);
    const article = (name: string) =>
      `<article class="story" data-name="${name}"><h1>Story of ${name}</h1><p style="height: 2000px">${text(name)}</p></article>`;
    const next: Record<string, string> = { ann: 'bob', bob: 'cleo', cleo: 'dora', dora: 'emil' };
    const script = `const next = ${JSON.stringify(next)}; let busy = false;
      addEventListener('scroll', async () => {
        const stories = [...document.querySelectorAll('.story')], last = stories.at(-1).dataset.name;
        const shown = stories.findLast((each) => each.getBoundingClientRect().top <= innerHeight / 2).dataset.name;
        if (!location.pathname.endsWith(shown)) {
          history.pushState({}, '', '/stories/' + shown);
          document.title = 'Story of ' + shown;
        }
        if (busy || !next[last] || scrollY + innerHeight < document.body.scrollHeight - 200) return;
        busy = true;
        document.querySelector('main').insertAdjacentHTML('beforeend', await (await fetch('/part-' + next[last])).text());
        busy = false;
      })`;

    it('is the page that was asked for if that is another page, which the warning names and a crawl follows', async () => {
      for (const name of Object.keys(next).concat('emil')) {
        site.answer(`/part-${name}`, article(name));
        site.answer(
          `/stories/${name}`,
          `<!doctype html><head><title>Story of ${name}</title></head><main>${article(name)}</main><script>${script}</script>`,
        );
      }
      const ask = async () => (await scrape('/stories/ann', { formats: ['markdown'], maxAge: 60_000 })).body.data;
      const { markdown, metadata, warning } = await ask();
      assert.deepEqual([metadata.url, metadata.title], [`${site.baseUrl}/stories/ann`, 'Story of ann']);
      for (const story of [/ann says/, /bob says/]) assert.match(markdown, story);
      assert.match(warning, /also contains what the site shows under another URL: .*\/stories\/bob/);
      const copy = await ask();
      assert.deepEqual([copy.metadata.cacheState, copy.warning], ['hit', warning]);
      const { data } = await crawl(service, { url: `${site.baseUrl}/stories/ann`, crawlEntireDomain: true });
      const stored = data.map(({ metadata: each }: ScrapeDocument) => [each?.url, each?.title]);
      const all = [...Object.keys(next), 'emil'].map((name) => [`${site.baseUrl}/stories/${name}`, `Story of ${name}`]);
      assert.deepEqual(stored.sort(), all);
    });

    it('keeps its own and all that was added if that is more of its list', async () => {
      for (const title of ['Flats, page 2', 'Flats']) {
        const rows = Array.from({ length: 40 }, (_, n) => `<li style="height: 60px">Row ${n}</li>`).join('');
        site.answer(
          '/flats',
          `<!doctype html><head><title>Flats</title></head><h1>Flats</h1><ul>${rows}</ul><script>addEventListener('scroll', () => {
            if (document.querySelector('.added')) return;
            document.querySelector('ul').insertAdjacentHTML('beforeend', '<li class="added">A row that was added</li>');
            history.replaceState({}, '', '/flats/page/2');
            document.title = '${title}';
          })</script>`,
        );
        const { metadata, markdown, warning } = (await scrape('/flats', { formats: ['markdown'] })).body.data;
        assert.deepEqual([metadata.url, metadata.title], [`${site.baseUrl}/flats`, 'Flats']);
        for (const row of [/Row 39\b/, /A row that was added/]) assert.match(markdown, row);
        assert.equal(warning ?? undefined, undefined);
      }
    });

    it('has its new title and address if only its fragment changed, or it had got neither by then', async () => {
      const becomes = (url: string) =>
        `history.replaceState({}, '', '${url}'); document.querySelector('title').textContent = 'Green tea | Shop'`;
      const loads = `const late = new AbortController(); fetch('/late', { signal: late.signal }).catch(() => {});
        addEventListener('scroll', () => late.abort());`;
      site.answer('/late', (_request, response) => void response.writeHead(200).flushHeaders());
      for (const [title, heading, url, script] of [
        ['Teas', 'Teas', '/item#green', ''],
        ['Shop', 'Green tea', '/green', ''],
        ['', 'Green tea', '/green', ''],
        ['Loading', 'Teas', '/green', loads],
      ] as const) {
        site.answer(
          '/item',
          `<!doctype html><head><title>${title}</title></head><h1>${heading}</h1><p style="height: 3000px">${text('Ann')}</p>
          <script>${script} addEventListener('scroll', () => { ${becomes(url)} })</script>`,
        );
        const { metadata } = (await scrape('/item')).body.data;
        assert.deepEqual([metadata.url, metadata.title], [site.baseUrl + url, 'Green tea | Shop'], title);
      }
    });
  });

  it('scrolls the box that holds the content as it scrolls the window, and no smaller one', async () => {
    const row = (n: string) => `'<li style="height: 60px">Row ' + ${n} + ' of the list</li>'`;
    const rows = (from: string, count: number) =>
      `Array.from({ length: ${count} }, (_, n) => ${row(`(${from} + n)`)}).join('')`;
    const growing = `<ul id="list"></ul><script>let count = 0; const more = () => { if (count < 90) list.insertAdjacentHTML('beforeend', ${rows('count + 1', 30)}); count += 30 };
      more(); box.onscroll = () => { if (box.scrollTop + box.clientHeight > box.scrollHeight - 100) more() }</script>`;
    const box = (content: string, more = '') =>
      `<div id="box" style="height: 500px; overflow: auto; position: relative" ${more}>${content}</div>`;
    const read = async (body: string, options = {}) => {
      site.answer(
        '/boxed',
        `<nav style="height: 100px; overflow: hidden">${'<p>A part of the site</p>'.repeat(40)}</nav><main>${body}</main>`,
      );
      return (await scrape('/boxed', { formats: ['markdown'], onlyMainContent: false, ...options })).body.data;
    };
    for (const list of [
      box(growing),
      // Elements are globals by their ids.
      `<p id="mainBox">Above</p>${box(growing)}`,
      `<section style="height: 600px; overflow: hidden scroll"><p style="height: 150px">Above</p>${box(growing)}</section>`,
      // The window scrolls, too, but only by as much as is above the box.
      box(growing).replace('500px', '100vh'),
      `<div style="display: flex"><div style="flex: none; width: 35%; height: 500px; overflow: auto">${'<p>A chapter</p>'.repeat(400)}</div>${box(growing, 'class="beside"').replace('500px', '500px; flex: 1')}</div>`,
    ]) {
      const { markdown, warning } = await read(list);
      assert.match(markdown, /Row 90\b/, list);
      assert.equal(warning ?? undefined, undefined);
    }
    // In the flow of a longer window, in what is beside the content, or too small for it.
    for (const other of [
      `${box(growing)}<div style="height: 200px">Below</div>`,
      `${box(growing)}<div style="height: 9000px">Below</div>`,
      `<aside>${box(growing)}</aside>`,
      box(growing, 'role="log"'),
      `<div style="width: 250px">${box(growing)}</div>`,
      `<div style="position: fixed; bottom: 0; right: 0; width: 350px">${box(growing)}</div>`,
      `<pre>${box(growing)}</pre>`,
      box(growing).replace('500px', '150px'),
    ]) {
      const { markdown, warning } = await read(other);
      assert.doesNotMatch(markdown, /Row 90\b/, other);
      assert.equal(warning ?? undefined, undefined, other);
    }
    const virtual = box(
      `<div style="height: 6000px"><ul id="list" style="position: sticky; top: 0"></ul></div><script>const show = () => { list.innerHTML = ${rows('Math.floor(box.scrollTop / 60)', 8)} }; show(); box.onscroll = show</script>`,
    );
    const { markdown, warning } = await read(virtual);
    assert.match(markdown, /Row 0\b/);
    assert.match(warning, /removes content as it is scrolled/);
    // As the warning advises.
    const actions = [{ type: 'scrape' }, { type: 'scroll' }, { type: 'scrape' }];
    const { scrapes } = (await read(virtual, { actions })).actions;
    assert.match(scrapes[1].html, /Row 10\b/);
    assert.doesNotMatch(scrapes[0].html, /Row 10\b/);
    // The window is scrolled where it can be, and no box that is only beside its middle.
    const at = {
      type: 'executeJavascript',
      script: '[scrollY, ...[...document.querySelectorAll("div")].map((each) => each.scrollTop)].map(Math.sign)',
    };
    const long = '<p>A line</p>'.repeat(400);
    const terms = box(long);
    for (const [body, turned] of [
      [`${terms}<div style="height: 900px">Below</div>`, [1, 0, 0]],
      [`<div style="width: 35%; height: 500px; overflow: auto">${long}</div>`, [0, 0]],
      [terms, [0, 1]],
    ] as const) {
      const { actions } = await read(body, { actions: [{ type: 'scroll' }, at] });
      assert.deepEqual(actions.javascriptReturns[0].value, turned, body.slice(0, 80));
    }
  });

  it('keeps what a box hides or changes once it is scrolled, and says nothing of it', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `<p>Line ${at} of the text</p>`).join('');
    const read = async (body: string, onScroll: string) => {
      site.answer(
        '/boxed',
        `<body style="margin: 0"><div id="box" style="height: 100vh; overflow: auto"><main>${body}</main></div><script>box.onscroll = () => { ${onScroll} }</script>`,
      );
      return (await scrape('/boxed', { formats: ['markdown'] })).body.data;
    };
    const head = '<div id="head"><h1>The title</h1><p>What it is about</p></div>';
    const hidden = await read(head + lines, 'head.hidden = box.scrollTop > 50');
    assert.match(hidden.markdown, /^# The title\n\nWhat it is about\n\nLine 0 /);
    const table = `<table>${Array.from({ length: 60 }, (_, at) => `<tr><td>Stock ${at}</td><td class="price">1.50</td></tr>`).join('')}</table>`;
    const prices = "for (const each of document.querySelectorAll('.price')) each.textContent = '2.75 %'";
    const clock = '<p id="clock">Read up to 0</p><p>Only a line</p><p style="height: 3000px">And another</p>';
    assert.equal(hidden.warning ?? undefined, undefined);
    for (const [body, onScroll] of [
      [table, prices],
      [table.replaceAll(/<(\/?)(?:table|tr|td)/g, '<$1div'), prices],
      [clock, "clock.textContent = 'Read up to ' + box.scrollTop"],
    ] as const)
      assert.equal((await read(body, onScroll)).warning ?? undefined, undefined, body.slice(0, 80));
  });

  it('reports which action failed, and why', async () => {
    const bad: [object, RegExp][] = [
      [{ type: 'click', selector: '#nothing' }, /Action 2 \(click\).*#nothing/],
      [{ type: 'executeJavascript', script: 'throw new Error("mine")' }, /Action 2 \(executeJavascript\).*mine/],
    ];
    for (const [action, message] of bad) {
      const { status, body } = await scrape('/plain', { actions: [{ type: 'wait', milliseconds: 1 }, action] });
      assert.deepEqual([status, body.code], [500, 'SCRAPE_ACTION_ERROR']);
      assert.match(body.error, message);
    }
  });

  it('refuses a key that is none as an error of the caller, and runs scripts as they are meant (SCR-01)', async () => {
    const { status, body } = await scrape('/plain', { actions: [{ type: 'press', key: '1+1' }] });
    assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], JSON.stringify(body));
    assert.match(body.error, /Action 1 \(press\).*1\+1/);
    const script = '[1, 2].map(function (each) { return each * 2 }).join()';
    const run = await scrape('/plain', { actions: [{ type: 'executeJavascript', script }] });
    assert.deepEqual(run.body.data.actions.javascriptReturns, [{ type: 'string', value: '2,4' }]);
  });

  it('goes on in the next page if actions, waiting or a screenshot meet one that loads itself again', async () => {
    const restless = (when: string) => `<h1>Restless</h1>${when}`;
    site.answer('/refreshed', restless('<meta http-equiv="refresh" content="0">'));
    site.answer('/reloaded', restless('<script>location.reload()</script>'));
    for (const path of ['/refreshed', '/reloaded']) {
      const { status, body } = await scrape(path, {
        waitFor: 100,
        formats: ['markdown', { type: 'screenshot', fullPage: true }],
        actions: [{ type: 'wait', selector: 'h1' }, { type: 'scroll' }, { type: 'screenshot', fullPage: true }],
      });
      assert.equal(status, 200, body.error);
      assert.equal(body.data.markdown, '# Restless');
      if (path === '/reloaded') assert.match(body.data.warning, /^The page loads itself again and again, and was read/);
      for (const picture of [body.data.screenshot, body.data.actions.screenshots[0]])
        assert.match(picture, /^data:image\/png;base64,./);
    }
    const script = 'location.href = "/plain"; await new Promise((resolve) => setTimeout(resolve, 60_000)); 1';
    site.answer('/leading', '<h1>Leading</h1>');
    const { data } = (await scrape('/leading', { actions: [{ type: 'executeJavascript', script }] })).body;
    assert.match(data.markdown, /^# Plain page/);
    assert.deepEqual(data.actions.javascriptReturns, [{ type: 'undefined', value: null }]);
    assert.equal(
      data.warning,
      "The page was left before a script of the actions ended, so the script's value is unknown.",
    );
  });

  it('takes screenshots of a page', async () => {
    site.answer('/tall', '<body style="margin:0"><div style="height:3000px;background:red">tall</div>');
    const { body } = await scrape('/tall', { formats: [{ type: 'screenshot', fullPage: true }] });
    assert.equal(heightOf(body.data.screenshot), 3000);
    const small = await scrape('/tall', { formats: [{ type: 'screenshot', viewport: { width: 300, height: 200 } }] });
    assert.equal(heightOf(small.body.data.screenshot), 200);
    const usual = await scrape('/tall', { formats: ['screenshot'] });
    assert.equal(heightOf(usual.body.data.screenshot), 720);
  });

  it('emulates a phone and the languages of a location', async () => {
    site.answer(
      '/self',
      '<meta name="viewport" content="width=device-width"><div id="app"></div><script>app.innerText = [innerWidth, navigator.language, /Mobile/.test(navigator.userAgent)].join()</script>',
    );
    const phone = await scrape('/self', { mobile: true, location: { country: 'FR' } });
    assert.equal(phone.body.data.markdown, '390,fr-FR,true');
    assert.match(site.headersOf('/self')?.['accept-language'] ?? '', /^fr-FR,fr/);
    const usual = await scrape('/self');
    assert.equal(usual.body.data.markdown, '1280,en-US,false');
  });

  it('keeps the status of a page even if it is empty', async () => {
    site.answer('/gone', (_request, response) =>
      response.writeHead(410, { 'content-type': 'text/html' }).end('<h1>Gone</h1>'),
    );
    site.answer('/empty', (_request, response) => response.writeHead(404).end());
    const gone = await scrape('/gone', { waitFor: 1 });
    assert.deepEqual([gone.body.data.metadata.statusCode, gone.body.data.markdown], [410, '# Gone']);
    const empty = await scrape('/empty', { waitFor: 1 });
    assert.deepEqual([empty.body.data.metadata.statusCode, empty.body.data.markdown], [404, '']);
  });

  it("fetches a file that browsers don't render", async () => {
    site.answer('/data.json', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    );
    assert.equal((await scrape('/data.json', { waitFor: 1 })).body.data.markdown, '```json\n{}\n```');
  });

  it('leaves nothing of one page for the next', async () => {
    site.answer(
      '/tracks',
      `<div id="app"></div><script>app.innerText = [document.cookie, localStorage.seen, sessionStorage.seen, indexedDB && history.length].join();
      document.cookie = 'seen=1; max-age=1000'; localStorage.seen = 1; sessionStorage.seen = 1;</script>`,
    );
    for (let round = 0; round < 3; round++) assert.match((await scrape('/tracks')).body.data.markdown, /^,,,/);
    assert.equal(site.headersOf('/tracks')?.cookie, undefined);
  });

  it('visits the pages of a job on one site in one tab, like a visitor', async () => {
    const counting = `<p id="count"></p><script>
      const before = Number(/count=(\\d+)/.exec(document.cookie)?.[1] ?? 0);
      document.cookie = 'count=' + (before + 1);
      count.textContent = 'seen ' + before;
    </script>`;
    const urls = Array.from({ length: 24 }, (_, index) => `/visit/${index}`);
    for (const path of urls) site.answer(path, counting);
    const { body } = await service.call('POST', '/v2/batch/scrape', {
      urls: urls.map((path) => site.baseUrl + path),
      waitFor: 1,
    });
    const job = await eventually(async () => {
      const state = (await service.call('GET', `/v2/batch/scrape/${body.id}`)).body;
      assert.equal(state.completed, urls.length);
      return state;
    });
    const seen = job.data.map(({ markdown }: { markdown: string }) => Number(/seen (\d+)/.exec(markdown)?.[1]));
    assert.ok(Math.max(...seen) > 0, 'tabs were handed on');
    // The next user finds nothing of what the job left.
    assert.equal((await scrape('/visit/0', { waitFor: 1 })).body.data.markdown, 'seen 0');
  });

  it('sends headers only to their own site', async () => {
    const other = await startFaultySite();
    try {
      site.answer(
        '/with-other',
        `<div id="app">x</div><script>fetch('/plain'); fetch('${other.baseUrl}/plain', { mode: 'no-cors' }).finally(() => { app.innerText = 'asked'; })</script>`,
      );
      await scrape('/with-other', { headers: { 'X-Secret': 'abc' }, waitFor: 200 });
      assert.equal(site.headersOf('/with-other')?.['x-secret'], 'abc');
      assert.equal(other.headersOf('/plain')?.['x-secret'], undefined);
    } finally {
      await other.close();
    }
  });

  it('reads no more for an action than for a page', async () => {
    site.answer('/huge', '<script>document.write("x".repeat(11_000_000))</script>');
    const { body } = await scrape('/huge', { actions: [{ type: 'scrape' }] });
    assert.match(body.error, /Action 1 \(scrape\) failed: the page exceeds the size limit/);
  });

  it('CRW-14: reads a page as it is shown, whatever its scripts have put in the place of what browsers have', async () => {
    site.answer(
      '/changed',
      `<h1>Shown</h1><div id="host"></div><iframe srcdoc="<p>In a frame</p>"></iframe><form name="body"></form><p id="late"></p>
      <button onclick="late.textContent = 'Clicked'">Press</button><script>
      host.attachShadow({ mode: 'open' }).innerHTML = '<p>In a shadow</p>';
      const forged = () => 'forged';
      globalThis[Symbol.for('lateWork')].ms = forged;
      Array.from = (list) => [list];
      for (const name of ['map', 'filter', 'join', 'slice']) Array.prototype[name] = forged;
      delete NodeList.prototype[Symbol.iterator];
      JSON.stringify = String.prototype.split = String.prototype.replaceAll = forged;
      for (const name of ['querySelectorAll', 'checkVisibility', 'getBoundingClientRect']) Element.prototype[name] = forged;
      for (const name of ['outerHTML', 'innerHTML', 'shadowRoot']) Object.defineProperty(Element.prototype, name, { get: forged });
      Object.defineProperty(document, 'documentElement', { get: () => ({ outerHTML: 'forged' }) });
      document.querySelectorAll = document.querySelector = forged;
      Promise = MutationObserver = Set = Map = NodeFilter = undefined;
      setTimeout = () => 0;</script>`,
    );
    const { body } = await scrape('/changed', { actions: [{ type: 'click', selector: 'button' }, { type: 'scrape' }] });
    assert.equal(body.data?.markdown, '# Shown\n\nIn a shadow\n\nIn a frame\n\nClicked', JSON.stringify(body));
    assert.match(body.data.actions.scrapes[0].html, /In a shadow.*In a frame/s);
    assert.equal((await scrape('/changed')).body.data.warning ?? undefined, undefined);
  });

  it('takes no longer value from a script than it may return, whatever a page makes of it (CRW-14)', async () => {
    const forged = `['{"type":"string","value":"' + 'x'.repeat(2 ** 21) + '"}']`;
    site.answer('/forged', `<p>Forged</p><script>JSON.stringify = () => ${forged};</script>`);
    const { body } = await scrape('/forged', { actions: [{ type: 'executeJavascript', script: '1' }] });
    assert.match(body.error, /the return value is too large/);
  });

  it('contains what a page does: dialogs, windows, downloads (CDP-08)', async () => {
    site.answer(
      '/rude',
      `<h1>Rude</h1><script>alert(1); confirm(2); window.open('/plain?popup'); const a = document.createElement('a'); a.href = '/file'; a.download = 'x'; a.click();
      addEventListener('beforeunload', (event) => { event.preventDefault(); });</script>`,
    );
    site.answer('/file', (_request, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment' }).end('x'),
    );
    for (let round = 0; round < 3; round++) {
      const { body } = await scrape('/rude', { waitFor: 100 });
      assert.match(body.data?.markdown ?? body.error, /# Rude/);
    }
  });

  it('F19: closes a page that opens windows without end, as they take the time of other pages', async () => {
    site.answer(
      '/opens',
      "<h1>Rude</h1><script>for (let i = 0; i < 60; i++) open('/plain', '_blank', 'noopener');</script>",
    );
    const { status: code, body } = await scrape('/opens', { waitFor: 60_000, timeout: 300_000 });
    assert.deepEqual([code, body.code], [500, 'SCRAPE_SITE_ERROR']);
    assert.equal(body.error, 'The page was closed, because it opened more than 50 windows.');
    assert.match((await scrape('/plain', { waitFor: 1 })).body.data.markdown, /Plain page/);
  });

  it('stops a page that never finishes at its timeout, and continues', async () => {
    site.answer('/busy', '<h1>Busy</h1><script>for (;;);</script>');
    const { status, body } = await scrape('/busy', { timeout: 2000, waitFor: 1 });
    assert.deepEqual([status, body.code, body.error], [408, 'SCRAPE_TIMEOUT', "The page didn't render within 2 s."]);
    assert.equal((await scrape('/body/silent', { timeout: 1000, waitFor: 1 })).status, 408);
    assert.equal((await scrape('/plain', { waitFor: 1 })).status, 200);
  });

  it('uses a profile, and saves to it', async () => {
    site.answer('/login', page('<h1>Logged in</h1>', { 'set-cookie': 'session=abc; max-age=10000' }));
    site.answer(
      '/account',
      (request, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<p>${request.headers.cookie ?? 'nobody'}</p>`),
    );
    await scrape('/login', { profile: { name: 'mine' } });
    assert.equal(
      (await scrape('/account', { profile: { name: 'mine', saveChanges: false } })).body.data.markdown,
      'session=abc',
    );
    assert.equal((await scrape('/account', { waitFor: 1 })).body.data.markdown, 'nobody');
  });

  it('keeps no file that a page downloads in a browser with a profile (CDP-08)', async () => {
    site.answer('/offered', (_request, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment' }).end('x'),
    );
    site.answer(
      '/offers',
      '<h1>Offers</h1><a href="/offered" download="x">Take it</a><script>document.links[0].click()</script>',
    );
    const { body } = await scrape('/offers', { profile: { name: 'mine' }, waitFor: 500 });
    assert.match(body.data?.markdown ?? body.error, /# Offers/);
    assert.ok(site.requests.includes('/offered'));
    assert.deepEqual(readdirSync(join(service.dataDir, 'downloads')), []);
  });

  describe("can't reach blocked addresses", () => {
    it('such as this service, whatever a page does (SSR-03)', async () => {
      const own = `127.0.0.1:${service.port}`;
      site.answer(
        '/evil',
        `<h1>Evil</h1><iframe src="http://${own}/"></iframe><img src="http://${own}/a.png"><link rel="prefetch" href="http://${own}/p">
        <form id="form" method="post" target="frame" action="http://${own}/v2/browser"></form><iframe name="frame"></iframe>
        <div id="out"></div><script>
        form.submit();
        const worker = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
          .then(({ active }) => new Promise((resolve) => { navigator.serviceWorker.onmessage = ({ data }) => resolve(data); active.postMessage('go'); }));
        const tries = [worker, fetch('http://${own}/').then(() => 'reached', () => 'no'), fetch('/to-own').then(() => 'reached', () => 'no'),
          new Promise((resolve) => { const ws = new WebSocket('ws://${own}/'); ws.onopen = () => resolve('reached'); ws.onerror = () => resolve('no'); }),
          fetch('http://169.254.169.254/').then(() => 'reached', () => 'no')];
        Promise.all(tries).then((all) => { out.innerText = all.join(' '); out.className = 'done'; });</script>`,
      );
      site.answer(
        '/worker.js',
        page(
          `onmessage = ({ source }) => fetch('http://${own}/', { mode: 'no-cors' }).then(() => 'reached', () => 'no').then((how) => source.postMessage(how));`,
          { 'content-type': 'text/javascript' },
        ),
      );
      site.answer('/to-own', redirect(`http://${own}/v2/browser`));
      const { body } = await scrape('/evil', { actions: [{ type: 'wait', selector: '.done' }] });
      assert.match(body.data.markdown, /no no no no no/);
      assert.deepEqual((await service.call('GET', '/v2/browser')).body.sessions, []);
      for (const path of ['/js-away', '/meta-away']) {
        site.answer('/js-away', `<script>location = 'http://${own}/'</script>`);
        site.answer('/meta-away', `<meta http-equiv="refresh" content="0; url=http://${own}/">`);
        const away = await scrape(path, { waitFor: 500 });
        assert.doesNotMatch(JSON.stringify(away.body), /Unauthorized/);
      }
      // What Chrome shows in their place is no page of the site: its own words count, or else the reason.
      site.answer('/away', `<h1>Here</h1><p>Its own words.</p><script>location = 'http://${own}/'</script>`);
      await eventually(async () => {
        const { status, body } = await scrape('/away', { waitFor: 500 });
        assert.deepEqual([status, body.code], [403, 'SCRAPE_TARGET_REFUSED']);
      });
      await eventually(async () => {
        const { markdown, warning, metadata } = (await scrape('/away')).body.data;
        assert.deepEqual([markdown, metadata.url], ['# Here\n\nIts own words.', `${site.baseUrl}/away`]);
        assert.match(warning, /couldn't be rendered: .* is blocked: it is this service itself/);
      });
      const direct = await scrape('/to-own', { waitFor: 1 });
      assert.deepEqual([direct.status, direct.body.code], [403, 'SCRAPE_TARGET_REFUSED']);
    });

    it('such as those that WebRTC asks over UDP (SSR-03)', async () => {
      let asked = 0;
      const server = createSocket('udp4', () => asked++);
      await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
      try {
        site.answer(
          '/webrtc',
          `<p id="out"></p><script>const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${server.address().port}' }] });
          peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') out.className = 'done'; };
          peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));</script>`,
        );
        const { status } = await scrape('/webrtc', {
          actions: [{ type: 'wait', selector: '.done' }],
          timeout: 120_000,
        });
        assert.deepEqual([status, asked], [200, 0]);
      } finally {
        server.close();
      }
    });

    it("such as names that don't resolve", async () => {
      const { status, body } = await scrape('https://name.invalid/', { waitFor: 1 });
      assert.deepEqual([status, body.code], [200, 'SCRAPE_DNS_RESOLUTION_ERROR']);
    });

    it('such as private addresses if they are denied', async () => {
      const strict = await startTestService({ ...chosenBrowsers, denyPrivateTargets: true });
      try {
        site.requests.length = 0;
        const { status, body } = await strict.call('POST', '/v2/scrape', { url: `${site.baseUrl}/plain`, waitFor: 1 });
        assert.deepEqual([status, body.code], [403, 'SCRAPE_TARGET_REFUSED']);
        assert.deepEqual(site.requests, []);
      } finally {
        await strict.close();
      }
    });
  });
});

/** The height of a PNG in a data URL. */
function heightOf(dataUrl: string): number {
  return Buffer.from(dataUrl.split(',')[1] ?? '', 'base64').readUInt32BE(20);
}
