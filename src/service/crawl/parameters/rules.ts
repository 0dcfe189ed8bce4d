import { markAmounts } from './amounts.ts';
import { type Clause, clausesOf } from './clauses.ts';
import type { Derived, Draft } from './draft.ts';
import { numbersAsDigits } from './numbers.ts';
import { Sections } from './sections/sections.ts';
import { createSiteSections } from './sections/site-sections.ts';
import { markLiterals, setAmount, Tokens, tokenSource, withoutMarks } from './tokens.ts';
import { readTopics } from './topics.ts';

const maxPromptLength = 10_000;
const maxNotUnderstood = 20;

/**
 * Derives crawl parameters from a sentence without a language model: splits it into clauses, decides for each what it
 * denies, and sets the parameters that it is about. Sets only what the sentence mentions, and reports the parts that no
 * rule reads.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Derived {
  const tokens = new Tokens();
  const parameters: Draft = {};
  const sections = new Sections(createSiteSections(start, siteUrls), tokens);
  const literal = markLiterals(plainText(prompt.slice(0, maxPromptLength), start.hostname), tokens);
  const text = markAmounts(numbersAsDigits(literal), tokens);
  const notUnderstood: string[] = [];
  for (const clause of clausesOf(text)) {
    const report = (part: string, isFirst: boolean) =>
      notUnderstood.push(
        tokens.written(isFirst || !(clause.wanted || clause.exception) ? `${clause.head} ${part}` : part),
      );
    if (clause.unknown) {
      report(clause.text, true);
      continue;
    }
    const amounts = readAmounts(clause, tokens, parameters);
    const { rest, unknown } = readTopics({ ...clause, text: amounts.rest }, parameters);
    const unnamed = sections.read(clause, rest);
    for (const part of amounts.unknown) notUnderstood.push(part);
    for (const part of [...unknown, ...unnamed]) report(part, clause.text.trimStart().startsWith(part));
  }
  notUnderstood.push(...sections.finish(parameters).map((part) => tokens.written(part)));
  return {
    parameters,
    notUnderstood: [...new Set(notUnderstood)].filter((part) => part !== '').slice(0, maxNotUnderstood),
  };
}

/** Sets the amounts in a clause. One that the clause denies, as in `skip 20 pages`, isn't a limit. */
function readAmounts(clause: Clause, tokens: Tokens, draft: Draft): { rest: string; unknown: string[] } {
  const unknown: string[] = [];
  const rest = clause.text.replace(
    new RegExp(tokenSource, 'g'),
    (mark, index: string, offset: number, whole: string) => {
      const token = tokens.at(index);
      if (token?.kind === 'agent') draft.robotsUserAgent = token.value;
      else if (token?.kind === 'unknown') unknown.push(token.text);
      else if (token?.kind === 'amount') {
        const isGoverned = !clause.wanted && !whole.slice(0, offset).includes(',');
        const isDenied = isGoverned && (!token.bounded || whole.slice(0, offset).trim() === '');
        if (isDenied) unknown.push(`${clause.head} ${token.text}`);
        else setAmount(draft, token);
      } else return mark;
      return token.kind === 'amount' && token.name === 'limit' ? ' ' : ' , ';
    },
  );
  return { rest, unknown };
}

/** Writes a prompt with plain quotes and without contractions. */
function plainText(prompt: string, host: string): string {
  return (
    withoutMarks(prompt.normalize('NFKC'))
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
      .replace(/\b(?:can't|cannot|cant)\b/gi, 'can not')
      .replace(/\bwon't\b/gi, 'will not')
      .replace(/\b(do|does|did|is|are|was|should|must|need|would|could|have|has)n'?t\b/gi, '$1 not')
      .replace(/\b(i|we|you|they|it|that|there)'(?:m|d|ll|ve|re|s)\b/gi, '$1')
      .replace(/\bdiffer(s|ing)? (?:only|just|merely) (?=by|in)/gi, 'differ$1 ')
      .replace(/:\s*\n\s*(?:[-*\u2022]|\d+[.)])\s+/g, ': ')
      .replace(/(?<=:.*)\n\s*(?:[-*\u2022]|\d+[.)])\s+/gs, ', ')
      .replace(/\be\.g\./gi, 'such as')
      // `forum: no`.
      .replace(/([^.;,:\n]{1,60})[,:] no(?=\s*(?:[.;,\n]|$))/gi, ' skip $1')
      .replace(/\b(?:no|without any) (?:problems?|worries|hurry|doubt|matter what)\b/gi, ' ')
      .replace(
        /\b(leav|keep)(e|ing)? ([^.;,\n]{1,80}?) (?:out\b(?! of (?!it|this|that))(?: of (?:it|this|that))?|alone\b)/gi,
        (_, _verb: string, ending: string | undefined, what: string) =>
          ending === 'ing' ? `leaving out ${what}` : `leave out ${what}`,
      )
  );
}
