import querystring from 'node:querystring';
import type { Token } from 'markdown-it';
import { createAnchors } from '../../../../contract/docs-search/docs-anchors.ts';
import type { Block, Corpus, Page, Passage } from './passages.ts';
import { inlineText, markdown, plainCode, plainText, textOfHtml } from './plain-text.ts';

/** A passage has at most this many words, unless a single block has more. */
const mostWords = 300;
const longestCode = 20_000;

/** A page to read, without a title if its text has one. */
export type NewPage = Omit<Page, 'title'> & { title?: string | undefined };

/**
 * Adds the passages of a page of Markdown to a corpus: a heading with what is directly under it, cut between blocks if it
 * is long. The title is that of the page, its front matter, or its first heading, else the name of its file.
 */
export function addPage(corpus: Corpus, page: NewPage, text: string): void {
  const { title: written, body } = withoutFrontMatter(text.replace(/\r\n?/g, '\n'));
  const tokens = markdown.parse(body, {});
  const first = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const title = page.title ?? written ?? (first === -1 ? '' : headingOf(tokens[first + 1]).text);
  const number = corpus.pages.push({ ...page, title: title || nameOf(page.address) }) - 1;
  const anchors = createAnchors();
  const path: string[] = [];
  let open: Passage = { page: number, headings: [], anchor: '', blocks: [] };
  let words = 0;

  function add(...blocks: Block[]): void {
    for (const block of blocks) {
      const count = block.text.split(' ').length;
      if (block.text === '') continue;
      if (words > 0 && words + count > mostWords) begin(open);
      if (open.blocks.length === 0) corpus.passages.push(open);
      open.blocks.push(block);
      words += count;
    }
  }
  function begin(passage: Omit<Passage, 'blocks'>): void {
    open = { ...passage, blocks: [] };
    words = 0;
  }

  for (let at = 0, lists = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const [from, to] = token.map ?? [0, 0];
    const lines: Block['lines'] = [from + 1, to];
    if (token.type === 'heading_open') {
      const { text: heading, id } = headingOf(tokens[++at]);
      path.length = Number(token.tag.slice(1)) - 1;
      path.push(heading);
      const given = anchors(heading.replaceAll('`', ''));
      begin({ page: number, headings: path.filter(Boolean), anchor: id ?? given });
    } else if (/_list_(?:open|close)$/.test(token.type)) lists += token.nesting;
    else if (token.type === 'paragraph_open')
      add({ kind: lists > 0 ? 'item' : 'paragraph', text: inlineText(tokens[at + 1]), lines });
    else if (token.type === 'fence' || token.type === 'code_block') {
      const language = /^[\w+#.-]*/.exec(token.info.trim())?.[0] ?? '';
      add({ kind: 'code', text: plainCode(token.content).trimEnd().slice(0, longestCode), language, lines });
    } else if (token.type === 'html_block') {
      if (page.anchors) addOtherNames(open, token.content);
      add({ kind: 'paragraph', text: textOfHtml(token.content), lines });
    } else if (token.type === 'table_open') {
      const start = at;
      while (tokens[at]?.type !== 'table_close') at++;
      add(...rowsOf(tokens.slice(start, at), !page.anchors));
    }
  }
}

/** Returns the rows of a table. On web pages, a table of two columns may be labels with values, without a header, which Markdown can't express. */
function rowsOf(tokens: readonly Token[], isWebPage: boolean): Block[] {
  const rows: { lines: Block['lines']; cells: string[] }[] = [];
  for (const token of tokens) {
    const [from, to] = token.map ?? [0, 0];
    if (token.type === 'tr_open') rows.push({ lines: [from + 1, to], cells: [] });
    if (token.type === 'inline') rows.at(-1)?.cells.push(inlineText(token));
  }
  const isLabels = isWebPage && rows[0]?.cells.length === 2;
  const columns = isLabels ? [] : (rows[0]?.cells ?? []);
  return rows.slice(isLabels ? 0 : 1).map(({ cells, lines }) => {
    const labelled = cells.map((cell, at) => (cell && columns[at] ? `${columns[at]}: ${cell}` : cell));
    return { kind: 'row', text: labelled.filter(Boolean).join(isLabels ? ': ' : '; '), name: cells[0] ?? '', lines };
  });
}

/** Adds other wordings of a heading: comments such as `<!-- asked: one question | another -->` on a line of their own. */
function addOtherNames(passage: Passage, html: string): void {
  const names = /^<!-- asked: ([^<>]{1,4000}) -->$/.exec(html.trim())?.[1]?.split('|').map(plainText);
  if (names) passage.asked = [...(passage.asked ?? []), ...names];
}

/** Returns a heading without the ID that some dialects write behind it, `{#id}` or `{/*id*\/}`, and that ID. */
function headingOf(inline: Token | undefined): { text: string; id?: string | undefined } {
  const mark = /(?<!\s)\s*\{\s*(?:#([\w-]+)|\/\*\s*(?:([\w-]+)\s*)?\*\/)\s*\}$/.exec(inline?.content ?? '');
  return mark
    ? { text: plainText(mark.input.slice(0, mark.index)), id: mark[1] ?? mark[2] }
    : { text: inlineText(inline) };
}

/** Returns the title in the front matter of a page, and its text with the front matter as empty lines. */
function withoutFrontMatter(text: string): { title?: string | undefined; body: string } {
  const [found = ''] = /^---[ \t]*\n(?:.*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text) ?? [];
  const title = /^title:[ \t]*(["']?)(.+)\1[ \t]*$/m.exec(found)?.[2];
  return { title: title && plainText(title), body: found.replace(/[^\n]+/g, '') + text.slice(found.length) };
}

/** The name of a page's file as words. */
function nameOf(address: string): string {
  const file = address.split('/').at(-1) ?? '';
  const name = querystring.unescape(file).replace(/\.\w+$/, '');
  return name.replace(/[-_]+/g, ' ') || address;
}
