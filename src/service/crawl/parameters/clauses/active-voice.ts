import { unclear } from '../tokens.ts';

/** Participles, each with the verb that the rules know. */
const verbs: Record<string, string> = {
  skipped: 'skip',
  ignored: 'ignore',
  excluded: 'exclude',
  omitted: 'omit',
  avoided: 'avoid',
  'left out': 'skip',
  'left alone': 'skip',
  dropped: 'drop',
  removed: 'remove',
  stripped: 'strip',
  disregarded: 'disregard',
  bypassed: 'bypass',
  crawled: 'crawl',
  scraped: 'crawl',
  fetched: 'crawl',
  visited: 'visit',
  read: 'crawl',
  included: 'include',
  followed: 'follow',
  used: 'use',
  allowed: 'allow',
  respected: 'respect',
  obeyed: 'obey',
  honoured: 'obey',
  honored: 'obey',
  kept: 'keep',
  treated: 'treat',
  merged: 'merge',
  deduplicated: 'deduplicate',
};
const participles = Object.keys(verbs).join('|').replaceAll(' ', '\\s+');

const modal =
  "(?:should|must|can|may|shall|ought\\s+to|ha(?:s|ve)\\s+to|needs?(?:\\s+to)?|(?:is|are)\\s+(?:not\\s+)?to|do(?:es)?\\s+(?:not|n['’]?t)\\s+(?:need|have)\\s+to|(?:should|must|need|do|does|ca)n['’]?t(?:\\s+(?:need|have)\\s+to)?|cannot)";
