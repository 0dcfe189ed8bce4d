import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseRobots } from '../../src/service/web/crawl/site/robots.ts';
import { walkSitemaps } from '../../src/service/web/crawl/site/sitemaps.ts';
import { ConversionError, createConverters } from '../../src/service/web/scrape/convert/convert.ts';
import { convertPage } from '../../src/service/web/scrape/convert/convert-page.ts';
import { fuzz, hostileText, mutated } from '../harness/fuzzing.ts';
import { pdfOf } from '../harness/pdf.ts';

const options = {
  url: 'https://site.test/',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: true,
};

describe('documents from the web', () => {
  it('are converted, whatever HTML they contain', async () => {
    const tag = fc.constantFrom(
      ...'a p b i ul li ol table tr td th main nav article pre code blockquote h1 h6 img base svg math style script template select option iframe br hr'.split(
        ' ',
      ),
    );
    const attribute = fc.tuple(
      fc.constantFrom('href', 'src', 'class', 'id', 'alt', 'style', 'onclick', 'hidden'),
      hostileText,
    );
    const piece = fc.oneof(
      fc
        .tuple(tag, fc.array(attribute, { maxLength: 2 }))
        .map(
          ([name, attributes]) =>
            `<${name}${attributes.map(([key, value]) => ` ${key}="${value.slice(0, 50)}"`).join('')}>`,
        ),
      tag.map((name) => `</${name}>`),
      fc.constantFrom(
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<!doctype html>',
        '&',
        '&#0;',
        '&#x110000;',
        '&amp',
        '\0',
        '`',
        '|',
        '*',
        '[x](',
        '```',
      ),
      hostileText.map((text) => text.slice(0, 200)),
    );
    const page = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const setting = fc.record({
      onlyMainContent: fc.boolean(),
      onlyCleanContent: fc.boolean(),
      removeBase64Images: fc.boolean(),
    });
    await fuzz(10, fc.tuple(page, setting), ([html, chosen]) => {
      const { markdown, html: cleaned, links, metadata } = convertPage(html, { ...options, ...chosen });
      assert.equal(typeof markdown, 'string');
      assert.doesNotMatch((cleaned ?? '').replaceAll(/"[^"]*"/g, '""'), /<script[\s>]| on\w+=/i);
      for (const link of links) assert.ok(URL.canParse(link), link);
      assert.equal(typeof metadata, 'object');
    });
  });

  it('are read as sitemaps in limited time, whatever bytes they contain', async () => {
    const entry = (url: string) => `<url><loc>${url}</loc><lastmod>2026-01-01</lastmod></url>`;
    const set = Buffer.from(
      `<?xml version="1.0"?><urlset>${entry('https://site.test/a')}${entry('/b')}<!-- x --></urlset>`,
    );
    const index = Buffer.from(
      '<sitemapindex><sitemap><loc>https://site.test/one.xml</loc></sitemap><sitemap><loc>https://site.test/two.xml</loc></sitemap></sitemapindex>',
    );
    const file = fc.oneof(
      mutated(set),
      mutated(index),
      mutated(gzipSync(set)),
      mutated(index).map((bytes) => gzipSync(bytes)),
    );
    await fuzz(6, fc.array(file, { minLength: 1, maxLength: 4 }), async (files) => {
      let fetched = 0;
      const fetcher = {
        fetch: async (url: string) => ({
          url,
          status: 200,
          headers: {},
          body: new Uint8Array(files[fetched++ % files.length] ?? []),
          truncated: false,
          hops: [],
        }),
      };
      let urls = 0;
      const limits = { urls: 50, files: 10, depth: 3 };
      const start = ['https://site.test/sitemap.xml'];
      for await (const found of walkSitemaps(fetcher, start, new AbortController().signal, { limits })) {
        urls += found.length;
        for (const url of found) assert.equal(typeof url, 'string');
      }
      assert.ok(fetched <= limits.files && urls <= limits.urls, `${fetched} files, ${urls} URLs`);
    });
  });

  it('are read as robots.txt, with an answer for every path', async () => {
    const field = fc.constantFrom('User-agent', 'Disallow', 'Allow', 'Crawl-delay', 'Sitemap', 'allow ', 'X', '');
    const value = fc.oneof(
      fc.constantFrom('*', 'test', '/', '/*?*$', '/a*b*c*d*e$', '%2F', '$', '-1', '1e9', 'NaN'),
      hostileText,
    );
    const line = fc.tuple(field, fc.constantFrom(':', ' : ', '', '#'), value).map((parts) => parts.join(''));
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r'))
      .map(([lines, end]) => lines.join(end));
    const path = fc.oneof(
      fc.webPath(),
      hostileText.map((part) => `/${part}`),
    );
    await fuzz(6, fc.tuple(text, path, hostileText), async ([robots, asked, agent]) => {
      const rules = (await parseRobots(robots))(agent);
      assert.equal(typeof rules.allows(asked), 'boolean');
      assert.equal(rules.allows('/robots.txt'), true);
      assert.ok(rules.crawlDelay === undefined || Number.isFinite(rules.crawlDelay), String(rules.crawlDelay));
      for (const sitemap of rules.sitemaps) assert.equal(typeof sitemap, 'string');
    });
  });

  it('are read as PDFs, or refused with the reason', async () => {
    const converters = createConverters({ threads: 1, reserve: 0 });
    const { signal } = new AbortController();
    try {
      const none = { links: false, contentLinks: false, images: false };
      await fuzz(2, mutated(pdfOf('Words of a page')), async (body) => {
        try {
          const result = await converters.convert(
            { kind: 'pdf', body, contentType: 'application/pdf', raw: false, maxPages: 3, lists: none, options },
            { team: 'a', timeoutMs: 10_000, deadlineMs: 60_000, signal },
          );
          assert.equal(typeof result.markdown, 'string');
        } catch (error) {
          assert.ok(error instanceof ConversionError, String(error));
        }
      });
    } finally {
      await converters.close();
    }
  });
});
