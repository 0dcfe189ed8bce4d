import MarkdownIt, { type Token } from 'markdown-it';
import { createAnchors } from '../../../../contract/docs-search/docs-anchors.ts';
import type { Corpus, Page, Passage } from './passages.ts';
import { plainCode, plainText } from './plain-text.ts';

const longestCode = 20_000;

/** Finds the blocks of a page. What they contain is read by `plainText`, whose results are safe to show. */
const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(['normalize', 'block']);

/** Parses a page of Markdown and adds its passages to a corpus. */
export function addPage(corpus: Corpus, page: Omit<Page, 'title'> & { title?: string }, markdown: string): void {
  const { title: written, text } = withoutFrontMatter(markdown.replace(/\r\n?/g, '\n'));
  const title = page.title ?? written;
  const number = corpus.pages.push({ ...page, title: title ?? '' }) - 1;
  const first = corpus.sections.length;
  const headings = title ? [title] : [];
  const anchor = createAnchors();
  corpus.sections.push({ page: number, headings: [...headings], anchor: '' });
  const tokens = blocks.parse(text, {});
  for (let at = 0, list: number | undefined; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const content = () => plainText(tokens[at + 1]?.content ?? '');
    if (token.type === 'heading_open') {
      const heading = plainText(withoutId(tokens[at + 1]?.content ?? ''));
      headings.length = Math.min(headings.length, Number(token.tag.slice(1)) - 1);
      headings.push(heading);
      corpus.sections.push({
        page: number,
        headings: headings.filter(Boolean),
        anchor: anchor(heading.replaceAll('`', '')),
      });
    } else if (token.type === 'table_open') at = addTable(corpus, tokens, at, !page.anchors);
    else if (/^(?:bullet|ordered)_list_open$/.test(token.type)) list ??= addGroup(corpus);
    else if (/^(?:bullet|ordered)_list_close$/.test(token.type) && token.level === 0) list = undefined;
    else if (token.type === 'paragraph_open')
      addText(corpus, token, content(), list === undefined ? { kind: 'paragraph' } : { kind: 'item', group: list });
    else if (token.type === 'html_block') {
      if (page.anchors) addOtherNames(corpus, token.content);
      if (!/^\s*<(?:script|style)/i.test(token.content))
        addText(corpus, token, plainText(token.content), { kind: 'paragraph' });
    } else if (token.type === 'fence' || token.type === 'code_block') {
      const code = plainCode(token.content).trimEnd().slice(0, longestCode);
      addText(corpus, token, code, { kind: 'code', language: /^[\w+#.-]*/.exec(token.info.trim())?.[0] ?? '' });
    }
  }
  const own = corpus.pages[number];
  if (own && !own.title)
    own.title = corpus.sections.slice(first).find((one) => one.anchor)?.headings[0] ?? page.address;
}

/** Adds other names of the section: comments such as `<!-- asked: one question | another -->` on a line of their own. */
function addOtherNames({ sections }: Corpus, html: string): void {
  const names = /^<!-- asked: ([^<>]{1,4000}) -->$/.exec(html.trim())?.[1]?.split('|').map(plainText);
  const section = sections.at(-1);
  if (names && section) section.asked = [...(section.asked ?? []), ...names];
}

function addText(
  corpus: Corpus,
  { map }: Token,
  text: string,
  passage: Pick<Passage, 'kind' | 'group' | 'language' | 'cells'>,
): void {
  if (!text || !map) return;
  corpus.passages.push({ ...passage, text, section: corpus.sections.length - 1, lines: [map[0] + 1, map[1]] });
}

function addGroup({ passages, sections, groups }: Corpus, columns?: string[]): number {
  const last = passages.at(-1);
  const isLead = last?.kind === 'paragraph' && last.section === sections.length - 1 && last.text.endsWith(':');
  return groups.push({ ...(columns && { columns }), ...(isLead && { lead: last.text }) }) - 1;
}

/** Adds the rows of a table; returns the index of its last token. */
function addTable(corpus: Corpus, tokens: readonly Token[], start: number, isWebPage: boolean): number {
  const rows: { row: Token; cells: string[] }[] = [];
  let at = start;
  for (; tokens[at] && tokens[at]?.type !== 'table_close'; at++) {
    const token = tokens[at] as Token;
    if (token.type === 'tr_open') rows.push({ row: token, cells: [] });
    if (token.type === 'inline') rows.at(-1)?.cells.push(plainText(token.content));
  }
  const [{ row, cells: head } = { row: undefined, cells: [] }, ...body] = rows;
  const columns = isWebPage && isRow(head) ? head.map(() => '') : head;
  const group = addGroup(corpus, columns);
  if (row && isWebPage && isLabeled(head)) addText(corpus, row, head.join('; '), { kind: 'row', cells: head, group });
  for (const { row: line, cells } of body) {
    const text = cells.map((cell, column) => {
      const name = columns[column] ?? '';
      return column === 0 || cell === '' || name === '' ? cell : `${name}: ${cell}`;
    });
    addText(corpus, line, text.filter(Boolean).join('; '), { kind: 'row', cells, group });
  }
  return at;
}

/** Whether the first line of a table may be a label with its value: web pages have such tables without a header, which Markdown can't express. */
function isLabeled(head: readonly string[]): boolean {
  const [label = '', value = ''] = head;
  return head.length === 2 && label !== '' && value !== '' && !columnName.test(value);
}

/** Whether the first line of a table is certainly no header. */
function isRow(head: readonly string[]): boolean {
  return isLabeled(head) && (/[\d@€$£¥%]/.test(head[1] ?? '') || (head[1] ?? '').split(' ').length > 4);
}

const columnName =
  /^(?:name|meaning|description|details?|explanation|value|type|kind|default|example|notes?|comments?|status|amount|price|date|time|count|number|result|answer|unit|purpose|usage|use|what .*|when .*|how .*)$/i;

/** Removes the ID that some dialects write behind a heading: `{#id}` or `{/*id*\/}`. */
function withoutId(title: string): string {
  return title.replace(/\s*\{\s*(?:#[\w-]+|\/\*[^{}]*\*\/)\s*\}\s*$/, '');
}

/** Returns the title in the front matter of a page, and its text with the front matter as empty lines. */
function withoutFrontMatter(markdown: string): { title?: string | undefined; text: string } {
  const found = /^---[ \t]*\n(?:.*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(markdown)?.[0];
  if (!found) return { text: markdown };
  const title = /^title:[ \t]*(.+?)[ \t]*$/m.exec(found)?.[1]?.replace(/^(["'])(.*)\1$/, '$2');
  return {
    title: title && (plainText(title) || undefined),
    text: found.replace(/[^\n]+/g, '') + markdown.slice(found.length),
  };
}
