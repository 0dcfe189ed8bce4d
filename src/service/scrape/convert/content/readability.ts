import { Readability } from '@mozilla/readability';
import JSDOMParser from '@mozilla/readability/JSDOMParser.js';
import { decodeHTML } from 'entities';
import { strictHtml } from './article-tree.ts';

/** Maximum number of characters of a page to search: building the tree of a longer one would take seconds. */
export const maxSearchedLength = 500_000;

/**
 * Finds the article of a page whose structure doesn't identify its content. Returns its HTML with absolute URLs, or
 * undefined if none stands out. Takes about four times as long as reading the page.
 */
export function findArticle(source: string, pageUrl: string): string | undefined {
  try {
    const parser = new JSDOMParser();
    // It would write to the console.
    parser.error = (message) => {
      throw new Error(message);
    };
    const document = parser.parse(strictHtml(source, pageUrl));
    const heading = document.getElementsByTagName('h1')[0]?.textContent?.trim() ?? '';
    const options = { keepClasses: true, charThreshold: 250, disableJSONLD: true };
    const article = new Readability(document, options).parse();
    if (!article?.content) return undefined;
    if (heading === '') return article.content;
    // Readability turns h1 into h2.
    return firstHeading(article.content) === heading
      ? article.content.replace(/<h2\b([^>]*)>([\s\S]*?)<\/h2>/, '<h1$1>$2</h1>')
      : `<h1>${escaped(heading)}</h1>${article.content}`;
  } catch {
    // Readability can't handle the tree; the page is still usable without it.
    return undefined;
  }
}

function firstHeading(html: string): string | undefined {
  const inner = /<(h[12])\b[^>]*>([\s\S]*?)<\/\1>/.exec(html)?.[2];
  return inner === undefined ? undefined : decodeHTML(inner.replace(/<[^>]*>/g, '')).trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
