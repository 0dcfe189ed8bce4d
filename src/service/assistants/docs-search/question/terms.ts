import { ownNames } from '../../../platform/own-names.ts';

/** Returns the search terms of a text: identifiers whole and in parts, other words as stems. */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap(formsOf);
}

/** Returns the words of a text: `X-Service-Signature`, `crawl.page` and `saveChanges` are one word each. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/[’‘]/g, "'")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '');
  return plain.match(/[\p{L}\p{N}]+(?:[._\-'][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Returns the terms of one word: its stem or, for an identifier, the whole, its members (`jobid` of `data.jobId`) and the stems of their parts. */
export function formsOf(word: string): readonly string[] {
  const known = formsOfWords.get(word);
  if (known) return known;
  const forms = newFormsOf(word);
  if (formsOfWords.size >= maxCached) formsOfWords.clear();
  formsOfWords.set(word, forms);
  return forms;
}

/** A cache: the same words occur repeatedly. */
const formsOfWords = new Map<string, readonly string[]>();
const maxCached = 20_000;

function newFormsOf(word: string): string[] {
  const members = word
    .replace(/'s$/i, '')
    .split(/[._\-']/)
    .filter(Boolean);
  const parts = members.flatMap(partsOf);
  const whole = stem(word.replace(/'s$/i, '').toLowerCase());
  if (parts.length < 2) return [whole];
  return [...new Set([whole, ...members, ...parts].map((form) => stem(form.toLowerCase())))];
}

/** The parts of a camel-case name: save and Changes of `saveChanges`. */
function partsOf(name: string): string[] {
  const parts = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
    .split(' ');
  return parts.some((part) => part.length < 2) ? [name] : parts;
}

const irregular: Readonly<Record<string, string>> = ownNames({
  ran: 'run',
  kept: 'keep',
  sent: 'send',
  came: 'come',
  got: 'get',
  gotten: 'get',
  died: 'die',
  dies: 'die',
  dying: 'die',
  bytes: 'byte',
  lives: 'live',
  lost: 'lose',
  chosen: 'choose',
  chose: 'choose',
  written: 'write',
  wrote: 'write',
  given: 'give',
  gave: 'give',
  gone: 'go',
  went: 'go',
  paid: 'pay',
  told: 'tell',
  said: 'say',
  took: 'take',
  taken: 'take',
  made: 'make',
  found: 'find',
  began: 'begin',
  begun: 'begin',
  men: 'man',
  people: 'person',
  children: 'child',
  used: 'use',
  using: 'use',
  uses: 'use',
  indices: 'index',
  indexes: 'index',
  cookies: 'cookie',
  expiry: 'expir',
  expiration: 'expir',
  deletion: 'delet',
  creation: 'creat',
  execution: 'execut',
});

/** Returns a light English stem, without plural, -ing and -ed. Expects lower case. */
export function stem(word: string): string {
  const known = irregular[word];
  if (known !== undefined && Object.hasOwn(irregular, word)) return known;
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (/(?:sses|shes|ches|xes|zes)$/.test(root)) root = root.slice(0, -2);
  else if (root.endsWith('ies') && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (/[^su]s$/.test(root) && !root.endsWith('is')) root = root.slice(0, -1);
  const ending = /(?:ing|ed)$/.exec(root)?.[0];
  if (ending && root.length - ending.length >= 3 && /[aeiouy]/.test(root.slice(0, -ending.length))) {
    root = root.slice(0, -ending.length);
    if (/([bdfgmnprt])\1$/.test(root)) root = root.slice(0, -1);
    if (root.endsWith('i')) root = `${root.slice(0, -1)}y`;
  }
  return root.length > 4 && root.endsWith('e') ? root.slice(0, -1) : root;
}
