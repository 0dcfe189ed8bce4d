/** The kinds of fact that a question asks for. */
export interface Wants {
  status: boolean;
  code: boolean;
  /** The type or values of a field. */
  type: boolean;
  /** All fields of something. */
  fields: boolean;
  /** Whether something is required, or what is. */
  required: boolean;
  /** Words that the question uses as names of fields, options, headers and the like, in lower case. */
  named: string[];
}

const patterns: Record<Exclude<keyof Wants, 'named'>, RegExp> = {
  status: /\bstatus( code)?\b|\bhttp (code|status)\b|\berror code\b/i,
  code: /\b(example|snippet|sample|show me|curl|code (for|to)|how (do|can|to|would) i? ?(verify|connect|call|check|compute))\b/i,
  fields:
    /\b(fields|objects?|entry|entries|records?|properties|members|attributes|keys|columns|parameters|response|contents?|structure|shape|schema|layout|returns?|returned|contains?|consists?|(send|sent|get|got|comes?|give|given|receive) back|answer (with|fields)|look like)\b/i,
  type: /\b(types?|typed|data ?types?|kind of|formats?|array|list|string|text|integer|number|float|boolean|bool|true|false|object|null|nullable|uuid|date|date-time|time ?stamp|unix|iso)\b/i,
  required:
    /\b(required?|mandatory|obligatory|compulsory|necessary|optional|must (i|we|be)|have to (give|send|set|pass|provide|specify))\b/i,
};

/** Words that make a number an amount rather than a status. */
const amounts =
  /\b(limits?|max\w*|min\w*|up to|more than|at (most|least)|characters?|chars?|items?|entries|results|pages|seconds?|minutes?|hours?|ms|bytes?|credits?|tokens?)\b/i;

/** Returns the kinds of fact that a question asks for. */
export function wantsOf(question: string): Wants {
  const text = question.slice(0, 4000);
  const { status, code, fields, type, required } = patterns;
  return {
    status: status.test(text) || (/\b[45]\d\d\b/.test(text) && !amounts.test(text)),
    code: code.test(text),
    fields: fields.test(text),
    type: type.test(text),
    required: required.test(text),
    named: naming.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name.toLowerCase())),
  };
}

const things = '(?:field|property|parameter|option|header|flag|attribute|member|setting|argument|column|command)';
const aspects =
  '(?:meaning|means?|types?|data type|units?|formats?|purpose|default|default value|range|required|mandatory|optional|missing|empty|null|matters?)';
const word = '[`"\']?([\\w.@/-]+)[`"\']?';
const naming = [
  new RegExp(`${word} ${things}s?\\b`, 'gi'),
  new RegExp(`\\b${things} ${word}`, 'gi'),
  new RegExp(`\\b(?:what(?:'s| is| does| do)|whats) (?:the )?${word} (?:mean|for|in|do|used|of|about|good)\\b`, 'gi'),
  new RegExp(`\\b${aspects} (?:of|for) (?:the )?${word}`, 'gi'),
  new RegExp(`${word} ${aspects}\\b`, 'gi'),
  new RegExp(`\\b(?:is|does|can|are) (?:the )?${word} (?:be |a |an |always |ever |have |need )?`, 'gi'),
  // Spellings that only names have: activityTtl, has_more, x-service-signature.
  /\b([a-z]+[A-Z]\w*|\w+_\w+|[xX]-[\w-]+)\b/g,
];
