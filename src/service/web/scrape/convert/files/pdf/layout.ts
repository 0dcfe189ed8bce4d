import { escaped, linked } from '../html.ts';
import { blocksOf, joinColumns } from './blocks.ts';
import { resolveItems } from './list-items.ts';
import { type Part, partsOf } from './page.ts';
import type { Direction } from './pieces.ts';
import { withoutRunning } from './running.ts';
import { styleOf } from './style.ts';
import type { Rule } from './tables.ts';
import { writeBlocks } from './write.ts';

/** What a page has. */
export interface PageText {
  directions: Direction[];
  /** Lines that are drawn across it, when its first direction can be read. */
  rules: Rule[];
  /** Links of images, and others without text. */
  links: string[];
}

/**
 * Writes a PDF as HTML, the whole and each page: headings by their size, tables by their columns, lists by their marks. Running heads and page
 * numbers are left out. @param onPage called before each further page
 */
export function layOut(pages: readonly PageText[], onPage?: () => void): { html: string; pages: string[] } {
  const texts = withoutRunning(pages.map(({ directions }) => directions[0]?.pieces ?? []));
  const parts = pages.map(({ directions, rules }, index): Part[] => {
    if (index > 0) onPage?.();
    const [first, ...others] = directions;
    return first
      ? partsOf([{ ...first, pieces: texts[index] ?? [] }, ...others], (angle) => (angle === first.angle ? rules : []))
      : [];
  });
  const style = styleOf(parts);
  const blocks = resolveItems(parts.flatMap((part, page) => blocksOf(part, style, page)));
  const byPage = Map.groupBy(blocks, ({ page }) => page);
  return {
    html: writeBlocks(joinColumns(blocks, style)) + linksOf(pages.flatMap(({ links }) => links)),
    pages: pages.map(({ links }, page) => writeBlocks(byPage.get(page) ?? []) + linksOf(links)),
  };
}

function linksOf(urls: readonly string[]): string {
  return [...new Set(urls)].map((url) => `<p>${linked(url, escaped(url))}</p>`).join('');
}
