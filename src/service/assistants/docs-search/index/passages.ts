/** The unit of search and quotation: a paragraph, a list item, a table row with its header, or a block of code. */
export interface Passage {
  kind: 'paragraph' | 'item' | 'row' | 'code';
  /** Index of its section in the source. */
  section: number;
  /** Plain text; for a row its cells joined with `: ` and `; `; for code the code itself. */
  text: string;
  /** Cells of a row, by column. */
  cells?: string[];
  /** Index of its table or list in the source. */
  group?: number;
  /** Language of a block of code. */
  language?: string;
  /** Lines of the page, counted from 1. */
  lines: [first: number, last: number];
}

/** A heading with the content directly under it. */
export interface Section {
  page: number;
  /** The headings from the page's title to this one, as plain text. */
  headings: string[];
  anchor: string;
  /** Other wordings of the heading. */
  asked?: string[];
}

/** A table or list. */
export interface Group {
  /** Names of a table's columns. */
  columns?: string[];
  /** The paragraph right before it, when that ends with a colon. */
  lead?: string;
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
  sections: Section[];
  groups: Group[];
  passages: Passage[];
}

export function emptyCorpus(): Corpus {
  return { pages: [], sections: [], groups: [], passages: [] };
}
