import { shorten } from '../../../contract/shorten.ts';
import { SearchError } from './engine.ts';

/** Where and in which language to search. */
export interface Place {
  /** A country by name or code, with a place in it before a comma, such as `Munich, Germany`. */
  location?: string | undefined;
  /** A country's code of two letters. */
  country?: string | undefined;
  /** A language code. */
  lang?: string | undefined;
}

/**
 * Returns the language tag for a place: SearXNG searches by language and country only. Where other parts of a location are
 * ignored, also returns them and the English name of its country. Throws a SearchError if the location names no country.
 */
export function localeOf({ location, country, lang }: Place) {
  const parts = (location ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts.at(-1);
  // After a place, a code may stand for a state: CA for California or Canada.
  const named = last === undefined ? undefined : countryCode(last, parts.length === 1);
  if (last !== undefined && named === undefined) {
    throw new SearchError(
      'BAD_REQUEST',
      `location: "${shorten(last, 60)}" isn't a known country. SearXNG searches by country: use a name such as Germany, or just a code such as DE.`,
    );
  }
  const region = named ?? country?.toUpperCase();
  const ignored = parts.slice(0, -1).join(', ');
  const language = tagOf(region, lang);
  return named === undefined || ignored === '' ? { language } : { language, ignored, country: nameOf(named) };
}

function tagOf(region: string | undefined, lang: string | undefined): string | undefined {
  if (region === undefined) return lang;
  const [language = mainLanguage(region)] = lang?.split('-') ?? [];
  return `${language.toLowerCase()}-${region}`;
}

/** Returns the language that most people of a country speak. */
function mainLanguage(region: string): string {
  return new Intl.Locale(`und-${region}`).maximize().language;
}

const otherNames: Readonly<Record<string, string>> = {
  us: 'US',
  usa: 'US',
  'united states of america': 'US',
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  'south korea': 'KR',
  turkey: 'TR',
  'czech republic': 'CZ',
};

let codes: Map<string, string> | undefined;
let names: Intl.DisplayNames | undefined;

/** Returns the English name of a country, if its code is in use. */
function nameOf(code: string): string | undefined {
  names ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  return names.of(code);
}

/** Returns the code of a country by its English name, or by its code of two letters if that is accepted. */
function countryCode(text: string, acceptsCode: boolean): string | undefined {
  codes ??= countryCodes();
  const wanted = text.toLowerCase();
  return acceptsCode || wanted.length > 2 || Object.hasOwn(otherNames, wanted) ? codes.get(wanted) : undefined;
}

function countryCodes(): Map<string, string> {
  const found = new Map<string, string>();
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // Codes of former countries have the name of today's.
    if (new Intl.Locale(`und-${code}`).region !== code) continue;
    const name = nameOf(code)?.toLowerCase();
    if (name === undefined || /^(X[^K]|Q.|AA|ZZ|EU|EZ|UN)$/.test(code)) continue;
    found.set(name, code).set(code.toLowerCase(), code);
  }
  for (const [name, code] of Object.entries(otherNames)) found.set(name, code);
  return found;
}
