import type { ScrapeOptions } from '../../../contract/scrape/scrape.ts';

/** Returns the languages of a location, preferred first; none without a location. */
export function languagesOf(location: ScrapeOptions['location']): string[] {
  const { country, languages = [] } = location ?? {};
  if (languages.length > 0) return languages;
  if (country === undefined || country === 'us-generic') return [];
  const region = country.toUpperCase();
  try {
    const { language } = new Intl.Locale(`und-${region}`).maximize();
    return language === 'und' ? [] : [`${language}-${region}`, language];
  } catch {
    return [];
  }
}

/** Returns an Accept-Language header value for languages in order of preference; undefined for none. */
export function acceptLanguage(languages: readonly string[]): string | undefined {
  if (languages.length === 0) return undefined;
  return languages
    .slice(0, 10)
    .map((language, index) => (index === 0 ? language : `${language};q=${(1 - index / 10).toFixed(1)}`))
    .join(',');
}
