import { activeVoice } from './active-voice.ts';
import { type Head, headsOf } from './heads.ts';

/** A part of a sentence that makes one request. */
export interface Clause {
  /** Whether the request wants what the clause is about (true) or doesn't (false). */
  wanted: boolean;
  /** Whether it asks for nothing else. */
  only: boolean;
  /** Whether it starts with a verb or another word that asks for something. */
  headed: boolean;
  /** Denies a denial, as in `don't skip`, or names an example of everything: it asks for nothing that isn't the default. */
  soft: boolean;
  /** Its polarity is uncertain, as that of `follow links` in `don't skip the blog and follow links`. */
  uncertain: boolean;
  /** Can't be expressed, as `unless it is new`. */
  unknown: boolean;
  /** Names what another clause doesn't mean. */
  exception: boolean;
  /** The words that decide its polarity. */
  head: string;
  /** What it is about. */
  text: string;
}

const maxClauses = 200;
/** Words that may stand between two heads of one clause. */
const joint =
  /^(?:[\s,]|\b(?:to|you|please|also|ever|and|or|nor|me|us|i|we|be|for|even|really|actually|at all|the crawler|it|try|want|like|wish|anything|any pages|in|from|on)\b)*$/i;
const universal =
  /(?:\b(?:everything|every\s?thing|anything|all|all\s+(?:of\s+)?(?:the\s+)?(?:pages|urls|links|sections|content)|(?:every|each|any)\s+(?:page|url|link|section)|any\s+pages|the\s+(?:whole|entire|full|complete)\s+\w+|(?:the|this)\s+(?:web)?site|whole\s+site)|^\s*(?:the\s+)?pages)(?:\s+(?:on|of|in)\s+(?:the|this)\s+\w+)?\s*,?\s*$/i;
/** A denial whose verb isn't known: `do not stop at subdomains` must not deny subdomains. */
const auxiliary =
  /(?:\b(?:do|does|should|must|can|may|shall|will|would|need|could) (?:\w+ly )?not(?: ever)?|\bnever)$/i;
const denialsInText = /^\s*(?:leav|wander|merg|collaps|combin|de-?dup|unify|be\b|$|,|\uE000)/i;

/** Splits a prompt into clauses, each with the negations that apply to it. Expects numbers as digits. */
export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of activeVoice(text).split(/[.!?](?=\s|$)|[;\n\r]+|\s[–—-]\s|[()]/)) {
    clauses.push(...following(clauses[clauses.length - 1], clausesOfSentence(sentence)));
    if (clauses.length > maxClauses) break;
  }
  return clauses;
}

/** `Skip the blog. And the reviews.`: a sentence that continues the previous one also continues its denial. */
function following(last: Clause | undefined, [first, ...others]: readonly Clause[]): Clause[] {
  if (!first) return [];
  const isMore = /^\s*(?:and|or|nor|also|plus|same(?:\s+goes)?\s+for|as\s+well\s+as|likewise)\b/i.test(first.text);
  const denied =
    isMore && !first.headed && last?.wanted === false ? { ...first, wanted: false, head: last.head } : first;
  return [denied, ...others];
}

function clausesOfSentence(sentence: string): Clause[] {
  const heads = headsOf(sentence);
  const clauses: Clause[] = [];
  const lead = sentence.slice(0, heads[0]?.start ?? sentence.length);
  if (/\w|\uE000/.test(lead)) clauses.push({ ...plain, text: lead });
  for (let index = 0; index < heads.length; ) {
    const group = groupAt(heads, index, sentence);
    index += group.length;
    const last = group[group.length - 1];
    if (!last) break;
    const body = sentence.slice(last.end, heads[index]?.start ?? sentence.length);
    add(clauses, group, body);
  }
  return clauses;
}

const plain: Clause = {
  wanted: true,
  only: false,
  headed: false,
  soft: false,
  uncertain: false,
  unknown: false,
  exception: false,
  head: '',
  text: '',
};

/** Returns the heads from `index` on that belong to one clause, such as `do not`, `go` and `outside`. */
function groupAt(heads: readonly Head[], index: number, sentence: string): Head[] {
  const group: Head[] = [];
  for (let at = index; at < heads.length; at++) {
    const next = heads[at];
    const previous = group[group.length - 1];
    if (!next) break;
    if (previous) {
      if (next.kind === 'but' || next.kind === 'condition' || previous.kind === 'condition') break;
      const gap = sentence.slice(previous.end, next.start);
      if (!joint.test(gap)) break;
      // `the blog only, skip the docs`: what follows a comma is a separate request.
      if (previous.kind === 'only' && gap.includes(',')) break;
      // `everything except`, but `do not go outside`.
      if (next.kind === 'except' && /anything|any pages/i.test(gap)) break;
    }
    group.push(next);
  }
  return group;
}