const passive = new RegExp(
  `\\s+(?<modal>${modal})(?:\\s+(?:only|all|both|also|please))?(?<not>\\s+(?:not|never))?(?:\\s+(?:only|all|both|also))?\\s+be\\s+(?:completely\\s+|entirely\\s+)?(?<participle>${participles})\\b`,
  'i',
);
/** `make sure the blog is skipped` */
const ensured = new RegExp(
  `\\s+(?<modal>(?:is|are|gets?))(?<not>\\s+(?:not|never))?\\s+(?<participle>${participles})\\b(?:\\s+(?:from|in)\\s+(?:this|it))?(?!\\s+(?:by|in|on|from)\\b)`,
  'i',
);
/** Phrases that mark something as unwanted. */
const unwanted =
  /\s+(?:(?:(?:(?:is|are)\s+)?not|(?:is|are)n['’]?t)\s+(?:wanted|needed|relevant|interesting|of\s+(?:any\s+)?interest|required|necessary|allowed|permitted|important|useful|part\s+of\s+(?:it|this|the\s+\w+)|in\s+scope)|(?:(?:should|must|may|can|shall|ought\s+to)\s*(?:not|n['’]?t)|cannot)\s+be\s+(?:part\s+of|in|on|among)\s+(?:it|this|the\s+(?:crawl\w*|results?|scope|index|output|list|data\w*))|(?:is|are)\s+(?:strictly\s+)?(?:off[\s-]limits|out\s+of\s+scope|forbidden|prohibited|taboo|banned|unwanted|unnecessary|irrelevant(?:\s+(?:to|for)\s+\w+)?|useless)|(?:can|should|must|may)\s+(?:go|stay\s+out|be\s+out\s+of\s+scope)(?=\s*(?:[.,;!]|$))|(?:is|are)\s+of\s+no\s+(?:interest|use)|(?:do(?:es)?\s+not|do(?:es)?n['’]?t)\s+(?:matter|interest\s+(?:me|us)|apply))(?!\s+(?:if|whether|how|when|where))/i;

/** Phrases that ask for something. */
const needed =
  /\s+(?:is|are)\s+(?:also\s+|all\s+)?(?:needed|wanted|required|(?:what|all|everything)\s+(?:that\s+)?(?:i|we)\s+(?:want|need|care\s+about))(?=\s*(?:[.,;!]|$|but\b|and\b|while\b|though\b))/i;
const sole =
  /\s+(?:is|are)\s+the\s+only\s+(?:\w+\s+)?(?:that\s+)?(?:(?:i|we)\s+(?:want|need|care\s+about)|(?:wanted|needed))(?=\s*(?:[.,;!]|$))/i;
/** Phrases that mark something as welcome. */
const welcome =
  /\s+(?:(?:is|are)\s+(?:also\s+|all\s+)?(?:fine|ok|okay|allowed|permitted|welcome|in\s+scope)|(?:can|should|may|must)\s+stay(?:\s+in)?)(?=\s*(?:[.,;!]|$|but\b|and\b|while\b|though\b))/i;
/** `careers excluded`, at the end of a part of a sentence. */
const absolute = new RegExp(
  `(?<=[\\p{L}\\p{N}\uE001]\\s*)\\s(?<participle>${participles.replace('|read|', '|').replace('|used|', '|')})(?=\\s*(?:[.,;!:)]|$|and\\b))`,
  'iu',
);

const universal = /^\s*(?:crawl\s+)?(?:everything|all|every|the\s+(?:whole|entire|full))\b|\bonly\s*$/i;
/** Boundaries that a subject can't span: ends of sentences, and `but` unless it introduces an exclusion. */
const breaks =
  /([.;!?](?=\s|$)|[\n\r]+|(?<!\b(?:everything|anything|nothing|all|pages|none)),?\s+\b(?:but|while|whereas|however|though|although)\b)/i;
const connectors = /^[\s,:–-]*(?:(?:and|also|then|so|please|plus)\s+)*/i;
const pronoun = /(?:^|\s)(?:it|this|that|these|those|they|which|what|there|who|you|we|I)$/i;
/** A command before another one in the same sentence. */
const command =
  /\b(?:crawl|scrape|get|fetch|take|want|need|skip|exclude|include|ignore|follow|use|wait|limit|stop|visit|stay|keep|go)\b/i;

/** Rewrites the passive voice as commands: `the archive should be skipped` becomes `skip the archive`. */
export function activeVoice(text: string): string {
  return text
    .replace(/[^\S\r\n]+/g, ' ')
    .split(breaks)
    .map((part, index) => (index % 2 === 0 ? rewritten(part) : part))
    .join('');
}

function rewritten(part: string): string {
  let done = '';
  let rest = part;
  for (;;) {
    const found = firstOf(rest);
    if (!found) return done + rest;
    const after = rest.slice(found.end);
    const { before, subject } = subjectOf(rest.slice(0, found.start));
    const predicate = subject === undefined ? /^\s*(?:are|is|:)(?:\s*:)?\s+/.exec(after) : undefined;
    if (predicate) {
      // `pages that should be skipped are /a` becomes `skip /a`.
      done += `${before.replace(/(?:\S+\s+){1,3}(?:that|which|what)\s*$/i, '')} ; ${found.phrase} `;
      rest = after.slice(predicate[0].length);
      continue;
    }
    done += subject === undefined ? rest.slice(0, found.end) : `${before} ; ${requestOf(found.phrase, subject)}`;
    rest = after;
  }
}

/** In `the docs, the forum should be skipped`, what the docs are named for is unclear. */
function requestOf(phrase: string, subject: string): string {
  const [, others, last] = /^(.*),\s*([^,]+)$/s.exec(subject) ?? [];
  if (others !== undefined && universal.test(others)) return `${others} ; ${phrase} ${last}`;
  if (others === undefined || /\b(?:and|or|nor)\b|&/i.test(last ?? '')) return `${phrase} ${subject}`;
  return `${unclear} ${others} ; ${phrase} ${last}`;
}

interface Found {
  start: number;
  end: number;
  phrase: string;
}

function firstOf(text: string): Found | undefined {
  const verbOf = (groups: Record<string, string | undefined>) =>
    verbs[(groups.participle ?? '').toLowerCase().replace(/\s+/g, ' ')] ?? '';
  const found = (
    [
      [
        passive,
        (groups) =>
          groups.not !== undefined || /n['’]?t\b|not\b/i.test(groups.modal ?? '')
            ? `do not ${verbOf(groups)}`
            : verbOf(groups),
      ],
      [ensured, (groups) => (groups.not === undefined ? verbOf(groups) : `do not ${verbOf(groups)}`)],
      [absolute, verbOf],
      [unwanted, () => 'ignore'],
      [needed, () => 'include'],
      [sole, () => 'only'],
      [welcome, () => 'do not skip'],
    ] satisfies [RegExp, (groups: Record<string, string | undefined>) => string][]
  ).flatMap(([pattern, phrase]): Found[] => {
    const match = pattern.exec(text);
    return match
      ? [{ start: match.index, end: match.index + match[0].length, phrase: phrase(match.groups ?? {}) }]
      : [];
  });
  return found.sort((one, other) => one.start - other.start)[0];
}

/** Splits the subject of a verb off the end of a text; undefined if it can't be determined. */
function subjectOf(text: string): { before: string; subject: string | undefined } {
  const [lead = ''] = connectors.exec(text) ?? [];
  let from = lead.length;
  if (command.test(text.slice(from))) {
    const cut = /^(.*)(?:,|\s+and\s)/is.exec(text)?.[1];
    if (cut === undefined || !command.test(cut)) return { before: text, subject: undefined };
    from = cut.length + (connectors.exec(text.slice(cut.length))?.[0].length ?? 0);
  }
  const subject = text.slice(from).trim();
  return { before: text.slice(0, from), subject: subject === '' || pronoun.test(subject) ? undefined : subject };
}
