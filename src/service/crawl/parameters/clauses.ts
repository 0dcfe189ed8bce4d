const verbs =
  "ignor(?:e|ing)|skip(?:ping)?|exclud(?:e|ing)|includ(?:e|ing)|omit(?:ting)?|avoid(?:ing)?|leav(?:e|ing)|follow(?:ing)?|respect(?:ing)?|obey(?:ing)?|honou?r(?:ing)?|bypass(?:ing)?|disregard(?:ing)?|us(?:e|ing)|without|do\\s+not|don['’]?t|dont|never|stay(?:ing)?|strip(?:ping)?|drop(?:ping)?|treat(?:ing)?|keep(?:ing)?|wait(?:ing)?|go(?:ing)?|crawl(?:ing)?|allow(?:ing)?|limit(?:ed|ing)?|stop|dedup(?:e|licate|licating)?|remov(?:e|ing)|visit(?:ing)?";
/** Words that a verb belongs to: `do not follow`, `only use`, `no need to crawl`. */
const led =
  /(?:\b(?:not|never|dont|to|only|just|please|also|you|should|must|can|may|will|and|but|then|or|of|no|without|delay|pause|robots)|n['’]?t)$/i;
const boundary = new RegExp(
  `(?:\\s*,)?\\s+(?:(?:and|but|then|also|while|plus)\\s+(?:also\\s+)?)?(?=(?:please\\s+)?(?:${verbs})\\b)`,
  'gi',
);

/** Longer ones are cut: rules look both ways in a clause, and take their time over a long one. */
const longestClause = 400;
const mostClauses = 100;

/**
 * Cuts a text where one wish ends and the next begins: at the ends of sentences, at `but`, and before verbs.
 * Dots within names, paths and numbers stay.
 */
export function clausesOf(text: string): string[] {
  return mark(text)
    .split(';')
    .flatMap((clause) => clause.match(new RegExp(`.{1,${longestClause}}(?=\\s|$)|\\S{${longestClause}}`, 'g')) ?? [])
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, mostClauses);
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
