const verbs =
  "ignor(?:e|ing)|skip(?:ping)?|exclud(?:e|ing)|includ(?:e|ing)|omit(?:ting)?|avoid(?:ing)?|leav(?:e|ing)|follow(?:ing)?|respect(?:ing)?|obey(?:ing)?|honou?r(?:ing)?|bypass(?:ing)?|disregard(?:ing)?|us(?:e|ing)|without|do\\s+not|don['’]?t|dont|never|stay(?:ing)?|strip(?:ping)?|drop(?:ping)?|treat(?:ing)?|keep(?:ing)?|wait(?:ing)?|go(?:ing)?|crawl(?:ing)?|allow(?:ing)?|limit(?:ed|ing)?|stop|dedup(?:e|licate|licating)?|remov(?:e|ing)|visit(?:ing)?";
/** Words that a following verb belongs to: `do not follow`, `only use`, `no need to crawl`. */
const led =
  /(?:\b(?:not|never|dont|to|only|just|please|also|you|should|must|can|may|will|and|but|then|or|of|no|without|delay|pause|robots)|n['’]?t)$/i;
const boundary = new RegExp(
  `(?:\\s*,)?\\s+(?:(?:and|but|then|also|while|plus)\\s+(?:also\\s+)?)?(?=(?:please\\s+)?(?:${verbs})\\b)`,
  'gi',
);

/** Longer clauses are split, because the rules' lookarounds are slow on long text. */
const maxClauseLength = 400;
const maxClauses = 100;

/**
 * Splits a text into clauses with one request each: at the ends of sentences, at `but` and before verbs.
 * Dots within names, paths and numbers don't split.
 */
export function clausesOf(text: string): string[] {
  return mark(text)
    .split(';')
    .flatMap(
      (clause) => clause.match(new RegExp(`.{1,${maxClauseLength}}(?=\\s|$)|\\S{${maxClauseLength}}`, 'g')) ?? [],
    )
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, maxClauses);
}

function mark(text: string): string {
  return text
    .replace(/[\n\r]+/g, ' ; ')
    .replace(/\s+/g, ' ')
    .replace(/[.!?](?=\s|$)/g, ' ;')
    .replace(
      /(?<!\b(?:everything|anything|nothing|all|pages|none)),?\s+\b(?:but|however|though|although)\b(?!\s+also)/gi,
      ' ; ',
    )
    .replace(boundary, (gap: string, offset: number, whole: string) => {
      const before = whole.slice(Math.max(0, offset - 30), offset).trimEnd();
      const joined = /\b(?:and|but|then|also|while|plus)\b/i.test(gap) || gap.includes(',');
      return led.test(before) && !joined ? gap : ' ; ';
    });
}
