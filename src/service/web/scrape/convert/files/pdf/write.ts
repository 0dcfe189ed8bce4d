import { escaped, linked, tableHtml } from '../html.ts';
import type { Block, TextBlock } from './blocks.ts';
import type { Run } from './lines.ts';

/** Writes blocks as HTML, with lists nested by where their items start. */
export function writeBlocks(blocks: readonly Block[]): string {
  let html = '';
  const open: { tag: string; left: number; page: number; kind: string }[] = [];
  const close = (depth: number) => {
    while (open.length > depth) html += `</li></${open.pop()?.tag}>`;
  };
  const openList = ({ item, left, page }: TextBlock) => {
    if (!item) return;
    const kind = item.kind + item.style;
    const numbered = item.kind !== 'bullet' && item.kind !== 'dash';
    let depth = open.length;
    while (depth > 0) {
      const outer = open[depth - 1];
      if (!outer || (outer.page === page && left > outer.left + 8)) break;
      if (outer.kind === kind && (outer.page !== page || left > outer.left - 8)) break;
      depth--;
    }
    close(depth);
    const outer = open.at(-1);
    if (outer?.kind === kind && !(outer.page === page && left > outer.left + 8)) {
      html += '</li><li>';
      Object.assign(outer, { left, page });
      return;
    }
    html += numbered ? `<ol${item.value === 1 ? '' : ` start="${item.value}"`}><li>` : '<ul><li>';
    open.push({ tag: numbered ? 'ol' : 'ul', left, page, kind });
  };
  for (const block of blocks) {
    if (block.kind === 'text' && block.item) {
      openList(block);
      html += inline(block.runs);
      continue;
    }
    close(0);
    if (block.kind === 'table') html += tableHtml(block.rows.map((row) => row.map((cell) => ({ html: inline(cell) }))));
    else
      html +=
        block.level > 0 ? `<h${block.level}>${inline(block.runs)}</h${block.level}>` : `<p>${inline(block.runs)}</p>`;
  }
  close(0);
  return html;
}

function inline(runs: readonly Run[]): string {
  return runs
    .map(({ text, href }) => linked(href, escaped(text.replaceAll('\u00ad', ''))))
    .join('')
    .trim();
}
