import { withoutMarks } from '../tokens.ts';

const contractions: Readonly<Record<string, string>> = {
  m: 'am',
  d: 'would',
  ll: 'will',
  ve: 'have',
  re: 'are',
  s: 'is',
};

/** Writes a prompt with plain quotes, without contractions and phrases that say nothing, and in the order that the rules read. */
export function plainText(prompt: string, host: string): string {
  const ownName = host.replace(/^www\./, '').split('.')[0];
  const isSigned = /^\s*\+\s/m.test(prompt) && /^\s*[-–]\s/m.test(prompt);
  const signed = isSigned ? prompt.replace(/^\s*\+\s/gm, 'include ').replace(/^\s*[-–]\s/gm, 'exclude ') : prompt;
  return (
    withoutMarks(signed.normalize('NFKC'))
      .replace(
        new RegExp(
          `(?<![\\w/.@])(?:www\\.)?${host.replace(/^www\./, '').replaceAll('.', '\\.')}(?![\\w/-]|\\.\\w)`,
          'gi',
        ),
        'the site',
      )
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201C\u201D`]/g, '"')
      .replace(/(?<!\w)'([^'\n]{1,100})'(?!\w)/g, '"$1"')
      .replace(/[^\S\r\n]+/g, ' ')
      .replace(new RegExp(`\\b(?:the )?${ownName}'s\\b`, 'gi'), 'the')
      .replace(/\b(?:can't|cannot|cant)\b/gi, 'can not')
      .replace(/\bwon't\b/gi, 'will not')
      .replace(/\b(do|does|did|is|are|was|should|must|need|would|could|have|has)n'?t\b/gi, '$1 not')
      .replace(
        /\b(i|we|you|they|it|that|there|what|who|here)'(m|d|ll|ve|re|s)\b/gi,
        (_, who: string, short: string) => `${who} ${contractions[short.toLowerCase()]}`,
      )
      .replace(/\b(max|min|approx|ca|incl|excl|no|nr)\.(?=\s)/gi, '$1')
      .replace(/\b(?:excl)\b/gi, 'excluding')
      .replace(/\b(?:incl)\b/gi, 'including')
      .replace(/\b(?:approx|ca)\b/gi, 'about')
      .replace(/\bversion (?=\d)/gi, 'v')
      .replace(/\bdiffer(s|ing)? (?:only|just|merely) (?=by|in)/gi, 'differ$1 ')
      .replace(/:\s*\n\s*(?:[-*\u2022]|\d+[.)])\s+/g, ': ')
      .replace(/(?<=:.*)\n\s*(?:[-*\u2022]|\d+[.)])\s+/gs, ', ')
      .replace(/\be\.g\./gi, 'such as')
      // `docs: yes, forum: no`.
      .replace(
        /([^.;,:?!\n]{1,60}?)(?:[,:?]? (no|yes)|: (false|true|off|on|never|always))(?: thanks| thank you| please)?(?=\s*(?:[.;,!\n]|$))/gi,
        (_, what: string, answer: string | undefined, value: string | undefined) =>
          /^(?:no|false|off|never)$/i.test(answer ?? value ?? '') ? ` ; skip ${what} ; ` : ` ; include ${what} ; `,
      )
      // `Forum: skip.`
      .replace(
        /(?<=^|[.;,!?\n]\s*)([^.;,:?!\n]{1,60}): (skip|ignore|exclude|omit|drop|crawl|include|keep|allow|follow)(?:d|ed|ped|ted)?(?=\s*(?:[.;,!\n]|$))/gi,
        ' ; $2 $1 ; ',
      )
      .replace(/\bwhy do not (?:you|we)\b|\b(?:can|could|will|would) not you\b/gi, 'please')
      .replace(/\b(?:feel free|be sure|go ahead|remember|be careful) (?:to|and) /gi, ' ')
      .replace(/\bbe careful(?= not\b)|\b(?:would|do) you mind(?= \w+ing\b)/gi, ' ')
      .replace(
        /,?(?<!\b(?:part|be|not))\s\b(?:at (?:all|any) costs?|at all|this time|next time|(?:under|in) any (?:circumstances?|case)|if (?:at all )?possible|whatsoever|for now|ideally|preferably|(?:in|from|into|of|for) (?:the|this|my|our|your) (?:crawl|results?|output|index|data ?set|scope|export)(?= *[.;,!\n]| *$))\b,?/gi,
        ' ',
      )
      .replace(/(?<=^|[.!?;\n]\s*)no, (?=(?:not|never|do not|please|just|only|skip)\b)/gi, '')
      .replace(/\b(?:i|we) can (?:live|do) (?=without\b)/gi, '')
      .replace(/\b(?:zero|0) (?=(?:pages?|articles?|posts?|urls?|documents?)\b)/gi, 'no ')
      // `I don't think the blog should be crawled`.
      .replace(
        /\b(?:i|we) do not (?:think|believe|suppose|want|wish|expect)(?: that)? ([^.;,\n]{2,60}?) (?:(should|must|needs? to|ha(?:s|ve) to)|to) be /gi,
        '$1 should not be ',
      )
      .replace(/\b(?:no|without any) (?:problems?|worries|hurry|doubt|matter what)\b/gi, ' ')
      .replace(
        /\b(leav|keep)(e|ing)? (?!in\b|out\b)((?:(?!\b(?:but|leav\w*|keep\w*)\b)[^.;,\n]){1,80}?) (?:out\b(?! of (?!it|this|that))(?: of (?:it|this|that))?|(?<!\b(?:quer|param|robots)[^.;,\n]{0,30})alone\b)/gi,
        (_, _verb: string, ending: string | undefined, what: string) =>
          ending === 'ing' ? `leaving out ${what}` : `leave out ${what}`,
      )
  );
}