function add(clauses: Clause[], group: readonly Head[], body: string): void {
  const previous = clauses[clauses.length - 1];
  const head = group.map(({ text }) => text).join(' ');
  const first = group[0];
  if (!first) return;
  if (first.kind === 'condition') return void clauses.push({ ...plain, headed: true, unknown: true, head, text: body });
  // `the docs only` and `sitemap only`.
  if (
    group.length === 1 &&
    first.kind === 'only' &&
    previous &&
    /^\s*(?:,|$|and\b|plus\b|please\b)/i.test(body) &&
    /\w|\uE000/.test(previous.text)
  ) {
    const [, kept = '', last = ''] = /^(.*,)?([^,]*)$/s.exec(previous.text) ?? [];
    if (previous.wanted || kept === '') previous.only = previous.wanted;
    else {
      previous.text = kept;
      clauses.push({ ...plain, only: true, headed: true, text: last });
    }
    if (/\w|\uE000/.test(body)) clauses.push({ ...plain, text: body });
    return;
  }
  clauses.push(clauseOf(group, body, head, previous));
}

function clauseOf(group: readonly Head[], body: string, head: string, previous: Clause | undefined): Clause {
  const isBut = group[0]?.kind === 'but';
  const isAfterAll = previous !== undefined && universal.test(previous.text);
  if (isBut && isAfterAll && /^but$/i.test(group[0]?.text ?? '') && group.length === 1) {
    return exception(head, body, previous);
  }
  const own = isBut ? group.slice(1) : group;
  if (own.length === 0) return { ...plain, headed: true, head, text: body };
  // `everything not in the docs`.
  const isRelative = own.length === 1 && own[0]?.kind === 'not' && isAfterAll && !isBut && !/,\s*$/.test(previous.text);
  if (own[0]?.kind === 'except' || isRelative) return exception(head, body, previous);
  const clause: Clause = { ...plain, ...carried(own, previous, isBut), headed: true, head };
  let denials = clause.wanted ? 0 : 1;
  let verb: Head | undefined;
  for (const part of own) {
    // `nor` repeats a denial.
    if (part.kind === 'not' && (clause.wanted || !/^nor$/i.test(part.text))) {
      clause.wanted = !clause.wanted;
      denials++;
    } else if (part.kind === 'negative') {
      // `skip or ignore` denies once; `avoid skipping` twice.
      if (verb?.kind !== 'negative' || /ing\b/i.test(part.text)) {
        clause.wanted = !clause.wanted;
        denials++;
      }
      verb = part;
    } else if (part.kind === 'positive') verb = part;
    else if (part.kind === 'only') {
      const isNothingBut = /^no/i.test(part.text);
      // `not only the docs` wants more than the docs.
      if (!clause.wanted && !isNothingBut && denials > 0) {
        clause.wanted = true;
        denials = 2;
      } else {
        clause.only = clause.wanted;
      }
    } else if (part.kind === 'except') return exception(head, body, { ...clause, text: '' });
  }
  clause.soft = clause.wanted && (denials > 1 || (isAfterAll && /^includ/i.test(head)));
  clause.text = body;
  clause.unknown =
    !verb && !clause.only && auxiliary.test(own[own.length - 1]?.text ?? '') && !denialsInText.test(body);
  return clause;
}

/** What `except` names is the opposite of what the clause before it asks for. */
function exception(head: string, text: string, outer: Clause | undefined): Clause {
  if (!outer || outer.wanted) return { ...plain, wanted: false, headed: true, exception: true, head, text };
  // `Skip everything except the docs` asks for the docs alone; `skip the blog except /blog/news` can't be expressed.
  const isAll =
    outer.text.trim() === '' || universal.test(outer.text) || /^\s*(?:else|pages?|urls?|links?)?\s*$/i.test(outer.text);
  if (!isAll) return { ...plain, headed: true, unknown: true, head, text };
  return { ...plain, only: true, headed: true, head, text };
}

/** Returns whether a denial applies to the next clause too: `don't visit the shop or follow external links`. */
function carried(
  group: readonly Head[],
  previous: Clause | undefined,
  isBut: boolean,
): Pick<Clause, 'wanted' | 'uncertain'> {
  const verb = group[0];
  // `do not, under any circumstances, crawl`.
  if (previous?.wanted === false && auxiliary.test(previous.head) && /^\s*,/.test(previous.text))
    return { wanted: false, uncertain: false };
  const isDenied =
    previous?.headed &&
    !previous.wanted &&
    /\b(?:not|never|without|no|nor|refrain\w*|neither|avoid\w*)\b/i.test(previous.head);
  if (isBut || !isDenied || verb?.kind !== 'positive') return { wanted: true, uncertain: false };
  const [joined] = /(?:,\s*)?\b(?:and|or|nor)\s*$/i.exec(previous.text) ?? [];
  if (joined === undefined) {
    // `without following links, visiting subdomains`.
    return { wanted: !(/ing\b/i.test(verb.text) && /,\s*$/.test(previous.text)), uncertain: false };
  }
  const isParallel = /ing\b/i.test(verb.text) && /ing\b/i.test(previous.head);
  if (/or/i.test(joined) || isParallel) return { wanted: false, uncertain: false };
  return { wanted: true, uncertain: !joined.includes(',') };
}
