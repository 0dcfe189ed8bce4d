import { createBlocks, escaped, linked, tableHtml, wrapped } from '../html.ts';
import { type Block, blocksOf, isBulleted, joinColumns } from './blocks.ts';
import { add, type Run } from './lines.ts';
import { resolveItems } from './list-items.ts';
import { type Part, partsOf } from './page.ts';
import type { Box, Direction } from './pieces.ts';
import { withoutRunning } from './running.ts';
import { styleOf } from './style.ts';

/** What a page has. */
export interface PageText {
  directions: Direction[];
  /** Lines that are drawn across and down it, when its first direction can be read. */
  rules: Box[];
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

/** The last item of a list that is open. */
interface Open {
  left: number;
  page: number;
  kind: string;
}

/** How far an item is to the right of those that it is in, in points. */
const step = 8;

/** Writes blocks as HTML, with lists nested by where their items start. */
function writeBlocks(blocks: readonly Block[]): string {
  const written = createBlocks();
  const open: Open[] = [];
  for (const block of blocks) {
    if (block.kind === 'text' && block.item) {
      const { item, left, page } = block;
      const kind = item.kind + item.style;
      const above = open.findLast((outer) => outer.kind === kind && outer.page === page);
      // In the next column, a list goes on further to the right.
      const shift = block.startsColumn && above ? left - above.left : 0;
      for (const outer of open) outer.left += shift;
      // The item is in the last one that is to the left of it, or beside the last one of its kind.
      const isInside = (outer: Open) => outer.page === page && left > outer.left + step;
      const isBeside = (outer: Open) => outer.kind === kind && (outer.page !== page || left > outer.left - step);
      let level = open.findLastIndex((outer) => isInside(outer) || isBeside(outer));
      if (level === -1 || isInside(open[level] as Open)) level++;
      open.splice(level, open.length, { left, page, kind });
      written.item(inline(block.runs), level, isBulleted(item) ? undefined : item.value, kind);
      continue;
    }
    open.length = 0;
    if (block.kind === 'text') written.add(wrapped(block.level > 0 ? `h${block.level}` : 'p', inline(block.runs)));
    else if (block.kind === 'code') written.add(`<pre><code>${escaped(block.text)}</code></pre>`);
    else written.add(tableHtml(block.rows.map((row) => row.map((cell) => ({ html: inline(cell) })))));
  }
  return written.end();
}

function inline(runs: readonly Run[]): string {
  const links: Run[] = [];
  for (const { text, href, raised } of runs) {
    const html = escaped(text.replaceAll('\u00ad', ''));
    add(links, { text: raised ? `<sup>${html}</sup>` : html, href });
  }
  return links
    .map(({ href, text }) => linked(href, text))
    .join('')
    .trim();
}
