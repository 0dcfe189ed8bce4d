import { createAnchors } from '../../../../contract/docs-search/docs-anchors.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { plainCode, terminalSequence } from './plain-text.ts';

/** A passage has at most this many words, unless a single block has more. */
const mostWords = 300;
/** Characters of a block of code, and of another block: longer ones are several. */
const [longestCode, longestBlock] = [20_000, 8_000];
/** The next part of a text, up to the end of a word if it has one, else of a character. */
const part = new RegExp(
  `[^]{1,${longestBlock}}(?!\\S)|[^]{1,${longestBlock}}(?!(?<=[\\ud800-\\udbff])[\\udc00-\\udfff])`,
  'g',
);
// What every passage or row has again is bounded, so that what is stored grows with the source.
const longestHeading = 300;
const longestColumn = 100;
/** Larger sources are truncated to limit the memory of their index. */
export const mostPassages = 300_000;
/** Characters of the headings above a passage, its own first, and of their other wordings. */
const [longestPath, longestAsked] = [1_000, 4_000];

/** The unit of an answer: a paragraph, a list item, a table row, or a block of code. */
export interface Block {
  kind: 'paragraph' | 'item' | 'row' | 'code';
  /** Plain text; for a row its cells with the names of their columns; for code the code itself. */
  text: string;
  /** The first cell of a row. */
  name?: string;
  /** Language of a block of code. */
  language?: string;
  /** Lines of the page, counted from 1. */
  lines: [first: number, last: number];
}

/** The unit of search: what is directly under a heading, or a part of it if that is long. */
export interface Passage {
  /** Index of its page. */
  page: number;
  /** The headings from the page's first one to its own, as plain text. */
  headings: string[];
  /** Empty above the first heading. */
  anchor: string;
  /** Other wordings of the heading. */
  asked?: string[];
  blocks: Block[];
}

export interface Page {
  /** The address in evidence, without the anchor: a path such as `limits.md`, or a URL. */
  address: string;
  title: string;
  /** Whether evidence has the anchor of its heading: true for Markdown files, false for web pages, whose anchors are unknown. */
  anchors: boolean;
}

/** The parsed pages of one source. */
export interface Corpus {
  pages: Page[];
  passages: Passage[];
}

export function emptyCorpus(): Corpus {
  return { pages: [], passages: [] };
}

/** Adds pages that were read to a corpus, as far as a source has room for their passages. */
export function append(corpus: Corpus, { pages, passages }: Corpus): void {
  const first = corpus.pages.length;
  corpus.pages.push(...pages);
  for (const passage of passages) {
    if (corpus.passages.length > mostPassages) break;
    corpus.passages.push({ ...passage, page: first + passage.page });
  }
}

/** A page to read, without a title if its text has one. */
export type NewPage = Omit<Page, 'title'> & { title?: string | undefined };

