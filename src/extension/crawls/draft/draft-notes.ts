import * as l10n from '@vscode/l10n';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { leftOutCount, leftOutReason, leftOutText } from '../../ui/text/page-texts.ts';
import { count, label, shortAddress } from '../../ui/text/text.ts';
import { type CrawlDraft, parameterOffsets, readDraft, stillFromSentence } from './draft.ts';

/** What is said behind a line of a draft. */
export interface DraftNote {
  /** Where the line's parameter begins; 0 for the first line. */
  offset: number;
  text: string;
  hover: string;
  /** Whether the user's sentence set the value in the line. */
  isFromSentence: boolean;
}

/** Reasons and lists that a line names; its hover has all. */
const maxNamed = 2;
/** Columns that a line may have with its note, and characters that a note has at least: editors are narrow beside a live view. */
const maxColumns = 80;
const minLength = 40;

/** The parameter that leaves pages out, by reason; the start URL otherwise. */
const causes: Readonly<Record<string, readonly string[]>> = {
  limit: ['limit'],
  depth: ['maxDepth', 'maxDiscoveryDepth'],
  include: ['includePaths'],
  exclude: ['excludePaths'],
  robots: ['ignoreRobotsTxt'],
  section: ['crawlEntireDomain'],
  host: ['allowExternalLinks'],
  query: ['ignoreQueryParameters'],
};

/** Returns the parameter of a draft that leaves pages out. */
export function causeOf({ reason }: LeftOutPages, parameters: ReadonlyMap<string, unknown>): string {
  return causes[reason]?.find((name) => parameters.has(name)) ?? 'url';
}

/** Returns what is said behind the lines of a draft: what its sentence set, and what each parameter leaves out. */
export function notesOf(text: string, draft: CrawlDraft, leftOut: readonly LeftOutPages[]): DraftNote[] {
  const offsets = parameterOffsets(text);
  const fromSentence = new Set(stillFromSentence(text, draft.fromSentence));
  const read = readDraft(text);
  const start = 'values' in read ? read.values.url : undefined;
  const notes = draft.sentence === undefined ? [] : [noteOnSentence(draft, draft.sentence, fromSentence.size > 0)];
  for (const [name, offset] of offsets) {
    const isFromSentence = fromSentence.has(name);
    const lists = isFromSentence && name === 'includePaths' ? (draft.lists ?? []) : [];
    const pages = leftOut.filter((each) => causeOf(each, offsets) === name);
    // What is missing comes first: a long note is cut.
    const texts = (isShort: boolean) => [
      ...(pages.length > 0 ? [leftOutNote(pages, String(start), name === 'url', isShort)] : []),
      ...(isFromSentence ? [originOf(draft, name)] : []),
      ...(lists.length > 0 ? [l10n.t('lists are read only for their links: {0}', pathsOf(lists))] : []),
    ];
    const whole = texts(false).join(' · ');
    if (whole === '') continue;
    const room = roomAt(text, offset);
    const shown = whole.length > room ? cutNote(texts(false)[0], texts(true), room) : whole;
    const hovers = [
      ...(shown === whole ? [] : [whole]),
      ...(isFromSentence && draft.sentence !== undefined ? [fromText(label(draft.sentence, 300))] : []),
      ...(lists.length > 0 ? [listsText(lists)] : []),
      ...pages.map((each) => [`${leftOutReason(each)}:`, ...each.examples.map((url) => label(url, 200))].join('\n')),
    ];
    notes.push({ offset, text: shown, hover: hovers.join('\n'), isFromSentence });
  }
  return notes;
}

/** Returns how many characters a note behind the line of an offset may have. */
function roomAt(text: string, offset: number): number {
  const lineEnd = text.indexOf('\n', offset);
  const line = text.slice(text.lastIndexOf('\n', offset) + 1, lineEnd === -1 ? undefined : lineEnd);
  return Math.max(minLength, maxColumns - line.length);
}

