import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

/** Characters of a page that is too big for this: its tree alone would take seconds to build. */
export const longestSearched = 500_000;

/**
 * The article of a page that does not say by its structure what its content is, as HTML; undefined where none stands out.
 * Costs some ten times what reading the page costs.
 */
export function findArticle(source: string): string | undefined {
  try {
    const whole = /<body[\s>]/i.test(source) ? source : `<body>${source}</body>`;
    const { document } = parseHTML(/<html[\s>]/i.test(whole) ? whole : `<html><head></head>${whole}</html>`);
    const heading = headingOf(document);
    const options = { keepClasses: true, charThreshold: 250 };
    const article = new Readability(document, options).parse();
    if (!article?.content) return undefined;
    // Readability makes second headings of first ones, and takes the title out of the content.
    const first = parseHTML(article.content).document.querySelector('h1, h2')?.textContent?.trim();
    if (heading === '') return article.content;
    return first === heading
      ? article.content.replace(/<h2\b([^>]*)>([\s\S]*?)<\/h2>/, '<h1$1>$2</h1>')
      : `<h1>${escaped(heading)}</h1>${article.content}`;
  } catch {
    // A tree that is too odd for it; the page is there all the same.
    return undefined;
  }
}

function headingOf(document: Document): string {
  return document.querySelector('h1')?.textContent?.trim() ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
