import assert from 'node:assert/strict';
import { crawl, ended, linking, pathOf, pathsOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { sentenceOf } from '../../harness/trap-site.ts';

/** A page that says what its number says, and names its original. */
function text(number: number, original?: string, extra = ''): string {
  const link = original === undefined ? '' : `<link rel="canonical" href="${original}">`;
  return `<!doctype html><title>Page ${number}</title>${link}<main><h1>Page ${number}</h1><p>${sentenceOf(number, 60)}${extra}</p></main>`;
}

describe('pages that a crawl finds under several URLs', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startFaultySite();
  });
  afterEach(() => site.close());

  async function crawled(options: object = {}) {
    const state = await crawl(service, { url: site.baseUrl, sitemap: 'skip', ...options });
    const duplicate = state.leftOut.find(({ reason }: { reason: string }) => reason === 'duplicate');
    return { state, paths: pathsOf(state), duplicates: [duplicate?.count, ...(duplicate?.examples ?? []).map(pathOf)] };
  }
  /** Answers a path with any query. */
  const any = (path: string, answer: (url: URL) => string) =>
    site.answer(path, (_request, response, url) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(answer(url)),
    );

  it('are stored once, as the page that they name as the original', async () => {
    site.answer('/', linking('Home', '/tea?view=print', '/tea?ref=home', '/last'));
    any('/tea', ({ search }) => text(1, '/tea', search.includes('print') ? ' Printed today.' : ''));
    site.answer('/last', linking('Last', '/tea'));
    const { paths, duplicates } = await crawled();
    assert.deepEqual(paths, ['/', '/last', '/tea']);
    assert.deepEqual(duplicates, [2, '/tea?ref=home', '/tea?view=print']);
    // The original is one link further away.
    const near = await crawled({ maxDiscoveryDepth: 2 });
    assert.deepEqual([near.paths, near.duplicates], [paths, duplicates]);
    const all = await crawled({ deduplicateSimilarURLs: false });
    assert.deepEqual(all.paths, ['/', '/last', '/tea', '/tea?ref=home', '/tea?view=print']);
  });

  it('are stored once where they are printed below their originals, unless they say something else', async () => {
    const articles = [1, 2, 3, 4, 5];
    const paths = articles.map((number) => `/articles/${number}`);
    site.answer('/', linking('Home', ...paths));
    for (const [index, path] of paths.entries()) {
      const [title, text] = [`Article ${index + 1}`, `<h1>${index + 1}</h1><p>${sentenceOf(index, 60)}</p>`];
      const link = index % 2 === 0 ? `<link rel="canonical" href="${path}">` : '';
      const others = ['', '', '<p>It has a part of its own.</p>', '', ''][index];
      const printed = [' (Print)', '', '', ' in red', ''][index];
      const menu = `<nav><a href="/">Home</a> <a href="${path}/print">Print</a></nav>`;
      site.answer(path, `<!doctype html><title>${title} | The Site</title>${menu}<main>${text}</main>`);
      site.answer(`${path}/print`, `<title>${title}${printed}</title>${link}<main>${text}${others}</main>`);
    }
    const { paths: stored, duplicates } = await crawled();
    assert.deepEqual(stored, ['/', ...paths, '/articles/3/print', '/articles/4/print'].sort());
    assert.deepEqual(duplicates, [3, '/articles/1/print', '/articles/2/print', '/articles/5/print']);
  });

  it('are stored once where a copy has no canonical: to print, as a text file, or with a parameter that changes nothing', async () => {
    const article = (path: string, menu: string) =>
      `<!doctype html><title>Tea | Shop</title>${menu}<main><h1>Tea</h1><p>${sentenceOf(1, 60)}</p></main><a href="${path}">Self</a>`;
    const copies = ['/tea?view=print', '/tea/print', '/tea.md', '/tea?more=1'];
    site.answer('/', linking('Home', '/tea'));
    site.answer('/tea', (_request, response, { search }) => {
      const more = search.includes('more') ? '<main><p>It has a part of its own.</p></main>' : '';
      const links = copies.map((path) => `<a href="${path}">${path}</a>`).join(' ');
      const menu =
        search === '' ? `<nav>${links} <a href="/topic?f=1&t=10">Topic</a></nav>` : '<a href="/tea">Back</a>';
      response.writeHead(200, { 'content-type': 'text/html' }).end(article('/tea', menu) + more);
    });
    site.answer('/tea/print', article('/tea/print', '<a href="/tea">Back</a>'));
    site.answer('/tea.md', (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/markdown' }).end(`# Tea\n\n${sentenceOf(1, 60)}\n`),
    );
    any(
      '/topic',
      ({ search }) =>
        `<title>Topic</title><main><h1>Coil</h1><p>Is it this?</p><a href="/reply${search}">Reply</a> <a href="/topic?t=10">Link</a></main>`,
    );
    any('/reply', ({ search }) => text(20 + search.length));
    const { paths, duplicates } = await crawled({ excludePaths: ['^/reply'] });
    assert.deepEqual(paths, ['/', '/tea', '/tea?more=1', '/topic?f=1&t=10']);
    assert.equal(duplicates[0], 4);
  });

  it('are stored once where a copy below its original, or to print, says less, and twice where it says more', async () => {
    const article = (...parts: string[]) =>
      `<!doctype html><title>Tea</title><link rel="canonical" href="/tea"><main><h1>Tea</h1><p>${parts.join('</p><p>')}</p></main>`;
    site.answer('/', linking('Home', '/tea'));
    site.answer(
      '/tea',
      article(sentenceOf(1, 60), sentenceOf(2, 30), '<a href="/tea/amp/">Fast</a> <a href="/tea/2">Next</a>') +
        '<nav><a href="/print/node/7">Print</a> <a href="/prints/7">Poster</a></nav>',
    );
    for (const path of ['/print/node/7', '/prints/7']) site.answer(path, article(sentenceOf(1, 60)));
    site.answer('/tea/amp/', article(sentenceOf(1, 60)));
    site.answer('/tea/2', article(sentenceOf(1, 60), sentenceOf(3, 12)));
    const { paths, duplicates } = await crawled();
    assert.deepEqual(
      [paths, duplicates],
      [
        ['/', '/prints/7', '/tea', '/tea/2'],
        [2, '/tea/amp/', '/print/node/7'],
      ],
    );
  });

  it('are stored once where a link did something, which the page says in a notice', async () => {
    const pots = [1, 2, 3, 4, 5, 6];
    const list = (others: number[]) =>
      others
        .map(
          (pot) =>
            `<li><a href="/pot/${pot}">${sentenceOf(pot, 4)}</a> <a href="?add=${pot}" rel="nofollow">Add to cart</a></li>`,
        )
        .join('');
    const shown = (url: URL, head: string, content: string) => {
      const added = url.searchParams.get('add');
      const said = `<div role="alert"><a href="/cart">View cart</a> “${sentenceOf(Number(added), 4)}” has been added to your cart.</div>`;
      return `<!doctype html><title>Pots</title>${head}<main>${added === null ? '' : said}${content}</main>`;
    };
    any('/', (url) => shown(url, '', `<h1>Pots</h1><ul>${list(pots)}</ul>`));
    for (const pot of pots)
      any(`/pot/${pot}`, (url) => {
        const data = { '@context': 'https://schema.org', '@type': 'Product', name: sentenceOf(pot, 4) };
        const head = `<link rel="canonical" href="/pot/${pot}"><script type="application/ld+json">${JSON.stringify(data)}</script>`;
        const content = `<h1>${sentenceOf(pot, 4)}</h1><p>$${pot}</p><p>${sentenceOf(pot, 30)}</p>`;
        return shown(url, head, `${content}<h2>Related</h2><ul>${list(pots.filter((each) => each !== pot))}</ul>`);
      });
    for (const options of [{}, { limit: 7 }]) {
      const { paths } = await crawled({ ...options, excludePaths: ['^/cart'] });
      assert.deepEqual(paths, ['/', ...pots.map((pot) => `/pot/${pot}`)]);
    }
  });

  it('are stored where the original is missing, excluded, or says something else', async () => {
    site.answer('/', linking('Home', '/a?x=1', '/b?x=1', '/c?x=1', '/d?page=2', '/d?page=3', '/e?x=1'));
    site.answer('/robots.txt', 'User-agent: *\nDisallow: /blocked');
    any('/a', ({ search }) => (search === '' ? '' : text(1, '/a')));
    any('/b', () => text(2, '/secret'));
    any('/c', () => text(3, 'https://elsewhere.test/c'));
    any('/d', ({ searchParams }) => text(10 + Number(searchParams.get('page')), '/d'));
    any('/e', () => text(5, '/blocked/e'));
    site.answer('/a', (request, response) =>
      request.url === '/a'
        ? response.writeHead(500).end()
        : response.writeHead(200, { 'content-type': 'text/html' }).end(text(1, '/a')),
    );
    const { paths, duplicates, state } = await crawled({ excludePaths: ['^/secret'] });
    assert.equal(state.status, 'completed');
    assert.deepEqual(paths, ['/', '/a?x=1', '/b?x=1', '/c?x=1', '/d', '/d?page=2', '/d?page=3', '/e?x=1']);
    assert.deepEqual(duplicates, [undefined]);
  });

  it('are read and reported without what tells where a visit comes from', async () => {
    site.answer(
      '/',
      linking('Home', '/lamp?utm_source=home&utm_medium=top&color=red', '/tea/?fbclid=1', '/old?gclid=2', '/visit'),
    );
    any('/lamp', () => text(1));
    any('/tea/', () => text(2, '/tea'));
    any('/tea', () => text(2, '/tea'));
    site.answer('/old', redirect('/new?utm_campaign=x'));
    any('/new', () => text(3));
    site.answer('/visit', redirect('/cart?PHPSESSID=0123456789abcdef'));
    any('/cart', () => text(4));
    const { state } = await crawled();
    const reported = state.data.map(({ metadata }: { metadata: { url: string } }) => pathOf(metadata.url));
    assert.deepEqual(reported.sort(), ['/', '/cart', '/lamp?color=red', '/new', '/tea']);
    const asked = site.requests.filter((path) => /utm_source|fbclid|gclid/.test(path));
    assert.deepEqual(asked, []);
    assert.equal(state.status, 'completed');
    const all = await crawled({ deduplicateSimilarURLs: false });
    assert.ok(all.paths.includes('/lamp?utm_source=home&utm_medium=top&color=red'));
  });

  it('are stored as their originals also where the limit has no room for both, however far away these wait', async () => {
    const teas = [1, 2, 3, 4, 5, 6];
    const others = Array.from({ length: 150 }, (_, number) => `/other/${number}`);
    site.answer('/', linking('Home', ...teas.map((tea) => `/shop/${tea}`), ...others));
    for (const tea of teas)
      for (const path of [`/shop/${tea}`, `/tea/${tea}`]) site.answer(path, text(tea, `/tea/${tea}`));
    for (const options of [{}, { maxConcurrency: 1 }, { maxDiscoveryDepth: 2 }]) {
      const { paths, state, duplicates } = await crawled({ limit: 7, ...options });
      assert.deepEqual([state.status, paths], ['completed', ['/', ...teas.map((tea) => `/tea/${tea}`)]]);
      const limit = state.leftOut.find(({ reason }: { reason: string }) => reason === 'limit');
      assert.deepEqual([duplicates[0], limit?.count], [6, 150]);
    }
    site.answer('/', linking('Home', '/gone?ref=home'));
    site.answer('/gone', (_request, response, { search }) =>
      search === ''
        ? response.writeHead(404).end()
        : response.writeHead(200, { 'content-type': 'text/html' }).end(text(7, '/gone')),
    );
    assert.deepEqual((await crawled({ limit: 2 })).paths, ['/', '/gone?ref=home']);
    // The only page is the one that was asked for.
    site.answer('/', text(8, '/tea/1'));
    assert.deepEqual((await crawled({ limit: 1 })).paths, ['/']);
  });

  it('leave no more pages than the limit where their originals say something else, and are got once it is higher', async () => {
    site.answer('/', linking('Home', '/list?page=2', '/list?page=3'));
    any('/list', ({ searchParams }) => text(Number(searchParams.get('page')), '/list'));
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', limit: 3 });
    const state = await ended(service, id);
    assert.deepEqual(
      [state.completed, pathsOf(state).slice(0, 2), others(state)[0]?.slice(0, 2)],
      [3, ['/', '/list'], ['limit', 1]],
    );
    await service.call('POST', `/embedded/crawl/${id}/continue`, { limit: 10 });
    assert.deepEqual(pathsOf(await ended(service, id)), ['/', '/list', '/list?page=2', '/list?page=3']);
    // Pages that wrongly name another one, which is far away, leads back or can't be read.
    const items = [1, 2, 3, 4, 5].map((item) => `/item/${item}`);
    site.answer('/', linking('Home', ...items));
    for (const [index, path] of items.entries()) site.answer(path, text(20 + index, '/all'));
    for (const answer of [text(30, '/all'), redirect('/item/1'), redirect('/item/1?from=all'), status(404)]) {
      site.answer('/all', answer);
      for (const maxConcurrency of [1, 10]) {
        const found = await crawled({ limit: 4, maxConcurrency });
        assert.deepEqual([found.state.status, found.state.completed], ['completed', 4]);
        assert.equal(new Set(found.paths).size, 4);
      }
    }
  });

  it('wait for no original that waits for them', async () => {
    const circle = (path: string, other: string) => any(path, () => text(path.length, other));
    site.answer('/', linking('Home', '/one', '/three'));
    circle('/one', '/three');
    circle('/three', '/one');
    assert.deepEqual((await crawled()).paths, ['/', '/one', '/three']);
  });

  it('are stored once where they have the same text, unless it is short', async () => {
    site.answer('/', linking('Home', '/first', '/second', '/short-one', '/short-two', '/numbers/1', '/numbers/2'));
    for (const path of ['/first', '/second']) site.answer(path, text(7));
    for (const path of ['/short-one', '/short-two'])
      site.answer(path, '<title>Soon</title><main><p>Coming soon.</p></main>');
    for (const number of [1, 2]) site.answer(`/numbers/${number}`, text(8, undefined, ` Order ${number}`));
    const { paths, duplicates } = await crawled();
    assert.equal(duplicates[0], 1);
    assert.equal(paths.length, 6);
    assert.ok(['/short-one', '/short-two', '/numbers/1', '/numbers/2'].every((path) => paths.includes(path)));
    site.answer('/second', status(404));
    assert.deepEqual((await crawled()).duplicates, [undefined]);
  });

  it('are stored once where short ones differ in the query of their URLs only', async () => {
    const thread =
      '<title>Thread</title><main><h1>Thread 2</h1><p>Is it the coil?</p><a href="/reply">Reply</a></main>';
    site.answer('/', linking('Home', '/thread/2', '/thread/2?page=1', '/item?id=1', '/item?id=2'));
    any('/thread/2', () => thread);
    any('/item', ({ search }) => `<title>Item</title><p>Sold out.</p><a href="/offers${search}">Others</a>`);
    const { paths, duplicates } = await crawled({ excludePaths: ['^/reply', '^/offers'] });
    assert.equal(duplicates[0], 1);
    assert.deepEqual(
      paths.filter((path) => !path.startsWith('/thread')),
      ['/', '/item?id=1', '/item?id=2'],
    );
  });

  it('are behind a login where they lead to the login page, with a query of their own or not', async () => {
    site.answer('/', linking('Home', '/account', '/orders/1', '/orders/2', '/login'));
    const form = '<title>Sign in</title><main><h1>Sign in</h1><input name=user><input type=password></main>';
    any('/login', () => form);
    site.answer('/account', redirect('/login'));
    for (const path of ['/orders/1', '/orders/2']) site.answer(path, redirect(`/login?next=${path}`));
    const { state } = await crawled();
    const [login, ...others] = state.leftOut as { reason: string; count: number; examples: string[] }[];
    assert.deepEqual([login?.reason, others, state.completed], ['login', [], 2]);
    // One of the four is stored, as the login page or in its place.
    assert.ok([2, 3].includes(login?.count ?? 0), JSON.stringify(login));
    assert.ok(
      login?.examples.every((url) => /account|orders|login/.test(url)),
      login?.examples.join(' '),
    );
  });

  it('are behind a login, also if it is one, where the login says that it leads to them', async () => {
    const form = '<title>Sign in</title><main><h1>Sign in</h1><input name=user><input type=password></main>';
    const asked = ['/account', '/join', '/help', '/me', '/old/1'];
    site.answer('/', linking('Home', ...asked));
    for (const path of ['/login', '/signup', '/support', '/session']) any(path, () => form.replaceAll('Sign in', path));
    site.answer('/account', redirect('/login?next=%2Faccount'));
    site.answer('/join', redirect('/signup?plan=join'));
    site.answer('/help', redirect('/support?from=/'));
    site.answer('/me', redirect('/session'));
    // A page that moved, with a login in its head as all pages of its site.
    const head = '<header><form><input name=user><input type=password></form></header>';
    any(
      '/topic',
      () =>
        `<title>Topic</title>${head}<main><h1>Topic</h1><p>${'A reply about tea and boats. '.repeat(20)}</p></main>`,
    );
    site.answer('/old/1', redirect('/topic?from=/old/1'));
    const { state } = await crawled();
    assert.deepEqual(others(state), [['login', 1, '/account']]);
    assert.equal(state.completed, 5);
    const moved = state.data.find(({ metadata }: { metadata: { title: string } }) => metadata.title === 'Topic');
    assert.equal(moved.warning, undefined);
  });

  it('may be missing, as is said, where the site shows a question for consent in their place', async () => {
    const paths = ['/world', '/world/1', '/sport'];
    for (const path of ['/', ...paths]) site.answer(path, redirect(`/consent?return=${encodeURIComponent(path)}`));
    const question = `<title>Choices</title><main><h1>Choices</h1><p>${sentenceOf(1, 60)}</p><a href="/privacy">Privacy</a></main>`;
    any('/consent', () => question);
    site.answer('/privacy', linking('Privacy', ...paths));
    const { state } = await crawled();
    assert.match(
      state.warning,
      /^The site shows http:\S+\/consent in place of 4 pages, such as http:\S+\/(world|sport)\S*, so pages may be missing\. If it asks for consent/,
    );
    // Nothing is known of others.
    const { state: alone } = await crawled({ limit: 1 });
    const { state: all } = await crawled({ deduplicateSimilarURLs: false });
    assert.deepEqual([alone.warning, all.warning], [undefined, undefined]);
  });

  it('are not said to be missing where a site notes where its visitors come from, or names its pages in a query', async () => {
    site.answer('/', redirect('/home?from=/'));
    any('/home', () => linking('Home', '/new/1', '/old/1', '/old/2', '/view/1', '/view/2'));
    for (const number of [1, 2]) {
      site.answer(`/old/${number}`, redirect(`/new/${number}?from=/old/${number}`));
      site.answer(`/view/${number}`, redirect(`/show?page=/view/${number}`));
      any(`/new/${number}`, () => text(number));
    }
    any('/show', ({ search }) => text(Number(search.slice(-1)) + 2));
    const { state } = await crawled();
    assert.deepEqual([state.warning, state.completed], [undefined, 5]);
  });

  it('are not said to be missing where some lead to another one, as what is sold out to its category', async () => {
    const leads = {
      '/old/': '/?from=',
      '/p/': '/shoes?gone=',
      '/print/': '/article?printed=',
      '/wishlist/add/': '/join?return=',
    };
    const linked = Object.entries(leads).flatMap(([path, shown]) =>
      [1, 2, 3, 4].map((number) => {
        site.answer(`${path}${number}`, redirect(`${shown}${path}${number}`));
        return `${path}${number}`;
      }),
    );
    any('/', () => linking('Home', '/shoes', '/article', '/join', ...linked));
    for (const [index, path] of ['/shoes', '/article', '/join'].entries()) any(path, () => text(index));
    const { state, duplicates } = await crawled();
    assert.deepEqual([state.warning, state.completed, duplicates[0]], [undefined, 4, 16]);
  });

  it('are stored where they lead to a URL that robots.txt disallows, unless that is a login in their place', async () => {
    const numbers = [1, 2, 3, 4];
    site.answer('/robots.txt', 'User-agent: *\nDisallow: /account\nDisallow: /*?');
    const links = numbers.flatMap((number) => [`/wish/${number}`, `/go/${number}`]);
    site.answer('/', linking('Home', '/account/login', ...links, '/teas'));
    site.answer('/teas', linking('Teas', ...numbers.map((number) => `/tea/${number}`)));
    site.answer('/account/login', '<title>Log in</title><main><h1>Log in</h1><input type=password></main>');
    for (const number of numbers) {
      site.answer(`/wish/${number}`, redirect('/account/login'));
      site.answer(`/go/${number}`, redirect(`/tea/${number}?from=go`));
      any(`/tea/${number}`, () => text(number));
    }
    const { state } = await crawled({ maxConcurrency: 1 });
    const titles = (state.data as { metadata: { title: string } }[]).map(({ metadata }) => metadata.title);
    assert.deepEqual(titles.sort(), ['Home', 'Page 1', 'Page 2', 'Page 3', 'Page 4', 'Teas']);
    const counts = (state.leftOut as { reason: string; count: number }[]).map(({ reason, count }) => [reason, count]);
    assert.deepEqual([state.completed, Object.fromEntries(counts)], [6, { robots: 1, login: 4, duplicate: 4 }]);
  });

  it('are stored once where they lead to a page that failed, which works by then, also if the crawl was continued', async () => {
    const numbers = [1, 2, 3, 4];
    let works = false;
    site.answer('/tea', (_request, response) =>
      works ? response.writeHead(200, { 'content-type': 'text/html' }).end(text(1)) : response.writeHead(403).end(),
    );
    site.answer('/', linking('Home', '/tea', '/next'));
    site.answer('/next', (_request, response) => {
      works = true;
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(linking('Next', ...numbers.map((number) => `/old/${number}`)));
    });
    for (const number of numbers) site.answer(`/old/${number}`, redirect('/tea'));
    for (const limit of [10_000, 4]) {
      works = false;
      const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', maxConcurrency: 1, limit });
      await ended(service, id);
      if (limit === 4) await service.call('POST', `/embedded/crawl/${id}/continue`, { limit: 100 });
      const { completed, leftOut } = await ended(service, id);
      const [left] = leftOut.filter(({ reason }: { reason: string }) => reason === 'duplicate');
      assert.deepEqual([completed, left?.count], [3, 3], String(limit));
    }
  });

  it('are behind a login where the site shows its login in their place', async () => {
    const paths = ['/account', '/orders/1', '/orders/2', '/settings'];
    site.answer('/', linking('Home', ...paths, '/about', '/about/us'));
    const form =
      '<form method=post><label>Name <input name=user></label><input type=password><button>Go</button></form>';
    for (const path of paths)
      site.answer(path, `<title>Sign in for ${path}</title><main><h1>Sign in</h1>${form}</main>`);
    // Pages with a login in their header are none.
    for (const path of ['/about', '/about/us'])
      site.answer(
        path,
        `<title>About</title><header>${form}</header><main><h1>About</h1><p>${sentenceOf(1, 60)}</p></main>`,
      );
    const { state } = await crawled();
    const reasons = (state.leftOut as { reason: string; count: number }[]).map(({ reason, count }) => [reason, count]);
    assert.deepEqual(reasons, [
      ['login', 4],
      ['duplicate', 1],
    ]);
    assert.equal(state.completed, 2);
    // One login alone is the login page.
    site.answer('/', linking('Home', '/account', '/about'));
    assert.deepEqual((await crawled()).paths, ['/', '/about', '/account']);
    // A crawl that begins at a login has that.
    const start = await crawled({ url: `${site.baseUrl}/account` });
    assert.deepEqual(start.paths, ['/account']);
    site.answer(
      '/account',
      `<title>Sign in</title><nav><a href="/orders/1">Orders</a></nav><main><h1>Sign in</h1>${form}</main>`,
    );
    const both = await crawled({ url: `${site.baseUrl}/account`, crawlEntireDomain: true });
    assert.deepEqual([both.paths, others(both.state)], [['/account'], [['login', 1, '/orders/1']]]);
  });

  const others = (state: { leftOut: { reason: string; count: number; examples: string[] }[] }) =>
    state.leftOut.map(({ reason, count, examples }) => [reason, count, ...examples.map(pathOf)]);
  /** A site that answers every other path with status 200 and this page. */
  async function lenient(answer: (url: URL, request: number) => string | undefined): Promise<FaultySite> {
    let request = 0;
    return await startFaultySite({
      otherwise(_request, response, url) {
        const html = answer(url, ++request);
        response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html ?? 'Not found');
      },
    });
  }

  const notFound: Record<string, (url: URL, request: number) => string> = {
    'the same page': () => '<title>Shop</title><main><h1>Not found</h1><p>There is nothing here.</p></main>',
    'a page in another language': () => '<title>Shop</title><main><h1>Sivua ei ole</h1><a href="/">Takaisin</a></main>',
    'a page that repeats the URL': ({ pathname }) =>
      `<title>${pathname}</title><main><h1>Oops</h1><p>No page ${pathname} here, nor one called ${pathname.slice(1)}.</p></main>`,
    'a page with the time and the id of the request': (_url, request) =>
      `<main><h1>Oops</h1><p>Nothing here. Request 3f${request}c9a at 17:05:${10 + request}.</p></main>`,
  };
  for (const [name, answer] of Object.entries(notFound))
    it(`aren't there where a site shows ${name} for any URL`, async () => {
      await site.close();
      site = await lenient(answer);
      site.answer('/', linking('Home', '/gone', '/old/article-1', '/old/article-2', '/soon', '/later', '/contact'));
      site.answer('/contact', linking('Contact', '/item/999?from=contact'));
      for (const path of ['/soon', '/later']) site.answer(path, '<title>Shop</title><main><p>Coming soon.</p></main>');
      const { paths, state } = await crawled();
      assert.deepEqual(paths, ['/', '/contact', '/later', '/soon']);
      assert.deepEqual(others(state), [['notFound', 4, '/gone', '/old/article-1', '/old/article-2']]);
      assert.equal(site.requests.filter((path) => path.includes('/no-page-')).length, 1);
    });

  it("aren't there where the site leads to the page that it shows for any URL", async () => {
    await site.close();
    site = await startFaultySite({ otherwise: redirect('/error') });
    site.answer('/', linking('Home', '/gone', '/old', '/soon'));
    site.answer('/error', '<title>Error</title><main><p>Nothing here.</p></main>');
    site.answer('/soon', '<title>Soon</title><main><p>Coming soon.</p></main>');
    const { paths, state } = await crawled();
    assert.deepEqual(paths, ['/', '/soon']);
    assert.deepEqual(others(state), [['notFound', 2, '/old', '/gone']]);
    // A page that is linked is there, even if the others lead to it.
    site.answer('/', linking('Home', '/gone', '/soon', '/error'));
    assert.deepEqual((await crawled()).paths, ['/', '/error', '/soon']);
  });

  it("aren't there where several in a folder show what the site shows for any URL in it", async () => {
    await site.close();
    site = await lenient(({ pathname }) =>
      pathname.startsWith('/item/')
        ? `<main><h1>No item ${pathname.slice('/item/'.length)}</h1><p>Have a look at others.</p></main>`
        : undefined,
    );
    const items = ['/item/1', '/item/2', '/item/3', '/item/4', '/item/5'];
    site.answer('/', linking('Home', ...items, '/item/ash', '/item/elm', '/item/fir', '/item/oak'));
    for (const path of items) site.answer(path, `<main><h1>Item ${path.at(-1)}</h1><p>Sold out.</p></main>`);
    for (const maxConcurrency of [1, 5]) {
      const { paths, state } = await crawled({ maxConcurrency });
      assert.ok(items.every((path) => paths.includes(path)));
      // What the first ones are is known once another one says the same: those that are stored by then say it.
      const doubtful = (state.data as { metadata: { sourceURL: string }; warning?: string }[]).filter(({ warning }) =>
        warning?.includes('it may not have this page'),
      );
      assert.equal(doubtful.length, paths.length - items.length - 1);
      assert.ok(doubtful.every(({ metadata }) => !items.includes(pathOf(metadata.sourceURL))));
      assert.deepEqual([doubtful.length + Number(others(state)[0]?.[1]), state.warned ?? 0], [4, doubtful.length]);
      if (maxConcurrency === 1) assert.equal(doubtful.length, 2);
    }
  });

  it("aren't there where several with other queries show what the site shows for a value that can't exist", async () => {
    await site.close();
    const short = (text: string) => `<title>Shop</title><main><p>${text}</p></main>`;
    const long = (at: number) =>
      `<title>Item ${at}</title><main><h1>Item ${at}</h1><p>${sentenceOf(at, 150)}</p></main>`;
    site = await lenient(({ pathname, searchParams }) => {
      const id = searchParams.get('id');
      const at = Number(id);
      if (pathname === '/item') return at < 4 ? long(at) : short(`No item ${id}.`);
      if (pathname === '/sold') return at < 4 ? long(at + 4) : short(at > 0 ? 'This one is sold.' : 'No such item.');
      return pathname === '/about' ? short('About us.') : undefined;
    });
    const ids = (path: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `${path}?id=${from + at}`);
    const kept = [...ids('/item', 1, 4), ...ids('/sold', 1, 4)];
    site.answer('/', linking('Home', ...kept, ...ids('/item', 4, 9), ...ids('/sold', 4, 9), ...ids('/about', 1, 6)));
    const { paths, state } = await crawled({ maxConcurrency: 1 });
    assert.ok(kept.every((path) => paths.includes(path)));
    assert.deepEqual(
      others(state)
        .filter(([reason]) => reason === 'notFound')
        .map(([, count]) => count),
      [3],
    );
    const asked = site.requests.filter((path) => /[?&]id=no-page-/.test(path));
    assert.deepEqual(
      asked.map((path) => path.split('?')[0]),
      ['/item', '/sold'],
    );
    const doubtful = (state.data as { warning?: string }[]).filter(({ warning }) =>
      warning?.includes('it may not have'),
    );
    assert.equal(doubtful.length, 2);
    assert.ok(paths.includes('/about?id=1') && paths.includes('/sold?id=4'), paths.join(' '));
  });

  it('are all there where a site answers other URLs with 404, for which it is asked once, and once in a folder', async () => {
    const paths = ['/a', '/b', '/c/d', '/c/e'];
    site.answer('/', linking('Home', ...paths));
    for (const [at, path] of paths.entries())
      site.answer(path, `<title>Page</title><main><h1>Not found</h1><p>${sentenceOf(at, 3)}</p></main>`);
    const first = await crawled();
    assert.deepEqual([first.paths, others(first.state)], [['/', ...paths], []]);
    const asked = () => site.requests.filter((path) => path.includes('/no-page-')).length;
    assert.equal(asked(), 0, 'its robots.txt is missing');
    await site.close();
    site = await startFaultySite();
    site.answer('/robots.txt', 'User-agent: *\nDisallow:');
    site.answer('/', linking('Home', ...paths));
    for (const [at, path] of paths.entries())
      site.answer(path, `<title>Page</title><main><h1>Not found</h1><p>${sentenceOf(at, 3)}</p></main>`);
    assert.deepEqual((await crawled()).paths, ['/', ...paths]);
    assert.equal(asked(), 2);
    // One that shows its start page for any URL has that page.
    const home = linking('Home', '/one', '/two', '/');
    await site.close();
    site = await lenient(() => home);
    const all = await crawled({ url: `${site.baseUrl}/start`, crawlEntireDomain: true });
    assert.ok(all.paths.includes('/'), all.paths.join());
    await site.close();
    site = await lenient(() => '<main><p>Nothing here.</p></main>');
    site.answer('/robots.txt', 'User-agent: *\nDisallow: /no');
    site.answer('/', linking('Home', '/one'));
    assert.deepEqual((await crawled()).paths, ['/', '/one']);
    assert.ok(!site.requests.some((path) => path.includes('/no-page-')));
  });
});
