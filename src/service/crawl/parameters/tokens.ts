import type { Draft } from './draft.ts';

/** A part of a sentence that is read as one thing, whatever words it contains. */
export type Token =
  /** A fragment is a part of a URL. */
  | { kind: 'path' | 'quoted' | 'file-type' | 'fragment'; value: string; text: string }
  /** An amount; `bounded` if its own words make it a limit, as in `at most 5 pages`. */
  | {
      kind: 'amount';
      name: 'limit' | 'maxDepth' | 'maxDiscoveryDepth' | 'delay';
      value: number;
      bounded: boolean;
      text: string;
    }
  | { kind: 'agent'; value: string; text: string }
  /** Something recognized that no parameter expresses, such as `at least 5 pages`. */
  | { kind: 'unknown'; text: string };

const open = '\uE000';
const close = '\uE001';
/** Marks that what follows, up to the end of the clause, is named for an unclear reason. */
export const unclear = '\uE003';

/** Source of a pattern that matches the place of a token; its group is the token's number. */
export const tokenSource = `${open}(\\d+)${close}`;

/** The tokens of a sentence. Each is replaced in the text by a mark that isn't a word. */
export class Tokens {
  #tokens: Token[] = [];

  /** Adds a token and returns the mark for it. */
  add(token: Token): string {
    return ` ${open}${this.#tokens.push(token) - 1}${close} `;
  }

  at(index: string | number | undefined): Token | undefined {
    return this.#tokens[Number(index)];
  }

  /** Returns a text with its tokens written out. */
  written(text: string): string {
    let whole = text;
    // A token's own text can contain earlier tokens.
    for (let depth = 0; depth < 4 && whole.includes(open); depth++) {
      whole = whole.replace(new RegExp(tokenSource, 'g'), (_, index: string) => this.at(index)?.text ?? '');
    }
    return whole
      .replaceAll(unclear, '')
      .replace(/\s+/g, ' ')
      .replace(/ (?=[,.;])/g, '')
      .replace(/^[\s,]+|[\s,]+$/g, '');
  }
}

/** Removes the marks that a prompt may contain itself. */
export function withoutMarks(text: string): string {
  return text.replace(/[\uE000-\uE003]/g, ' ');
}

const agentName = '(?:"([^"]{1,200})"|([A-Za-z][\\w./-]*\\w))';
const agents = [
  new RegExp(
    `(?:\\b(?:use|using|with|set|as)\\s+)*(?:\\b(?:the|a)\\s+)?(?:robots(?:\\.txt)?\\s+)?\\buser[\\s-]?agent\\b(?:\\s+(?:string|name|for\\s+robots(?:\\.txt)?))*(?:\\s+(?:is|of|named|called|as|to|should\\s+be|be))*\\s*[:=]?\\s*${agentName}(?:\\s+(?:for|in)\\s+(?:the\\s+)?robots(?:\\.txt)?)?`,
    'gi',
  ),
  new RegExp(
    `\\b(?:identify(?:ing)?\\s+(?:yourself\\s+)?as|pretend(?:ing)?\\s+to\\s+be|act(?:ing)?\\s+as|crawl(?:ing)?\\s+as|pos(?:e|ing)\\s+as)\\s+(?:an?\\s+|the\\s+)?${agentName}`,
    'gi',
  ),
  /\b(?:follow|obey|respect|use|apply|with)\s+(?:the\s+)?(?:robots(?:\.txt)?\s+)?rules\s+(?:for|of)\s+(?:"([^"]{1,200})"|([A-Za-z][\w-]*bot)\b)/gi,
];

/** Replaces user agents, URLs, paths, quotations and file types by tokens, so that their words aren't read as a request. */
export function markLiterals(text: string, tokens: Tokens): string {
  let marked = text;
  for (const pattern of agents) {
    marked = marked.replace(pattern, (whole, quoted: string | undefined, bare: string | undefined) =>
      tokens.add({ kind: 'agent', value: quoted ?? bare ?? '', text: whole }),
    );
  }
  return marked
    .replace(/https?:\/\/[^\s,;"')]+/gi, (link) => {
      const url = URL.parse(link.replace(/[.!?]+$/, ''));
      return url && url.pathname !== '/' ? tokens.add({ kind: 'path', value: url.pathname, text: link }) : ' the site ';
    })
    .replace(/"(\/[^"]{1,100})"/g, (text, value: string) => tokens.add({ kind: 'path', value, text }))
    .replace(/(?<![\w/.*])\/[\w\-.~%*@+/]*[\w*~%/]/g, (path) =>
      /\w/.test(path) ? tokens.add({ kind: 'path', value: path, text: path }) : ' ',
    )
    .replace(/"([^"]{1,100})"/g, (text, value: string) => tokens.add({ kind: 'quoted', value, text }))
    .replace(
      /(?<![\w.]|\b(?:as|into|to)\s(?:an?\s)?)(?:\*?\.([a-z]\w{1,4})\b(?:\s+(?:files?|pages?|urls?|links?))?|(pdf|docx|xlsx?|pptx?|csv|zip)s?\b(?:\s+(?:files?|documents?))?)/gi,
      (text, dotted: string | undefined, bare: string | undefined) =>
        tokens.add({ kind: 'file-type', value: (dotted ?? bare ?? '').toLowerCase(), text }),
    );
}

/** A token that stands for a number of pages, levels, links or seconds. */
export type Amount = Extract<Token, { kind: 'amount' }>;

/** Sets an amount; undefined if its value isn't allowed. */
export function setAmount(draft: Draft, { name, value }: Amount): void {
  draft[name] = value;
}
