import querystring from 'node:querystring';
import type { Token } from 'markdown-it';
import { type Block, type Corpus, codeBlock, createPassages, type NewPage, type Row, rowBlocks } from './passages.ts';
import { inlineText, markdown, plainText, textOfHtml } from './plain-text.ts';

/**
 * Adds the passages of a page of Markdown to a corpus: a heading with what is directly under it, cut between blocks if it
 * is long. The title is that of the page, its front matter, or its first heading, else the name of its file.
 */
export function addPage(corpus: Corpus, page: NewPage, text: string): void {
  const { title: written, body } = withoutFrontMatter(text.replace(/\r\n?/g, '\n'));
  const tokens = markdown.parse(body, {});
  const first = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const title = page.title ?? written ?? (first === -1 ? '' : headingOf(tokens[first + 1]).text);
  const passages = createPassages(corpus, { ...page, title: title || nameOf(page.address) });

  for (let at = 0, lists = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const [from, to] = token.map ?? [0, 0];
    const lines: Block['lines'] = [from + 1, to];
    if (token.type === 'heading_open') {
      const { text: heading, id } = headingOf(tokens[++at]);
      passages.heading(Number(token.tag.slice(1)), heading, lines, id);
    } else if (/_list_(?:open|close)$/.test(token.type)) lists += token.nesting;
    else if (token.type === 'paragraph_open')
      passages.add({ kind: lists > 0 ? 'item' : 'paragraph', text: inlineText(tokens[at + 1]), lines });
    else if (token.type === 'fence' || token.type === 'code_block')
      passages.add(codeBlock(token.content, token.info, lines));
    else if (token.type === 'html_block') {
      if (page.anchors) passages.ask(otherNames(token.content));
      passages.add({ kind: 'paragraph', text: textOfHtml(token.content), lines });
    } else if (token.type === 'table_open') {
      const start = at;
      while (tokens[at]?.type !== 'table_close') at++;
      passages.addAll(rowsOf(tokens.slice(start, at), !page.anchors));
    }
  }
}

/** Returns the rows of a table. On web pages, a table of two columns may be labels with values, without a header, which Markdown can't express. */
function rowsOf(tokens: readonly Token[], isWebPage: boolean): Block[] {
  const rows: Row[] = [];
  for (const token of tokens) {
    const [from, to] = token.map ?? [0, 0];
    if (token.type === 'tr_open') rows.push({ lines: [from + 1, to], cells: [] });
    if (token.type === 'inline') rows.at(-1)?.cells.push(inlineText(token));
  }
  const isLabels = isWebPage && rows[0]?.cells.length === 2;
  return isLabels ? rowBlocks(rows, undefined, ': ') : rowBlocks(rows.slice(1), rows[0]);
}

/** Returns other wordings of a heading: comments such as `<!-- asked: one question | another -->` on a line of their own. */
function otherNames(html: string): string[] {
  return /^<!-- asked: ([^<>]{1,4000}) -->$/.exec(html.trim())?.[1]?.split('|').map(plainText).filter(Boolean) ?? [];
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
export function nameOf(address: string): string {
  const file = address.split('/').at(-1) ?? '';
  const name = querystring.unescape(file).replace(/\.\w+$/, '');
  return name.replace(/[-_]+/g, ' ') || address;
}