/** Joins as many parts of a note as there is room for; the first one as a whole, if the second one fits beside it. */
function cutNote(whole = '', [short = '', ...others]: readonly string[], room: number): string {
  let note = whole.length + (others[0]?.length ?? 0) > room ? label(short, room) : whole;
  for (const part of others) {
    if (note.length + part.length > room) return `${note} …`;
    note += ` · ${part}`;
  }
  return note;
}

/** Says what a sentence can set, for one that wasn't understood as a whole. */
export function settingsText(): string {
  return l10n.t(
    "A sentence can set: which parts of the site to crawl or skip, by their name or path; how many pages, levels or clicks; the pause between requests; the sitemap, robots.txt, query parameters, similar pages, subdomains and other websites. Pages can't be chosen by what is on them, such as a price or an author.",
  );
}

function noteOnSentence(draft: CrawlDraft, sentence: string, isSet: boolean): DraftNote {
  const short = label(sentence, 60);
  // The line above names what wasn't understood.
  const text =
    draft.notUnderstood?.length || draft.notFound?.length
      ? l10n.t('Understood: parts of the site, limits, depth, pauses…')
      : isSet
        ? fromText(short)
        : Object.keys(draft.fromSentence).length > 0
          ? l10n.t('You changed everything that “{0}” had set', short)
          : l10n.t('“{0}” sets no parameters', short);
  const hover = [fromText(label(sentence, 300)), settingsText()].join('\n');
  return { offset: 0, text, hover, isFromSentence: false };
}

function fromText(sentence: string): string {
  return l10n.t('From your description: {0}', sentence);
}

/** Says where a parameter comes from: the words of the sentence, or a language model. */
function originOf({ sources, guessed, purpose }: CrawlDraft, name: string): string {
  if (purpose !== undefined) return purpose;
  if (guessed?.includes(name)) return l10n.t("the model's guess: check it before you start");
  const words = sources?.[name]?.map((part) => l10n.t('“{0}”', label(part, 40))).join(', ');
  return words ? l10n.t('from {0}', words) : l10n.t('from your description');
}

type Lists = NonNullable<CrawlDraft['lists']>;

function pathsOf(lists: Lists): string {
  const paths = lists.slice(0, maxNamed).map(({ path }) => label(path, 40));
  return [...paths, ...(lists.length > maxNamed ? ['…'] : [])].join(', ');
}

function listsText(lists: Lists): string {
  return [
    l10n.t(
      'These pages only list what you ask for, so they are read for their links. To keep them, edit includePaths.',
    ),
    ...lists.map(({ path, pages, leadsTo }) =>
      l10n.t('{0}: {1}, with links to up to {2} others', label(path, 200), count(pages, 'page'), leadsTo),
    ),
  ].join('\n');
}

/**
 * Says what a line leaves out: `leaves out 12 pages, such as /blog`. That of the start URL has any reason, and names it.
 * @param isShort whether only the first reason is named, without an example
 */
function leftOutNote(pages: readonly LeftOutPages[], start: string, namesReason: boolean, isShort: boolean): string {
  const most = [...pages].sort((one, other) => other.count - one.count);
  const named = most.slice(0, isShort ? 1 : maxNamed);
  const parts = named.map((each) => {
    const [example] = isShort ? [] : each.examples;
    const such = example === undefined ? '' : l10n.t(', such as {0}', pathOf(example, start));
    return `${namesReason ? leftOutText(each) : leftOutCount(each)}${such}`;
  });
  if (most.length > named.length) parts.push('…');
  return l10n.t('leaves out {0}', parts.join('; '));
}

/** Returns the path of a page, which is short enough for a line; on other websites its address. */
function pathOf(url: string, start: string): string {
  const parsed = URL.parse(url);
  const isHere = parsed && parsed.host === URL.parse(start)?.host;
  return isHere ? label(parsed.pathname + parsed.search, 40) : shortAddress(url, 40);
}
