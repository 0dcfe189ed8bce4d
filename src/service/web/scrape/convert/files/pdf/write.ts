import { escaped } from '../markup.ts';
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
    if (block.kind === 'table') html += table(block.rows);
    else
      html +=
        block.level > 0 ? `<h${block.level}>${inline(block.runs)}</h${block.level}>` : `<p>${inline(block.runs)}</p>`;
  }
  close(0);
  return html;
}

function table(rows: readonly (readonly Run[][])[]): string {
  const lines = rows.map((row, index) => {
    const tag = index === 0 ? 'th' : 'td';
    return `<tr>${row.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join('')}</tr>`;
  });
  const [head = '', ...body] = lines;
  return `<table><thead>${head}</thead><tbody>${body.join('')}</tbody></table>`;
}

function inline(runs: readonly Run[]): string {
  return runs
    .map(({ text, href }) => {
      const shown = escaped(text.replaceAll('\u00ad', ''));
      return href === undefined ? shown : `<a href="${escaped(href).replaceAll('"', '&quot;')}">${shown}</a>`;
    })
    .join('')
    .trim();
}
