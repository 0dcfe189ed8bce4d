import { createAnchors } from '../../../contract/docs-search/docs-anchors.ts';
import type { Corpus, Page, Passage } from './passages.ts';
import { plainCode, plainText } from './plain-text.ts';

const longestCode = 20_000;
const deepestQuote = 20;

interface State {
  corpus: Corpus;
  page: number;
  anchor: (heading: string) => string;
  /** Headings by level: index 0 is level 1. */
  headings: string[];
  /** The paragraph or item being read. */
  open: { kind: 'paragraph' | 'item'; lines: string[]; first: number } | undefined;
  /** The list that items are added to. */
  list: number | undefined;
  lastParagraph: string | undefined;
}

/** Parses a page of Markdown and adds its passages to a corpus. Linear in the length of the page. */
export function addPage(corpus: Corpus, page: Omit<Page, 'title'> & { title?: string }, markdown: string): void {
  const number = corpus.pages.length;
  corpus.pages.push({ ...page, title: page.title ?? '' });
  const state: State = {
    corpus,
    page: number,
    anchor: createAnchors(),
    headings: page.title ? [page.title] : [],
    open: undefined,
    list: undefined,
    lastParagraph: undefined,
  };
  corpus.sections.push({ page: number, headings: [...state.headings], anchor: '' });
  const lines = withoutComments(markdown.replace(/\r\n?/g, '\n')).split('\n').map(unquote);
  let index = frontMatterEnd(lines);
  const asked = page.anchors ? otherQuestions(markdown) : new Map<number, string[]>();
  while (index < lines.length) {
    const section = corpus.sections.at(-1);
    const questions = asked.get(index);
    if (section && questions) section.asked = [...(section.asked ?? []), ...questions];
    index = readBlock(state, lines, index);
  }
  close(state, lines.length);
  const own = corpus.pages[number];
  if (own && !own.title)
    own.title =
      corpus.sections.find((section) => section.page === number && section.anchor)?.headings[0] ?? page.address;
}

/**
 * Returns other wordings of headings, by line index: comments such as `<!-- asked: one question | another -->` on a
 * separate line below the heading, in pages with anchors.
 */
function otherQuestions(markdown: string): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const [index, line] of markdown.split(/\r\n?|\n/).entries()) {
    const said = /^<!-- asked: ([^<>]{1,2000}) -->$/.exec(line.trim())?.[1];
    if (said) found.set(index, said.split('|').map(plainText));
  }
  return found;
}

/** Reads the block at a line; returns the index of the next line. */
function readBlock(state: State, lines: string[], index: number): number {
  const line = lines[index] ?? '';
  if (line.trim() === '') {
    if (state.open?.kind === 'paragraph') close(state, index);
    return index + 1;
  }
  const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
  if (fence?.[1]) return readFence(state, lines, index, fence[1], fence[2] ?? '');
  const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line);
  if (heading?.[1]) {
    close(state, index);
    startSection(state, heading[1].length, plainText(withoutClosingHashes(line.slice(heading[0].length).trim())));
    return index + 1;
  }
  const underline = /^ {0,3}(=+|-+)\s*$/.exec(line)?.[1];
  if (underline && state.open?.kind === 'paragraph') {
    const title = plainText(state.open.lines.join(' '));
    state.open = undefined;
    startSection(state, underline.startsWith('=') ? 1 : 2, title);
    return index + 1;
  }
  if (/^ {0,3}(?:[-*_] *){3,}$/.test(line)) {
    close(state, index);
    return index + 1;
  }
  if (isTableHead(line, lines[index + 1])) return readTable(state, lines, index);
  const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item && !(state.open?.kind === 'paragraph')) {
    close(state, index);
    if (state.list === undefined) state.list = addGroup(state, undefined);
    state.open = { kind: 'item', lines: [item[2] ?? ''], first: index + 1 };
    return index + 1;
  }
  if (!state.open && /^(?: {4}|\t)/.test(line) && state.list === undefined) return readIndented(state, lines, index);
  if (/^ {0,3}\[[^\]]+\]:\s*\S/.test(line) && !state.open) return index + 1;
  if (state.open?.kind === 'item' && (lines[index - 1] ?? '').trim() === '' && !/^\s{2,}/.test(line))
    close(state, index);
  if (!state.open) {
    state.open = { kind: 'paragraph', lines: [], first: index + 1 };
    state.list = undefined;
  }
  state.open.lines.push(line);
  return index + 1;
}

