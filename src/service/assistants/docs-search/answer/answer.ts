import { fencedLines } from '../../../web/scrape/convert/markdown/escapes.ts';
import type { Block } from '../index/passages.ts';
import { sum } from '../index/search-index.ts';
import { termsOf } from '../index/words.ts';
import { type Found, foundIn, type Hit, sure, sureness, type Word, weightOf } from './search.ts';

/** An answer from the texts, and what it was taken from, then the best passages of other pages. */
export type Answer = { answer: string; evidence: Evidence[] };
/** A text that supports an answer (specification, "Documentation answer"). */
export type Evidence = { pathOrUrl: string; reason: string };

/** Maximum words of an answer, unless its first block alone is longer. */
const mostWords = 75;
const mostBlocks = 3;
/** Pages that evidence names. */
const mostPages = 5;
/** Passages of other pages must have this share of the best one's score. */
const worthNaming = 0.3;
/** Words of a question that asks for code. */
const codeWords = /\b(?:examples?|samples?|snippets?|code|curl)\b/i;
/** Names of the same language, as questions and blocks of code have them. */
const languageNames = [
  ['js', 'javascript', 'jsx', 'mjs', 'node', 'node.js', 'nodejs', 'ts', 'tsx', 'typescript'],
  ['py', 'python'],
  ['sh', 'bash', 'shell', 'console', 'curl'],
];

/** Answers with the block of the best passage's section that has most of the question, and at most two more of the section; undefined when nothing answers it. */
export function answerFrom(question: string, found: Found): Answer | undefined {
  const { words, hits } = found;
  const [best] = hits;
  if (!best || sureness(found) < sure) return undefined;
  const blocks = best.source.sectionOf(best.passage).flatMap((passage) => passage.blocks);
  const prose = blocks.filter(({ kind }) => kind !== 'code');
  const chosen = choose(prose.length > 0 ? prose : blocks, words, best);
  const introduced = chosen.filter(({ text }) => text.endsWith(':')).map((block) => blocks[blocks.indexOf(block) + 1]);
  const code = [codeAskedFor(question, blocks), ...introduced].filter((block) => block?.kind === 'code');
  const all = [...new Set([...chosen, ...code])].filter((block) => block !== undefined);
  return {
    answer: all
      .map((block) => (block.kind === 'code' ? fencedLines(block.text, block.language ?? '').join('\n') : block.text))
      .join('\n\n'),
    evidence: evidenceOf(hits, all),
  };
}

/** The code in a language that a question names, or the first one if it asks for code in any. */
function codeAskedFor(question: string, blocks: readonly Block[]): Block | undefined {
  const codes = blocks.filter(({ kind }) => kind === 'code');
  const asked = question.toLowerCase().match(/[a-z][\w.+#]*[\w+#]/g) ?? [];
  const inLanguage = codes.find(({ language = '' }) => {
    const names = languageNames.find((all) => all.includes(language)) ?? [language];
    return asked.some((word) => names.includes(word));
  });
  return inLanguage ?? (codeWords.test(question) ? codes[0] : undefined);
}

/** Chooses the blocks that have most of the question, best first. A further row must have a word of it that those before lack, be named by one, or have as much as the first. */
function choose(blocks: readonly Block[], words: readonly Word[], { source }: Hit): Block[] {
  const found = new Map(blocks.map((block) => [block, foundIn(words, block.text, source)]));
  const weight = (block: Block) => weightOf(found.get(block) ?? []);
  const [first, ...others] = [...blocks].sort((one, other) => weight(other) - weight(one));
  if (!first) return [];
  const chosen = [first];
  for (const block of others) {
    if (chosen.length === mostBlocks || weight(block) === 0) break;
    const [name, ...more] = termsOf(block.name ?? '');
    const isNamed = more.length === 0 && words.some(({ forms }) => forms[0] === name);
    const said = chosen.flatMap((one) => found.get(one) ?? []);
    const isNew = isNamed || weight(block) === weight(first) || found.get(block)?.some((word) => !said.includes(word));
    const count = sum([...chosen, block].map(({ text }) => countWords(text)));
    if ((block.kind !== 'row' || isNew) && count <= mostWords) chosen.push(block);
  }
  return chosen;
}

/** Returns the best passages of distinct pages, best first. For the first one, `blocks` are what is quoted. */
export function evidenceOf(hits: readonly Hit[], blocks: readonly Block[] = []): Evidence[] {
  const pages = new Map<string, Evidence>();
  for (const hit of hits) {
    const { page, passage } = hit;
    const { anchor } = passage;
    const isWorth = hit.score >= (hits[0]?.score ?? 0) * worthNaming;
    if (!isWorth || pages.size === mostPages || pages.has(page.address)) continue;
    const pathOrUrl = page.anchors && anchor ? `${page.address}#${anchor}` : page.address;
    pages.set(page.address, { pathOrUrl, reason: reasonOf(hit, pages.size === 0 ? blocks : []) });
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
