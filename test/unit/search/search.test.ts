import assert from 'node:assert/strict';
import { searchBaseUrl, searchBody } from '../../../src/contract/search.ts';
import { type EngineRequest, type SearchEngine, SearchError } from '../../../src/service/web/search/engine.ts';
import { localeOf } from '../../../src/service/web/search/place.ts';
import { createSearch, timeRangeOf } from '../../../src/service/web/search/search.ts';
import { searxng } from '../../../src/service/web/search/searxng.ts';
import { startDeafServer } from '../../harness/faulty-server.ts';

const { signal } = new AbortController();
const page = (...urls: string[]) => ({ results: urls.map((url) => ({ url, title: url, text: '' })), problems: [] });

describe('the place of a search', () => {
  it('is a country by name or code, in its main language unless another is asked for', () => {
    for (const [location, language] of [
      ['Germany', 'de-DE'],
      ['germany', 'de-DE'],
      ['AT', 'de-AT'],
      ['UK', 'en-GB'],
      ['Kosovo', 'sq-XK'],
    ] as const) {
      assert.deepEqual(localeOf({ location }), { language });
    }
    assert.deepEqual(localeOf({ country: 'ch', lang: 'fr' }), { language: 'fr-CH' });
    assert.deepEqual(localeOf({ lang: 'de' }), { language: 'de' });
    assert.deepEqual(localeOf({}), { language: undefined });
  });

  it('is ignored below the country, which is reported', () => {
    assert.deepEqual(localeOf({ location: 'San Francisco,California,United States' }), {
      language: 'en-US',
      ignored: 'San Francisco, California',
      country: 'United States',
    });
    assert.deepEqual(localeOf({ location: 'London, UK' }), {
      language: 'en-GB',
      ignored: 'London',
      country: 'United Kingdom',
    });
    assert.throws(() => localeOf({ location: 'Germany, Munich' }), /"Munich" isn't a known country/);
  });

  it('is not taken from a two-letter code after a place, which may stand for a state', () => {
    for (const location of ['San Francisco, CA', 'Indianapolis, IN', 'Wilmington, DE']) {
      const code = location.slice(-2);
      assert.throws(() => localeOf({ location }), new RegExp(`"${code}" isn't a known country`));
      assert.match(localeOf({ location: code }).language ?? '', new RegExp(`-${code}$`));
    }
  });
});

describe('the time range of a search', () => {
  it('is a day, week, month or year', () => {
    assert.deepEqual(['qdr:d', 'QDR:W', ' qdr:m1 ', 'qdr:y', '', undefined].map(timeRangeOf), [
      'day',
      'week',
      'month',
      'year',
      undefined,
      undefined,
    ]);
    for (const tbs of ['qdr:h', 'qdr:d3', 'sbd:1', 'qdr:w,sbd:1', 'week'])
      assert.throws(() => timeRangeOf(tbs), /tbs: /);
  });
});

describe('the URL of a search engine', () => {
  it('is accepted in common forms', () => {
    assert.equal(searchBaseUrl(' 127.0.0.1:8888/ '), 'http://127.0.0.1:8888');
    assert.equal(searchBaseUrl('https://a.test/searx/search?q=%s'), 'https://a.test/searx');
    assert.equal(searchBaseUrl('a.test'), 'https://a.test');
    for (const bad of ['', 'ftp://a.test', 'https://user:secret@a.test', 'a b'])
      assert.equal(searchBaseUrl(bad), undefined, bad);
  });
});

describe('a search', () => {
  const asked: EngineRequest[] = [];
  const searchOn = (respond: (request: EngineRequest) => ReturnType<typeof page>) => {
    asked.length = 0;
    const engine: SearchEngine = {
      page: async (request) => {
        asked.push(request);
        return respond(request);
      },
    };
    return createSearch({ find: () => engine });
  };

  it('asks for no page more than the limit needs, and ends when an engine repeats itself', async () => {
    const pages = searchOn(({ page: number }) => page(`http://a.test/${number}a`, `http://a.test/${number}b`));
    const found = await pages.search('tea', { team: 'a', signal, limit: 3 });
    assert.deepEqual(
      found.results.web?.map(({ url }) => url),
      ['http://a.test/1a', 'http://a.test/1b', 'http://a.test/2a'],
    );
    assert.equal(asked.length, 2);
    const same = searchOn(() => page('http://a.test/', 'http://a.test/#part'));
    assert.equal((await same.search('tea', { team: 'a', signal, limit: 50 })).results.web?.length, 1);
    assert.equal(asked.length, 2);
  });

  it('mixes the results of categories, without repeating a page', async () => {
    const search = searchOn(({ category, page: number }) => {
      if (number > 1) return page();
      return category === 'github'
        ? page('https://github.com/a', 'https://github.com/b')
        : page('https://github.com/a', 'http://c.test/');
    });
    const { results } = await search.search('tea', { team: 'a', signal, categories: ['github', 'research'] });
    assert.deepEqual(
      results.web?.map(({ url, category }) => [url, category]),
      [
        ['https://github.com/a', 'github'],
        ['https://github.com/b', 'github'],
        ['http://c.test/', 'research'],
      ],
    );
  });

  it('keeps the results of the other lists when one fails, and says which', async () => {
    const failing = (...lists: string[]) =>
      searchOn(({ source, category = source, page: number }) => {
        if (lists.includes(category)) throw new SearchError('SEARCH_ENGINE_FAILED', `No ${category} today.`);
        return number > 1 ? page() : page(`http://a.test/${category}`, 'http://a.test/pdf/');
      });
    const sources = [{ type: 'web' }, { type: 'news' }] as const;
    const options = { team: 'a', signal, sources, categories: ['pdf', 'research'] } as const;
    const news = await failing('news').search('tea', options);
    assert.deepEqual([news.results.web?.length, news.results.news], [2, []]);
    assert.equal(news.warning, 'No results from the source news: No news today.');
    const pdf = await failing('pdf').search('tea', options);
    assert.deepEqual([pdf.results.web?.length, pdf.results.news?.length], [2, 2]);
    assert.equal(pdf.warning, 'No results from the category pdf: No pdf today.');
    await assert.rejects(failing('pdf', 'research', 'news').search('tea', options), {
      code: 'SEARCH_ENGINE_FAILED',
      message: 'No pdf today.',
    });
    const aborted = AbortSignal.abort(new Error('gone'));
    await assert.rejects(failing('news').search('tea', { ...options, signal: aborted }), /gone/);
  });

  it('says which lists the timeout cut short, one sentence for each problem', async () => {
    const never = (request: EngineRequest) =>
      new Promise<never>((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      );
    const engine: SearchEngine = {
      page: (request) =>
        request.page > 1 || request.source === 'images'
          ? never(request)
          : Promise.resolve({ ...page('http://a.test/'), problems: request.source === 'web' ? ['brave'] : [] }),
    };
    const sources = [{ type: 'web' }, { type: 'images' }] as const;
    const { results, warning } = await createSearch({ find: () => engine }).search('tea', {
      team: 'a',
      signal,
      timeoutMs: 20,
      sources,
      location: 'Atlanta, Georgia',
    });
    assert.deepEqual([results.web?.length, results.images], [1, []]);
    assert.equal(
      warning,
      [
        'Searched with the country Georgia; "Atlanta" was ignored: SearXNG can search only by country.',
        'The timeout expired before all results were requested.',
        "These SearXNG engines didn't respond: brave.",
        'No results from the source images: The search engine did not answer within 0.02 s. Check that it is running, or increase `timeout`.',
      ].join(' '),
    );
  });

  it('finds the results of internationalized domains', async () => {
    const { includeDomains } = searchBody.parse({ query: 'tea', includeDomains: [' Bücher.example '] });
    const search = searchOn(({ page: number }) =>
      number > 1 ? page() : page('https://www.bücher.example/tee', 'https://other.test/'),
    );
    const { results } = await search.search('tea', { team: 'a', signal, includeDomains });
    assert.deepEqual(
      results.web?.map(({ url }) => url),
      ['https://www.bücher.example/tee'],
    );
    assert.equal(asked[0]?.query, 'tea site:xn--bcher-kva.example');
    const domainOf = (domain: string) =>
      searchBody.parse({ query: 'tea', excludeDomains: [domain] }).excludeDomains?.[0];
    assert.deepEqual(['A.test', '123', 'my_host.test'].map(domainOf), ['a.test', '123', 'my_host.test']);
    for (const bad of ['https://bücher.example/x', 'bücher.example/x', 'aא.test', 'a b'])
      assert.throws(() => domainOf(bad), /expected a host name/, bad);
  });

  it('is canceled with its caller', async () => {
    const abort = new AbortController();
    const search = searchOn(() => {
      abort.abort(new Error('gone'));
      return page('http://a.test/');
    });
    const engine: SearchEngine = {
      page: (request) =>
        new Promise((_resolve, reject) =>
          request.signal.addEventListener('abort', () => reject(request.signal.reason)),
        ),
    };
    const waiting = createSearch({ find: () => engine }).search('tea', { team: 'a', signal: abort.signal });
    await search.search('tea', { team: 'a', signal, limit: 1 });
    await assert.rejects(waiting, /gone/);
  });

  it('says that its engine cannot be reached, and names only its host', async () => {
    const server = await startDeafServer();
    const deaf = createSearch({ find: () => searxng(`${server.baseUrl}/private/path`) });
    const failure = await deaf.search('tea', { team: 'a', signal }).catch((error: Error) => error);
    await server.close();
    const down = await deaf.search('tea', { team: 'a', signal }).catch((error: Error) => error);
    for (const error of [failure, down]) {
      assert.ok(error instanceof Error);
      assert.match(
        error.message,
        new RegExp(`^The search engine at 127\\.0\\.0\\.1:${server.port} can't be reached: `),
      );
      assert.doesNotMatch(error.message, /private|tea/);
    }
    assert.match((down as Error).message, /refused the connection/);
  });
});
