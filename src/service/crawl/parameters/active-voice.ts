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
  "(?:should|must|can|may|shall|ought\\s+to|ha(?:s|ve)\\s+to|needs?(?:\\s+to)?|(?:is|are)\\s+to|do(?:es)?\\s+(?:not|n['’]?t)\\s+(?:need|have)\\s+to|(?:should|must|need|do|does|ca)n['’]?t(?:\\s+(?:need|have)\\s+to)?|cannot)";
const passive = new RegExp(
  `\\s+(?<modal>${modal})(?:\\s+(?:only|all|both|also|please))?(?<not>\\s+(?:not|never))?(?:\\s+(?:only|all|both|also))?\\s+be\\s+(?:completely\\s+|entirely\\s+)?(?<participle>${participles})\\b`,
  'i',
);
/** `make sure the blog is skipped` */
const ensured = new RegExp(
  `\\s+(?<modal>(?:is|are|gets?))(?<not>\\s+(?:not|never))?\\s+(?<participle>${participles})\\b(?!\\s+(?:by|in|on|from)\\b)`,
  'i',
);
/** Phrases that mark something as unwanted. */
const unwanted =
  /\s+(?:(?:(?:is|are)\s+not|(?:is|are)n['’]?t)\s+(?:wanted|needed|relevant|interesting|of\s+(?:any\s+)?interest|required|necessary)|(?:is|are)\s+of\s+no\s+(?:interest|use)|(?:do(?:es)?\s+not|do(?:es)?n['’]?t)\s+matter)(?!\s+(?:if|whether|how|when|where))/i;

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
    done += subject === undefined ? rest.slice(0, found.end) : `${before} ; ${found.phrase} ${subject}`;
    rest = after;
  }
}

function firstOf(text: string): { start: number; end: number; phrase: string } | undefined {
  const passiveMatch = passive.exec(text) ?? ensured.exec(text);
  const unwantedMatch = unwanted.exec(text);
  if (unwantedMatch && (!passiveMatch || unwantedMatch.index < passiveMatch.index))
    return { start: unwantedMatch.index, end: unwantedMatch.index + unwantedMatch[0].length, phrase: 'ignore' };
  if (!passiveMatch) return undefined;
  const { modal: how = '', not, participle = '' } = passiveMatch.groups ?? {};
  const verb = verbs[participle.toLowerCase().replace(/\s+/g, ' ')] ?? '';
  const denied = not !== undefined || /n['’]?t\b|not\b/i.test(how);
  return {
    start: passiveMatch.index,
    end: passiveMatch.index + passiveMatch[0].length,
    phrase: denied ? `do not ${verb}` : verb,
  };
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
