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

/** The language tag for an engine, and the part of the location that it can't use. */
export interface Locale {
  language: string | undefined;
  ignored?: string;
}

/**
 * Returns the language tag for a place: SearXNG searches by language and country only. Throws a SearchError if the
 * location names no country.
 */
export function localeOf({ location, country, lang }: Place): Locale {
  const parts = (location ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const last = parts.at(-1);
  const named = last === undefined ? undefined : countryCode(last);
  if (last !== undefined && named === undefined) {
    throw new SearchError(
      'BAD_REQUEST',
      `location: "${last.slice(0, 60)}" isn't a country that this service knows. SearXNG searches by country: use a name such as Germany or a code such as DE.`,
    );
  }
  const region = named ?? country?.toUpperCase();
  const ignored = parts.slice(0, -1).join(', ');
  return { language: tagOf(region, lang), ...(ignored !== '' && { ignored }) };
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

/** Returns the code of a country by its English name or its code. */
function countryCode(text: string): string | undefined {
  codes ??= countryCodes();
  return codes.get(text.toLowerCase());
}

function countryCodes(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const found = new Map<string, string>();
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // Codes of former countries have the name of today's.
    if (new Intl.Locale(`und-${code}`).region !== code) continue;
    const name = names.of(code)?.toLowerCase();
    if (name === undefined || /^(X[^K]|Q.|AA|ZZ|EU|EZ|UN)$/.test(code)) continue;
    found.set(name, code).set(code.toLowerCase(), code);
  }
  for (const [name, code] of Object.entries(otherNames)) found.set(name, code);
  return found;
}
