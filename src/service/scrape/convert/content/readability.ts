import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

/** Maximum number of characters of a page to search: building the tree of a longer one would take seconds. */
export const maxSearchedLength = 500_000;

/**
 * Finds the article of a page whose structure doesn't identify its content. Returns its HTML, or undefined if none
 * stands out. Takes about ten times as long as reading the page.
 */
export function findArticle(source: string): string | undefined {
  try {
    const whole = /<body[\s>]/i.test(source) ? source : `<body>${source}</body>`;
    const { document } = parseHTML(/<html[\s>]/i.test(whole) ? whole : `<html><head></head>${whole}</html>`);
    const heading = headingOf(document);
    const options = { keepClasses: true, charThreshold: 250 };
    const article = new Readability(document, options).parse();
    if (!article?.content) return undefined;
    // Readability turns h1 into h2, and removes the title from the content.
    const first = parseHTML(article.content).document.querySelector('h1, h2')?.textContent?.trim();
    if (heading === '') return article.content;
    return first === heading
      ? article.content.replace(/<h2\b([^>]*)>([\s\S]*?)<\/h2>/, '<h1$1>$2</h1>')
      : `<h1>${escaped(heading)}</h1>${article.content}`;
  } catch {
    // Readability can't handle the tree; the page is still usable without it.
    return undefined;
  }
}

function headingOf(document: Document): string {
  return document.querySelector('h1')?.textContent?.trim() ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
