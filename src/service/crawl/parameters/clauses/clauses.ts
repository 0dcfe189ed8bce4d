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
  /** Leaves out the verb of the clause before it, as in `skip the blog, but not the news`. */
  elliptic: boolean;
  /** Can't be expressed, as `unless it is new`. */
  unknown: boolean;
  /** Names what another clause doesn't mean. */
  exception: boolean;
  /** The words that decide its polarity. */
  head: string;
  /** What it is about. */
  text: string;
  /** The number of its sentence. */
  sentence: number;
  /** Whether it is the first of its sentence. */
  isFirst: boolean;
  /** Whether its head follows what may be its subject, as in `the blog not really`. */
  follows: boolean;
}

const maxClauses = 200;
/** Words that may stand between two heads of one clause. */
const joint =
  /^(?:[\s,]|\b(?:to|think|dare|ok|okay|fine|allowed|permitted|acceptable|believe|feel|you|please|also|ever|and|or|nor|me|us|i|we|be|for|even|really|actually|at all|the crawler|it|try|want|like|wish|anything|any pages|in|from|on)\b)*$/i;
const universal =
  /(?:\b(?:everything|every\s?thing|anything|all|all\s+(?:of\s+)?(?:the\s+)?(?:pages|urls|links|sections|content)|(?:every|each|any)\s+(?:page|url|link|section)|any\s+pages|the\s+(?:whole|entire|full|complete)\s+\w+|(?:the|this)\s+(?:web)?site|whole\s+site)|^\s*(?:the\s+)?pages)(?:\s+(?:on|of|in)\s+(?:the|this)\s+\w+)?\s*,?\s*$/i;
/** A denial whose verb isn't known: `do not stop at subdomains` must not deny subdomains. */
const auxiliary =
  /(?:\b(?:do|does|should|must|can|may|shall|will|would|need|could) (?:\w+ly )?not(?: ever)?|\bnever)$/i;
/** Words that deny what follows them, unlike verbs such as `skip`. */
const denial = /\b(?:not|never|without|w\/o|sans|no|nor|none|nothing|refrain\w*|neither)\b/i;
/** The end of a text that what comes next may be about. */
const behindWords = /[\p{L}\p{N}\uE001:](?<!\b(?:and|or|nor|then|please|also|i|we|you))\s*$/iu;
const denialsInText = /^\s*(?:leav|wander|merg|off\b|beyond\b|collaps|combin|de-?dup|unify|be\b|$|,|\uE000)/i;

/** Splits a prompt into clauses, each with the negations that apply to it. Expects numbers as digits. */
export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  let number = 0;
  for (const sentence of activeVoice(text).split(/(?<=\?)(?=\s|$)|[.!](?=\s|$)|[;\n\r]+|\s[–—-]\s|[()]/)) {
    const found = following(clauses[clauses.length - 1], clausesOfSentence(sentence.replace(/\?$/, '')));
    // `Why crawl the blog?`
    if (/^\s*why\b.*\?$/is.test(sentence)) for (const clause of found) clause.unknown = true;
    if (found.length > 0) number++;
    clauses.push(...found.map((clause, index) => ({ ...clause, sentence: number, isFirst: index === 0 })));
    if (clauses.length > maxClauses) break;
  }
  return clauses;
}

/** `Skip the blog. And the reviews.`: a sentence that continues the previous one also continues its denial. */
function following(last: Clause | undefined, [first, ...others]: readonly Clause[]): Clause[] {
  if (!first) return [];
  const isMore = /^\s*(?:and|or|nor|also|plus|same(?:\s+goes)?\s+for|as\s+well\s+as|likewise)\b/i.test(first.text);
  // `Things to skip - the cart, the checkout`, but not `The cart? Never. The checkout`.
  const isOpen =
    last?.headed &&
    !last.unknown &&
    !/[\p{L}\p{N}\uE000]/u.test(last.text) &&
    !/\b(?:not|no|never|none)$/i.test(last.head);
  if (first.headed || last?.wanted !== false || !(isMore || isOpen)) return [first, ...others];
  const denied = { ...first, wanted: false, head: last.head };
  if (isOpen) Object.assign(last, { wanted: true, head: '' });
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
    add(clauses, group, body, sentence.slice(0, group[0]?.start));
  }
  return clauses;
}