/** Adds a page to a corpus, to be filled in the order of its text: a passage has a heading and what is directly under it, cut between blocks if it is long. */
export function createPassages(corpus: Corpus, page: Page) {
  const number =
    corpus.pages.push({ ...page, title: shorten(page.title.replace(terminalSequence, ''), longestHeading) }) - 1;
  const anchors = createAnchors();
  const path: string[] = [];
  let open: Passage = { page: number, headings: [], anchor: '', blocks: [] };
  let words = 0;
  let askedLength = 0;

  function begin(passage: Omit<Passage, 'blocks'>): void {
    open = { ...passage, blocks: [] };
    words = 0;
    askedLength = passage.asked?.join('').length ?? 0;
  }

  /** Begins a passage under one more heading. The whole of one that is too long is text too. */
  function beginUnder(heading: string, lines: Block['lines'], id?: string): void {
    const shown = shorten(heading, longestHeading);
    path.push(shown);
    const given = anchors(shown.replaceAll('`', ''));
    const near: string[] = [];
    for (const each of path.filter(Boolean).reverse())
      if (near.join('').length + each.length <= longestPath) near.unshift(each);
    begin({ page: number, headings: near, anchor: id !== undefined && id.length <= longestHeading ? id : given });
    if (shown !== heading) passages.add({ kind: 'paragraph', text: heading, lines });
  }

  const passages = {
    /** Begins a passage. @param level 1 for the headings of a page that are above all others */
    heading(level: number, heading: string, lines: Block['lines'], id?: string): void {
      path.length = level - 1;
      beginUnder(heading, lines, id);
    },
    /** Adds what `fill` adds under a heading of its own within the last one, which goes on then. */
    within(heading: string, lines: Block['lines'], fill: () => void): void {
      const around = open;
      beginUnder(heading, lines);
      fill();
      path.pop();
      begin(around);
    },
    /** Adds nothing more once the source is larger than it may be. */
    add(block: Block): void {
      if (block.text === '' || corpus.passages.length > mostPassages) return;
      if (block.kind !== 'code' && block.text.length > longestBlock)
        return passages.addAll(block.text.match(part)?.map((text) => ({ ...block, text: text.trim() })) ?? []);
      const count = block.text.split(' ').length;
      if (words > 0 && words + count > mostWords) begin(open);
      if (open.blocks.length === 0) corpus.passages.push(open);
      open.blocks.push(block);
      words += count;
    },
    addAll(blocks: readonly Block[]): void {
      for (const block of blocks) passages.add(block);
    },
    /** Adds other wordings of the last heading. */
    ask(names: readonly string[]): void {
      const length = askedLength + names.join('').length;
      if (names.length === 0 || length > longestAsked) return;
      open.asked = [...(open.asked ?? []), ...names];
      askedLength = length;
    },
  };
  return passages;
}

/** Marks at the end of a line for the site's generator. Where one follows another, the search doesn't begin again. */
const generatorMarks = /(?<!\[!code [^\]\n]{0,50}\] ?)(?: ?\/\/ \[!code [^\]\n]{0,50}\])+$/gm;

/** @param info what stands beside the beginning of the code: its language first */
export function codeBlock(code: string, info: string, lines: Block['lines']): Block {
  const language = /^[\w+#.-]*/.exec(info.trim())?.[0] ?? '';
  // What is above a cut is for the site's generator, too.
  const cut = /^(?:.*\n)?[ \t]*\/\/ ?---cut(?:-before)?---(?:\n|$)|(?<![^\n])[ \t]*\/\/ ?---cut-after---(?:\n.*)?$/gs;
  const whole = /^[jt]sx?$/.test(language) ? code.replace(cut, '') : code;
  const shown = whole.replace(generatorMarks, '');
  return { kind: 'code', text: plainCode(shown).trimEnd().slice(0, longestCode), language, lines };
}

/** A row of a table: the texts of its cells. */
export interface Row {
  cells: string[];
  lines: Block['lines'];
}

/** Returns the rows of a table, each cell with the name of its column. The whole of a name that is too long is text too. */
export function rowBlocks(rows: readonly Row[], head?: Row, mark = '; '): Block[] {
  const columns = (head?.cells ?? []).map((whole) => ({ whole, name: shorten(whole, longestColumn) }));
  const long = columns.filter(({ whole, name }) => whole !== name);
  return [
    ...long.map(({ whole }): Block => ({ kind: 'paragraph', text: whole, lines: head?.lines ?? [0, 0] })),
    ...rows.map(({ cells, lines }): Block => {
      const labelled = cells.map((cell, at) => (cell && columns[at]?.name ? `${columns[at].name}: ${cell}` : cell));
      return { kind: 'row', text: labelled.filter(Boolean).join(mark), name: cells[0] ?? '', lines };
    }),
  ];
}

/** Headings of a passage, the page's title first. */
export function placeOf({ title }: Page, { headings }: Passage): string[] {
  return [...new Set([title, ...headings])].filter(Boolean);
}
