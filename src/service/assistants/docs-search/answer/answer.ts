import type { Block } from '../index/passages.ts';
import { formsOf, wordsOf } from '../index/words.ts';
import { type Found, type Hit, shareOf, shareWith, sure, sureness, type Word } from './search.ts';

/** An answer from the texts. */
export interface Answer {
  answer: string;
  /** What it was taken from, then the best passages of other pages. */
  evidence: Evidence[];
}

/** A text that supports an answer (specification, "Documentation answer"). */
export type Evidence = { pathOrUrl: string; reason: string };

/** Maximum words of an answer, unless its first block alone is longer. */
const mostWords = 75;
const mostBlocks = 3;
const mostNames = 30;
/** Pages that evidence names. */
const mostPages = 5;
/** Passages of other pages must have this share of the best one's score. */
const worthNaming = 0.3;
/** Words of a question that asks for code. */
const codeWords = /\b(?:examples?|samples?|snippets?|code|curl)\b/i;
/** What a question asks for code in: "in Node", "with curl". */
const askedLanguage = /\b(?:in|with|for|using) ([a-z][\w.+#]*[\w+#])/g;
/** Names of the same language, as questions and blocks of code have them. */
const languageNames = [
  ['js', 'javascript', 'jsx', 'mjs', 'node', 'node.js', 'nodejs', 'ts', 'tsx', 'typescript'],
  ['py', 'python'],
  ['go', 'golang'],
  ['sh', 'bash', 'shell', 'console', 'curl'],
];

/** Answers with the block of the best passage's section that has most of the question, and at most two more of the section; undefined when nothing answers it. */
export function answerFrom(question: string, found: Found): Answer | undefined {
  const { words, hits } = found;
  const [best] = hits;
  if (!best || sureness(found) < sure) return undefined;
  const { page, anchor } = best.passage;
  const section = best.source.corpus.passages.filter((one) => one.page === page && one.anchor === anchor);
  const blocks = section.flatMap((passage) => passage.blocks);
  const prose = blocks.filter(({ kind }) => kind !== 'code');
  const chosen = choose(prose.length > 0 ? prose : blocks, words, best);
  const asked = codeAskedFor(question, blocks);
  const introduced = chosen.filter(({ text }) => text.endsWith(':')).map((block) => blocks[blocks.indexOf(block) + 1]);
  const code = [asked, ...introduced].filter((block) => block?.kind === 'code');
  const all = [...new Set([...chosen, ...code])].filter((block) => block !== undefined);
  return {
    answer: all.map((block) => render(block, blocks, words, best)).join('\n\n'),
    evidence: evidenceOf(hits, all),
  };
}

/** The code in the language that a question names, or the first one if it asks for code in any. */
function codeAskedFor(question: string, blocks: readonly Block[]): Block | undefined {
  const codes = blocks.filter(({ kind }) => kind === 'code');
  const names = [...question.toLowerCase().matchAll(askedLanguage)].map(([, name = '']) => name);
  const alike = names.flatMap((name) => languageNames.find((all) => all.includes(name)) ?? []);
  const inLanguage = [...names, ...alike].map((name) => codes.find(({ language }) => language?.toLowerCase() === name));
  return inLanguage.find(Boolean) ?? (codeWords.test(question) ? codes[0] : undefined);
}

/** A further row must have a word of the question that those before lack, or be named by one. */
function choose(blocks: readonly Block[], words: readonly Word[], { source }: Hit): Block[] {
  const share = new Map(blocks.map((block) => [block, shareWith(words, block.name ?? '', block.text, source)]));
  const has = (text: string, word: Word) => shareOf([word], text, source) > 0;
  const chosen: Block[] = [];
  for (const block of [...blocks].sort((one, other) => (share.get(other) ?? 0) - (share.get(one) ?? 0))) {
    const text = chosen.map((one) => one.text).join('\n');
    const [name, ...more] = wordsOf(block.name ?? '').map((word) => formsOf(word)[0]);
    const isNamed = more.length === 0 && words.some(({ forms }) => forms[0] === name);
    const adds = words.some((word) => has(block.text, word) && (block.kind !== 'row' || isNamed || !has(text, word)));
    if (chosen.length === 0 || (adds && countWords(text) + countWords(block.text) <= mostWords)) chosen.push(block);
    if (chosen.length === mostBlocks) break;
  }
  return chosen;
}

/** Writes a block. A row that has no word of the question stands for its table: the names of all rows. */
function render(block: Block, blocks: readonly Block[], words: readonly Word[], { source }: Hit): string {
  if (block.kind === 'code') return fenced(block);
  if (!block.column || shareOf(words, block.text, source) > 0) return block.text;
  const names = blocks.flatMap(({ column, name }) => (column === block.column && name ? [name] : []));
  return `${block.column}: ${names.slice(0, mostNames).join(', ')}`;
}

function fenced({ text, language = '' }: Block): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns the best passages of distinct pages, best first. For the first one, `blocks` are what is quoted. */
export function evidenceOf(hits: readonly Hit[], blocks: readonly Block[] = []): Evidence[] {
  const pages = new Map<unknown, Evidence>();
  for (const hit of hits) {
    const { anchor, page: number } = hit.passage;
    const page = hit.source.corpus.pages[number];
    const isWorth = hit.score >= (hits[0]?.score ?? 0) * worthNaming;
    if (!page || !isWorth || pages.size === mostPages || pages.has(page)) continue;
    const pathOrUrl = page.anchors && anchor ? `${page.address}#${anchor}` : page.address;
    pages.set(page, { pathOrUrl, reason: reasonOf(hit, pages.size === 0 ? blocks : []) });
  }
  return [...pages.values()];
}

const kinds = { row: 'Table row', item: 'List item', paragraph: 'Paragraph', code: 'Code' } as const;

/** Says what is cited: the quoted blocks, else the passage as a whole. */
function reasonOf({ passage }: Hit, blocks: readonly Block[]): string {
  const heading = passage.headings.at(-1);
  const place = heading ? ` under "${heading}"` : '';
  const linesOf = (first = 1, last = first) => (first === last ? `line ${first}` : `lines ${first}-${last}`);
  if (blocks.length === 0)
    return `Text${place}, ${linesOf(passage.blocks[0]?.lines[0], passage.blocks.at(-1)?.lines[1])}`;
  return blocks
    .map(({ kind, name, lines }) => `${name ? `${kinds[kind]} ${name}` : kinds[kind]}${place}, ${linesOf(...lines)}`)
    .join('; ');
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
