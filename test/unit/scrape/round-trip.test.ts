import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import MarkdownIt from 'markdown-it';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';
import { shown } from './markdown/shown.ts';

interface Example {
  section: string;
  number: number;
  html: string;
}
const { tests: examples }: { tests: Example[] } = createRequire(import.meta.url)('commonmark-spec');
const base = 'https://site.test/';
const commonMark = new MarkdownIt({ html: true });
commonMark.validateLink = () => true;

function isSame({ html }: { html: string }): boolean {
  const { markdown } = convertPage(html, {
    url: base,
    onlyMainContent: false,
    onlyCleanContent: false,
    removeBase64Images: true,
    markdown: true,
    html: false,
  });
  return shown(commonMark.render(markdown ?? '')) === shown(html);
}

/** The examples that don't come back the same, by their numbers, and why. */
const different: Record<string, number[]> = {
  "elements that Markdown doesn't have, and tags in the wrong place": [
    148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 170, 171,
    172, 173, 174, 175, 176, 177, 178, 180, 184, 185, 186, 187, 188, 189, 190, 191, 201, 491, 524, 536, 613, 614, 615,
    616, 617, 623, 626, 629,
  ],
  'links outside of any paragraph, which become one': [21, 31],
};

describe("the examples of CommonMark's specification, from HTML to Markdown and back", () => {
  const known = new Set(Object.values(different).flat());
  const bySection = Map.groupBy(examples, ({ section }) => section);
  for (const [section, inSection] of bySection) {
    it(`are the same, except those that are known: ${section}`, () => {
      const changed = inSection.filter((example) => isSame(example) === known.has(example.number));
      assert.deepEqual(
        changed.map(({ number }) => number),
        [],
      );
    });
  }
});
