/** The unit that is found and quoted: a paragraph, a list item, a table row with its header, or a block of code. */
export interface Passage {
  kind: 'paragraph' | 'item' | 'row' | 'code';
  /** Number of the section it stands in, counted over the whole source. */
  section: number;
  /** Plain text; of a row its cells with `: ` and `; ` between them; of code the code itself. */
  text: string;
  /** Cells of a row, by column. */
  cells?: string[];
  /** Number of the table or list it belongs to, unique within the source. */
  group?: number;
  /** Language of a block of code. */
  language?: string;
  /** Lines of the page, counted from 1. */
  lines: [first: number, last: number];
}

/** A heading with all that stands directly under it. */
export interface Section {
  page: number;
  /** Headings from the page's title down to this one, as plain text. */
  headings: string[];
  anchor: string;
  /** Other ways to ask what the heading asks. */
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
  /** What evidence points at, without the anchor: a path such as `limits.md`, or a URL. */
  address: string;
  title: string;
  /** Evidence gets the anchor of its heading: true of markdown files, false of web pages, whose anchors are not known. */
  anchors: boolean;
}

/** The pages of one source, taken apart. */
export interface Corpus {
  pages: Page[];
  sections: Section[];
  groups: Group[];
  passages: Passage[];
}

export function emptyCorpus(): Corpus {
  return { pages: [], sections: [], groups: [], passages: [] };
}
