import assert from 'node:assert/strict';
import { documentText } from '../../../../src/extension/ui/virtual-documents/document-text.ts';

describe('the readable parts of a document', () => {
  const metadata = { title: 'Lamp', url: 'https://shop.test/lamp' };

  it('are the page, then what was found in it, so that the lines of the page keep their numbers', () => {
    const text = documentText({
      markdown: '# Lamp\n\nIt costs 12 euros.\n',
      summary: 'A lamp.',
      answer: '12 euros',
      highlights: 'It costs 12 euros.',
      json: { price: 12 },
      metadata,
    });
    assert.equal(
      text,
      [
        '# Lamp\n\nIt costs 12 euros.\n\n---\n\n## Summary\n\nA lamp.\n\n## Answer\n\n12 euros\n',
        '## Highlights\n\nIt costs 12 euros.\n\n## JSON\n\n```json\n{\n  "price": 12\n}\n```\n',
      ].join('\n'),
    );
    assert.equal(documentText({ markdown: '# Lamp\n' }), '# Lamp\n');
    assert.equal(documentText({ html: '<p>' }), undefined);
    assert.equal(documentText({ markdown: '# Lamp\n', metadata: { statusCode: 200 } }), '# Lamp\n');
    assert.equal(
      documentText({ markdown: '# Not found\n', metadata: { statusCode: 404 } }),
      '> **The site answered with HTTP status 404. This is its error page.**\n\n# Not found\n',
    );
  });

  it('start with what is missing', () => {
    const warning = 'The page has a button "Load_more",\nwhich isn\'t clicked: set actions: [{"type":"click"}].';
    assert.equal(
      documentText({ markdown: '# Lamp\n', warning }),
      '> **Warning:** The page has a button "Load\\_more", which isn\'t clicked: set actions: \\[{"type":"click"}].\n\n# Lamp\n',
    );
    assert.equal(
      documentText({ markdown: '# Lamp\n', warning: 'Late.', metadata: { statusCode: 500 } }),
      '> **The site answered with HTTP status 500. This is its error page.**\n>\n> **Warning:** Late.\n\n# Lamp\n',
    );
    assert.equal(documentText({ html: '<p>', warning }), undefined);
  });

  it('end with what the main content leaves out', () => {
    const leftOut = { share: 0.314, parts: ['About <us>', 'Also [read](https://a.test) this'] };
    const escaped = 'About \\<us> · Also \\[read]\u200a(https://a.test) this';
    assert.equal(
      documentText({ markdown: 'It costs 12 euros.', leftOut }),
      `It costs 12 euros.\n\n---\n\n*Not in the main content, 31% of the page's text: ${escaped}*\n`,
    );
    for (const none of [null, undefined, {}, { share: 0.3, parts: [] }])
      assert.equal(documentText({ markdown: '# Lamp\n', leftOut: none }), '# Lamp\n');
    assert.equal(documentText({ summary: 'A lamp.', metadata, leftOut })?.includes('main content'), false);
  });

  it('start with the author and the date of a text that lacks its author', () => {
    const by = (markdown: string, metadata: Record<string, unknown>) =>
      documentText({ markdown, metadata })?.split('\n\n')[0];
    const publishedTime = new Date(2026, 2, 2, 10).toISOString();
    assert.equal(by('# Lamp', { author: 'Ann *Bo*', publishedTime }), '> Ann \\*Bo\\* · 2 Mar 2026');
    assert.equal(by('# Lamp', { publishedTime }), '> 2 Mar 2026');
    // A day is that of the page in any time zone, and what is none isn't guessed.
    assert.equal(by('# Lamp', { publishedTime: '2026-03-02T00:00:00Z' }), '> 2 Mar 2026');
    for (const other of ['lately', 'Mar 24', '99', '12/03/2019', '0001-01-01T00:00:00Z'])
      assert.equal(by('# Lamp', { author: 'Ann', publishedTime: other }), '> Ann', other);
    assert.equal(by('# Lamp by Ann', { author: 'Ann', publishedTime }), '# Lamp by Ann');
    assert.equal(by('# Lamp', { author: ['Ann', 'Bo'] }), '# Lamp');
  });

  it('name the page if there is no Markdown', () => {
    assert.equal(
      documentText({ summary: 'A lamp.', metadata }),
      '# Lamp\n\n<https://shop.test/lamp>\n\n## Summary\n\nA lamp.\n',
    );
  });

  it('show changes with their lines, in a block that the page cannot end', () => {
    const previousScrapeAt = new Date(2026, 2, 2, 10, 42, 5).toISOString();
    const changed = documentText({
      changeTracking: {
        previousScrapeAt,
        changeStatus: 'changed',
        visibility: 'hidden',
        diff: { text: '@@ -1,1 +1,1 @@\n-old\n+```` new', json: { files: [] } },
        json: { price: { previous: 12, current: 14 } },
      },
      metadata,
    });
    assert.match(changed ?? '', /## Changes\n\nChanged since 2 Mar 2026, /);
    assert.match(changed ?? '', /No page of the crawl links to it anymore\./);
    assert.ok(changed?.includes('\n`````diff\n@@ -1,1 +1,1 @@\n-old\n+```` new\n`````\n'), changed);
    assert.match(changed ?? '', /```json\n\{\n {2}"price": \{\n {4}"previous": 12,/);
    const state = (changeStatus: string, before: string | null = null) =>
      documentText({ changeTracking: { previousScrapeAt: before, changeStatus, visibility: 'visible' }, metadata }) ??
      '';
    assert.match(state('new'), /This is the first version\./);
    assert.match(state('same', 'nonsense'), /Unchanged\./);
    assert.match(state('removed', previousScrapeAt), /The page is gone\. Its last version is from 2 Mar 2026/);
    assert.match(state('odd [x](y)'), /odd/);
  });
});