const plain: Clause = {
  wanted: true,
  only: false,
  headed: false,
  soft: false,
  uncertain: false,
  elliptic: false,
  unknown: false,
  exception: false,
  head: '',
  text: '',
  sentence: 0,
  isFirst: false,
  follows: false,
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

function add(clauses: Clause[], group: readonly Head[], body: string, lead: string): void {
  const previous = clauses[clauses.length - 1];
  const head = group.map(({ text }) => text).join(' ');
  const first = group[0];
  if (!first) return;
  if (first.kind === 'condition') {
    // To deny something whatever the condition would deny more than the sentence does.
    if (previous && !previous.wanted && !previous.unknown) {
      Object.assign(previous, { unknown: true, text: `${previous.text}${head}${body}` });
    } else clauses.push({ ...plain, headed: true, unknown: true, head, text: body });
    return;
  }
  if (denyBefore(clauses, group, head, body)) return;
  // `the docs only` and `sitemap only`.
  if (
    group.length === 1 &&
    first.kind === 'only' &&
    previous &&
    /^\s*(?:,|$|and\b|plus\b|please\b)/i.test(body) &&
    /\w|\uE000/.test(previous.text)
  ) {
    const [, kept = '', last = ''] = /^(.*,)?([^,]*)$/s.exec(previous.text) ?? [];
    // `don't use the sitemap only` wants more than the sitemap.
    const isNotOnly =
      !previous.wanted && previous.headed && !previous.elliptic && /\bnot\b|\bnever\b/i.test(previous.head);
    if (isNotOnly && kept === '') Object.assign(previous, { wanted: true, soft: true });
    else if (previous.wanted || kept === '') previous.only = previous.wanted;
    else {
      previous.text = kept;
      clauses.push({ ...plain, only: true, headed: true, text: last });
    }
    if (/\w|\uE000/.test(body)) clauses.push({ ...plain, text: body });
    return;
  }
  clauses.push(clauseOf(group, body, head, clauses, lead));
}

/** Denies the last item before a denial at the end, as in `external links are fine but subdomains aren't`. */
function denyBefore(clauses: Clause[], group: readonly Head[], head: string, body: string): boolean {
  const previous = clauses[clauses.length - 1];
  const isAtEnd = /^\s*(?:,|$|and\b|please\b|at all\b)/i.test(body);
  if (!previous?.wanted || !isAtEnd || group.length > 1 || group[0]?.kind !== 'not' || !/not$/i.test(head))
    return false;
  const [, kept = '', last = ''] = /^(.*(?:,|\band\b|\bor\b))?(.*)$/is.exec(previous.text) ?? [];
  if (!/[\p{L}\uE000]/u.test(last)) return false;
  previous.text = kept;
  clauses.push({ ...plain, wanted: false, headed: true, head, text: last });
  if (/\w|\uE000/.test(body)) clauses.push({ ...plain, text: body });
  return true;
}

/** In `the guides but not the old ones, the blog but not the news`, the blog is wanted: only then it can have an exception. */
function splitLast(previous: Clause, clauses: Clause[]): void {
  const [, kept = '', last = ''] = /^(.*),([^,]*)$/s.exec(previous.text) ?? [];
  if (
    previous.wanted ||
    !denial.test(previous.head) ||
    !/[\p{L}\uE000]/u.test(kept) ||
    /^\s*(?:and|or|nor)\b/i.test(last)
  )
    return;
  previous.text = kept;
  clauses.push({ ...plain, text: last });
}

function clauseOf(group: readonly Head[], body: string, head: string, clauses: Clause[], lead: string): Clause {
  const previous = clauses[clauses.length - 1];
  const isBut = group[0]?.kind === 'but';
  const isAfterAll = previous !== undefined && universal.test(previous.text);
  const isOfAll = isAfterAll || /^\s*(?:everything|anything|all|every)\b/i.test(previous?.text ?? '');
  if (isBut && isOfAll && /^but$/i.test(group[0]?.text ?? '') && group.length === 1) {
    return exception(head, body, previous);
  }
  const own = isBut ? group.slice(1) : group;
  // `skip the blog, but not the news` means not to skip the news.
  const isElliptic =
    own.length === 1 && /^not$/i.test(own[0]?.text ?? '') && previous?.wanted === false && !denial.test(previous.head);
  if (isElliptic) return { ...plain, headed: true, soft: true, elliptic: true, head, text: body };
  if (own.length === 0) return { ...plain, headed: true, head, text: body };
  // `everything not in the docs`.
  const isRelative = own.length === 1 && own[0]?.kind === 'not' && isAfterAll && !isBut && !/,\s*$/.test(previous.text);
  if (own[0]?.kind === 'except' || isRelative) return exception(head, body, previous);
  if (isBut && previous) splitLast(previous, clauses);
  const follows =
    own[0]?.kind === 'not' && !isBut && behindWords.test(lead) && !/^(?:without|w\/o|sans)$/i.test(own[0].text);
  const clause: Clause = { ...plain, ...carried(own, previous, isBut), headed: true, head, follows };
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
  // `Skip everything except the docs` asks for the docs alone; `skip the blog except /blog/news` keeps those.
  const isAll =
    outer.text.trim() === '' || universal.test(outer.text) || /^\s*(?:else|pages?|urls?|links?)?\s*$/i.test(outer.text);
  if (!isAll) return { ...plain, headed: true, soft: true, elliptic: true, head, text };
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
  // `Under no pretext visit /admin`: what is denied may go on.
  const goesOn =
    previous?.wanted === false &&
    denial.test(previous.head) &&
    !/(?:,|\b(?:and|or|nor|then|please|do)|:)\s*$/i.test(previous.text);
  if (goesOn && !isBut && verb?.kind === 'positive') return { wanted: true, uncertain: true };
  const isDenied =
    previous?.headed && !previous.wanted && (denial.test(previous.head) || /\bavoid/i.test(previous.head));
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
