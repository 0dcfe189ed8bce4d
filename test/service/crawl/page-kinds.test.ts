import assert from 'node:assert/strict';
import type { JobPage } from '../../../src/contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../../src/contract/scrape/scrape.ts';
import { findChrome } from '../../../src/service/browsers/chrome/find.ts';
import { ended, linking, pathOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { page as htmlPage, startFaultySite } from '../../harness/faulty-site.ts';
import { added, type KindsSite, type PageKind, pageKinds, said, startKindsSite } from '../../harness/page-kinds.ts';
import { isWhole, sampleOf } from '../../harness/sample.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

/** It keeps a processor busy for as long as a page may load. */
const endless = 'endless-script';

describe('pages of all kinds', () => {
  let site: KindsSite;
  let service: TestService;
  before(async () => {
    // The browser that most people have: other tests load pages in the headless shell where there is one.
    const { path: chromePath } = findChrome();
    [site, service] = await Promise.all([startKindsSite(), startTestService({ chromePath })]);
  });
  after(() => Promise.all([site.close(), service.close()]));

  /** Fails unless the document of a page is whole, or says what is missing. */
  function check(kind: PageKind, path: string, document: ScrapeDocument): void {
    const { markdown = '', warning } = document;
    const read = `${path} as ${document.metadata?.readAs} because ${document.metadata?.readBecause}:\n${markdown}\n${warning}`;
    if (kind.name !== 'frameset') assert.match(markdown ?? '', new RegExp(`# ${said(path)}|${said(path)} Added`), read);
    assert.equal(markdown?.includes(added(path)), kind.adds, read);
    if (kind.warns) assert.match(warning ?? '', kind.warns, read);
    else assert.equal(warning ?? undefined, undefined, read);
  }

  // The crawl below reads all the others.
  for (const kind of sampleOf(pageKinds, 6)) {
    if (kind.name === endless && !isWhole) continue;
    it(`are scraped whole: ${kind.name}`, async () => {
      const [path = ''] = site.pathsOf(kind);
      const { status, body } = await service.call('POST', '/v2/scrape', { url: site.baseUrl + path });
      assert.equal(status, 200, JSON.stringify(body));
      check(kind, path, body.data);
      assert.equal(body.data.metadata.readAs, kind.readAs);
      if (kind.name === 'tabs') assert.match(body.data.markdown, /First panel\s+Second panel/);
      if (kind.name === 'on-scroll') assert.match(body.data.markdown, /Added on-scroll 1 90\b/);
    });
  }

  it('are crawled whole, and static ones are rendered only as samples', async () => {
    const id = await startCrawl(service, {
      url: site.index,
      crawlEntireDomain: true,
      limit: 1000,
      sitemap: 'skip',
      excludePaths: [endless],
    });
    const { data, warned: count } = await ended(service, id);
    const documents = new Map<string, ScrapeDocument>(
      data.map((each: ScrapeDocument) => [pathOf(each.metadata?.sourceURL ?? ''), each]),
    );
    const warned = data.filter(({ warning }: ScrapeDocument) => warning);
    assert.ok(warned.length > 0);
    assert.equal(count, warned.length);
    const { body } = await service.call('GET', `/embedded/jobs/${id}/pages?limit=1000`);
    const listed = body.pages.filter(({ warning }: JobPage) => warning);
    assert.deepEqual(
      listed.map(({ warning }: JobPage) => warning).sort(),
      warned.map(({ warning }: ScrapeDocument) => warning).sort(),
    );
    for (const kind of pageKinds) {
      if (kind.name === endless) continue;
      const paths = site.pathsOf(kind);
      for (const path of paths) check(kind, path, documents.get(path) ?? {});
      const because = paths.flatMap((path) => {
        const { readAs, readBecause } = documents.get(path)?.metadata ?? {};
        return readAs === 'rendered' ? [readBecause] : [];
      });
      const read = `${kind.name}: ${because}`;
      if (kind.readAs === 'fetched') assert.equal(because.length, 0, read);
      else if (kind.adds || kind.warns) assert.equal(because.length, paths.length, read);
      else {
        // A page that waits long for the samples, as on a slow machine, becomes one itself.
        assert.ok(because.length >= Math.min(3, paths.length), read);
        assert.deepEqual([...new Set(because)], ['sample'], read);
      }
    }
  });

  it('are crawled whole where only some pages of a template have what scripts fill, and the others stay fetched', async () => {
    const shop = await startFaultySite({
      otherwise(_request, response, { pathname }) {
        const number = Number(pathname.split('/')[2]);
        if (pathname === '/app.js') {
          const fill = `fetch(at.dataset.reviews).then((found) => found.text()).then((text) => { at.textContent = text })`;
          return void response
            .writeHead(200, { 'content-type': 'text/javascript' })
            .end(`const at = document.querySelector('[data-reviews]'); if (at) ${fill};`);
        }
        if (pathname.startsWith('/reviews/')) return void response.writeHead(200).end(`Reviewed ${number}`);
        const reviews = number > 20 && number % 5 === 0 ? `<div data-reviews="/reviews/${number}"></div>` : '';
        const body = `<main><h1>Product ${number}</h1>${reviews}</main><script src="/app.js"></script>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title><body>${body}`);
      },
    });
    const links = Array.from({ length: 40 }, (_, index) => `<a href="/product/${index + 1}">${index + 1}</a>`);
    shop.answer('/', htmlPage(`<main>${links.join(' ')}</main>`));
    try {
      const { data } = await ended(service, await startCrawl(service, { url: shop.baseUrl, limit: 100 }));
      const reviewed = data.filter(({ markdown }: ScrapeDocument) => markdown?.includes('Reviewed'));
      const paths = reviewed.map(({ metadata }: ScrapeDocument) => pathOf(metadata?.sourceURL ?? '')).sort();
      assert.deepEqual(
        paths,
        [25, 30, 35, 40].map((number) => `/product/${number}`),
      );
      const because = (isReviewed: boolean) =>
        data
          .filter((document: ScrapeDocument) => reviewed.includes(document) === isReviewed)
          .map(({ metadata }: ScrapeDocument) => metadata?.readBecause);
      const count = (all: string[], reason: string) => all.filter((each) => each === reason).length;
      const [ofReviewed, ofOthers] = [because(true), because(false)];
      assert.ok(count(ofReviewed, 'unlikeSamples') >= 1, ofReviewed.join());
      assert.ok(!ofReviewed.includes('sameWithoutScripts'), ofReviewed.join());
      // On a slow machine, pages that wait long become samples.
      const [samples, same] = [count(ofOthers, 'sample'), count(ofOthers, 'sameWithoutScripts')];
      assert.equal(samples + same, 36, ofOthers.join());
      assert.ok(samples >= 3 && same > samples, ofOthers.join());
    } finally {
      await shop.close();
    }
  });

  it('lead a map to what is in items of a tree without a list, also if only their labels react', async () => {
    const site = await startFaultySite();
    const item = (name: string, open: string) =>
      `<div role="treeitem" aria-expanded="false" class="${open}"><span><b>${name}</b></span></div>`;
    // An item that is open, with hidden links, is beside them.
    const tree = `<aside><div role="tree"><div role="treeitem" aria-expanded="true"><span>Open</span><div role="group" hidden><a href="/docs/">Start</a></div></div>
      ${item('one', 'own')}${item('two', 'label')}<div role="treeitem" aria-expanded="false" class="own"><a href="/left">three</a></div>
      <div role="treeitem" aria-expanded="false">Four <button onclick="fetch('/deleted')">Delete</button></div></div></aside>`;
    const script = `for (const item of document.querySelectorAll('.own, .label')) {
        const button = item.className === 'own' ? item : item.firstElementChild;
        button.onclick = () => {
          item.ariaExpanded = 'true';
          item.insertAdjacentHTML('beforeend', '<div role="group"><a href="/docs/' + item.textContent + '">Page</a></div>');
        };
      }`;
    const answer = (path: string, content: string) =>
      site.answer(path, htmlPage(`${content}<main><h1>Page ${path}</h1><p>About ${path}.</p></main>`));
    answer('/docs/', `${tree}<script>${script}</script>`);
    for (const name of ['one', 'two', 'three']) answer(`/docs/${name}`, '');
    try {
      const { body } = await service.call('POST', '/v2/map', { url: `${site.baseUrl}/docs/`, sitemap: 'skip' });
      const paths = body.links.map(({ url }: { url: string }) => pathOf(url));
      assert.deepEqual(paths.sort(), ['/docs/', '/docs/one', '/docs/three', '/docs/two']);
      assert.deepEqual(
        site.requests.filter((path) => path === '/left' || path === '/deleted'),
        [],
      );
    } finally {
      await site.close();
    }
  });

  it('lead a crawl and a map to what is in groups of a menu that are written once they are opened', async () => {
    const script = `const groups = { Start: ['one'], Guides: ['two', 'three'], Advanced: ['four'] };
      const open = (button, only) => {
        if (only) for (const each of document.querySelectorAll('aside button')) { each.ariaExpanded = 'false'; each.nextElementSibling?.remove(); }
        button.ariaExpanded = 'true';
        button.insertAdjacentHTML('afterend', '<ul>' + groups[button.textContent].map((to) => '<li><a href="/docs/' + to + '">' + to + '</a></li>').join('') + '</ul>');
      };
      for (const name of Object.keys(groups)) {
        const item = document.createElement('div');
        item.innerHTML = '<button aria-expanded="false">' + name + '</button>';
        item.firstChild.onclick = ({ target }) => setTimeout(() => open(target, true), 10);
        document.querySelector('aside').append(item);
      }
      open(document.querySelector('aside button'));`;
    const others = `<form><button aria-expanded="false" onclick="location = '/left'">Send</button></form>
      <button aria-expanded="false" aria-haspopup="menu" onclick="location = '/left'">Language</button>`;
    const docs = await startFaultySite();
    for (const name of ['', 'one', 'two', 'three', 'four'])
      docs.answer(
        `/docs/${name}`,
        htmlPage(
          `<aside></aside>${others}<main><h1>Page ${name}</h1><p>About ${name}.</p></main><script>${script}</script>`,
        ),
      );
    const expected = ['/docs/', '/docs/four', '/docs/one', '/docs/three', '/docs/two'];
    try {
      const { data } = await ended(
        service,
        await startCrawl(service, { url: `${docs.baseUrl}/docs/`, sitemap: 'skip' }),
      );
      assert.deepEqual(data.map(({ metadata }: ScrapeDocument) => pathOf(metadata?.url ?? '')).sort(), expected);
      // They are no part of the page.
      assert.ok(data.every(({ markdown }: ScrapeDocument) => !markdown?.includes('/docs/')));
      const { body } = await service.call('POST', '/v2/map', { url: `${docs.baseUrl}/docs/`, sitemap: 'skip' });
      assert.deepEqual(body.links.map(({ url }: { url: string }) => pathOf(url)).sort(), expected);
      assert.ok(!docs.requests.includes('/left'));
      // A copy in the cache has these links too; that of a scrape, which has none, isn't used.
      const scrapeOptions = { maxAge: 3_600_000 };
      await service.call('POST', '/v2/scrape', { url: `${docs.baseUrl}/docs/`, ...scrapeOptions });
      for (const state of ['miss', 'hit']) {
        const again = await ended(
          service,
          await startCrawl(service, { url: `${docs.baseUrl}/docs/`, sitemap: 'skip', scrapeOptions }),
        );
        const pages = again.data.map(({ metadata }: ScrapeDocument) => [
          pathOf(metadata?.url ?? ''),
          metadata?.cacheState,
        ]);
        assert.deepEqual(
          pages.sort(),
          expected.map((path) => [path, state]),
        );
      }
      for (const [path, leaves] of Object.entries({
        '/app/': "history.pushState({}, '', 'one')",
        '/routes/': "location = '#/one'",
      })) {
        const add = `aside.innerHTML = '<div><button aria-expanded="false">One</button></div><div><button aria-expanded="false">Two</button></div>';
          const [one, two] = document.querySelectorAll('button');
          one.onclick = () => { ${leaves}; one.ariaExpanded = 'true'; one.insertAdjacentHTML('afterend', '<a href="${path}two">Two</a>'); };
          two.onclick = () => fetch('/left');`;
        docs.answer(
          path,
          htmlPage(`<aside id="aside"></aside><main><h1>Application</h1></main><script>${add}</script>`),
        );
        const mapped = await service.call('POST', '/v2/map', { url: docs.baseUrl + path, sitemap: 'skip' });
        assert.deepEqual(mapped.body.links.map(({ url }: { url: string }) => pathOf(url)).sort(), [path, `${path}two`]);
      }
      assert.ok(!docs.requests.includes('/left'), 'nothing is opened on a page to which a menu led');
      docs.answer(
        '/stuck',
        htmlPage(
          '<main><h1>Page stuck</h1></main><script>document.title += 1</script><button aria-expanded="false" onclick="for (;;);">Menu</button>',
        ),
      );
      const stuck = await ended(service, await startCrawl(service, { url: `${docs.baseUrl}/stuck`, sitemap: 'skip' }));
      assert.match(stuck.data[0].markdown, /# Page stuck/);
      assert.equal(stuck.data[0].warning ?? undefined, undefined);
    } finally {
      await docs.close();
    }
  });

  it('are stored at a route where scripts write them, on a site whose other pages need no scripts', async () => {
    const shop = await startFaultySite();
    const numbers = Array.from({ length: 10 }, (_, number) => number);
    shop.answer('/', linking('Shop', ...numbers.map((number) => `/product/${number}`)));
    for (const number of numbers) {
      const script = `const show = () => {
        if (location.hash === '#/reviews') document.querySelector('main').innerHTML = '<h1>Reviews of ${number}</h1>';
      };
      addEventListener('hashchange', show); show();`;
      const body = `<main><h1>Product ${number}</h1><p>${sentenceOf(number, 40)}</p><a href="#/reviews">Reviews</a></main>`;
      shop.answer(`/product/${number}`, `<!doctype html><title>Shop</title>${body}<script>${script}</script>`);
    }
    try {
      const { data } = await ended(service, await startCrawl(service, { url: shop.baseUrl, sitemap: 'skip' }));
      const titles = data.map(({ markdown }: ScrapeDocument) => markdown?.match(/# (.*)/)?.[1]).sort();
      const all = numbers.flatMap((number) => [`Product ${number}`, `Reviews of ${number}`]);
      assert.deepEqual(titles, ['Shop', ...all].sort());
    } finally {
      await shop.close();
    }
  });

  it('are crawled by the routes in their fragments, each once', async () => {
    const routes = `const texts = { '': 'Home of the almanac', '/months': 'All months', '/months/1': 'The first month', '/help': 'How to read it' };
      const links = '<a href="#/">Home</a> <a href="#/months">Months</a> <a href="#!/help">Help</a> <a href="#top">Top</a>';
      const show = () => { const route = location.hash.replace(/^#!?\\/?$/, '').replace(/^#!?/, '');
        at.innerHTML = links + '<h1>' + (texts[route] ?? 'Nothing') + '</h1>' + (route === '/months' ? '<a href="#/months/1">One</a>' : ''); };
      addEventListener('hashchange', show); show();`;
    const almanac = await startFaultySite();
    const body = `<div id="at"></div><script>${routes}</script>`;
    almanac.answer('/', `<!doctype html><title>Almanac</title><body>${body}`);
    almanac.answer('/plain', '<h1>Plain</h1><p>A page without scripts.</p><a href="#/nothing">Nothing</a>');
    try {
      const { data } = await ended(service, await startCrawl(service, { url: almanac.baseUrl, sitemap: 'skip' }));
      const shown = Object.fromEntries(
        data.map(({ metadata, markdown }: ScrapeDocument) => [
          new URL(metadata?.url ?? '').hash,
          markdown?.match(/# (.*)/)?.[1],
        ]),
      );
      assert.deepEqual(shown, {
        '': 'Home of the almanac',
        '#/months': 'All months',
        '#/months/1': 'The first month',
        '#!/help': 'How to read it',
      });
      assert.equal(data.length, 4);
      const plain = await ended(
        service,
        await startCrawl(service, { url: `${almanac.baseUrl}/plain`, sitemap: 'skip' }),
      );
      assert.equal(plain.completed, 1);
    } finally {
      await almanac.close();
    }
  });
});
