import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import type { ConvertOptions } from '../../../../src/service/web/scrape/convert/convert-page.ts';
import { markdown } from '../../../harness/page-markdown.ts';

const reader = new MarkdownIt({ html: true });

/** Returns the Markdown of a page's content. */
export function markdownOf(content: string, options: Partial<ConvertOptions> = {}): string {
  return markdown(`<main>${content}</main>`, { url: 'https://site.test/', ...options });
}

/** Returns the HTML that a reader of the Markdown sees. */
export function rendered(content: string): string {
  return reader.render(markdownOf(content)).trim();
}

/** All that `assertMarkdown` checks, for the benchmark that compares with others. */
export const checks: { content: string; markdown: string }[] = [];

/** Adds a test for each content and its Markdown. */
export function assertMarkdown(cases: Record<string, [content: string, markdown: string][]>): void {
  for (const inputs of Object.values(cases))
    checks.push(...inputs.map(([content, markdown]) => ({ content, markdown })));
  for (const [what, inputs] of Object.entries(cases))
    it(what, () => {
      for (const [content, markdown] of inputs) assert.equal(markdownOf(content), markdown, content);
    });
}
