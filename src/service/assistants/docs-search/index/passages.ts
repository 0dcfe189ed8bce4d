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

/** Headings of a passage, the page's title first. */
export function placeOf({ title }: Page, { headings }: Passage): string[] {
  return [...new Set([title, ...headings])].filter(Boolean);
}