function startSection({ corpus, page, anchor, headings }: State, level: number, title: string): void {
  headings.length = Math.min(headings.length, level - 1);
  headings.push(title);
  corpus.sections.push({ page, headings: headings.filter(Boolean), anchor: anchor(title.replaceAll('`', '')) });
}

/** Closes the open paragraph or item; `end` is the index of the line after it. */
function close(state: State, end: number): void {
  const { open } = state;
  state.open = undefined;
  if (!open) return;
  const text = plainText(open.lines.join(' '));
  if (open.kind === 'paragraph') state.list = undefined;
  if (text === '') return;
  if (open.kind === 'paragraph') state.lastParagraph = text;
  const group = open.kind === 'item' ? state.list : undefined;
  add(state, { kind: open.kind, text, lines: [open.first, end], ...(group !== undefined && { group }) });
}

function add({ corpus }: State, passage: Omit<Passage, 'section'>): void {
  corpus.passages.push({ ...passage, section: corpus.sections.length - 1 });
}

function addGroup(state: State, columns: string[] | undefined): number {
  const last = state.corpus.passages.at(-1);
  const lead =
    last?.kind === 'paragraph' && last.section === state.corpus.sections.length - 1 && last.text.endsWith(':');
  state.corpus.groups.push({ ...(columns && { columns }), ...(lead && { lead: last.text }) });
  return state.corpus.groups.length - 1;
}

function readFence(state: State, lines: string[], start: number, mark: string, language: string): number {
  close(state, start);
  let last = start + 1;
  while (last < lines.length && !isFenceEnd(lines[last] ?? '', mark)) last++;
  const code = plainCode(lines.slice(start + 1, last).join('\n'))
    .trimEnd()
    .slice(0, longestCode);
  if (code) add(state, { kind: 'code', text: code, language, lines: [start + 1, Math.min(last + 1, lines.length)] });
  return last + 1;
}

function isFenceEnd(line: string, mark: string): boolean {
  const text = line.trim();
  return text.startsWith(mark) && /^(?:`+|~+)$/.test(text);
}

function readIndented(state: State, lines: string[], start: number): number {
  let end = start;
  while (end < lines.length && (/^(?: {4}|\t)/.test(lines[end] ?? '') || (lines[end] ?? '').trim() === '')) end++;
  const code = lines.slice(start, end).map((line) => line.replace(/^(?: {4}|\t)/, ''));
  const text = plainCode(code.join('\n')).trimEnd().slice(0, longestCode);
  if (text) add(state, { kind: 'code', text, language: '', lines: [start + 1, end] });
  return end;
}

function isTableHead(line: string, next: string | undefined): boolean {
  return (
    line.includes('|') && next !== undefined && /^[\s:|-]+$/.test(next) && next.includes('-') && next.includes('|')
  );
}

function readTable(state: State, lines: string[], start: number): number {
  close(state, start);
  const head = cellsOf(lines[start] ?? '').map(plainText);
  const isWebPage = state.corpus.pages[state.page]?.anchors === false;
  const columns = isWebPage && isRow(head) ? head.map(() => '') : head;
  const group = addGroup(state, columns);
  if (isWebPage && isLabeled(head)) {
    add(state, { kind: 'row', text: head.join('; '), cells: head, group, lines: [start + 1, start + 1] });
  }
  let index = start + 2;
  for (; index < lines.length && lines[index]?.includes('|') && lines[index]?.trim() !== ''; index++) {
    const cells = cellsOf(lines[index] ?? '').map(plainText);
    const text = cells.map((cell, column) => {
      const name = columns[column] ?? '';
      return column === 0 || cell === '' || name === '' ? cell : `${name}: ${cell}`;
    });
    add(state, { kind: 'row', text: text.filter(Boolean).join('; '), cells, group, lines: [index + 1, index + 1] });
  }
  state.list = undefined;
  return index;
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

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\||(?<!\\)\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** Removes HTML comments but keeps their line breaks, so that line numbers stay the same. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start);
    if (end === -1) break;
    kept.push(text.slice(from, start), text.slice(start, end + 3).replace(/[^\n]/g, ''));
    from = end + 3;
  }
  return kept.join('') + text.slice(from);
}

function withoutClosingHashes(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === 0 || /\s/.test(title[end - 1] ?? '') ? title.slice(0, end).trim() : title;
}

function unquote(line: string): string {
  let text = line;
  for (let depth = 0; depth < deepestQuote && /^ {0,3}>/.test(text); depth++) text = text.replace(/^ {0,3}> ?/, '');
  return text;
}

function frontMatterEnd(lines: string[]): number {
  if (lines[0]?.trim() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && index < 200 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end === -1 ? 0 : end + 1;
}
