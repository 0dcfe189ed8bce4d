import type { Tab } from './tab.ts';

/** The device, languages and certificate handling that a tab emulates. */
export interface Appearance {
  mobile: boolean;
  languages: readonly string[];
  skipTlsVerification: boolean;
}

const desktop = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
const phone = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true };

/** The last appearance of each tab: most pages need the same one as the page before. */
const applied = new WeakMap<Tab, string>();

/** Makes a tab emulate an appearance. */
export async function applyAppearance(tab: Tab, { mobile, languages, skipTlsVerification }: Appearance): Promise<void> {
  const key = JSON.stringify({ mobile, languages, skipTlsVerification });
  if (applied.get(tab) === key) return;
  const first = !applied.has(tab);
  const [language] = languages;
  const userAgent = await defaultUserAgent(tab);
  // The browser adds the quality values itself.
  const acceptLanguage = languages.join(',');
  await Promise.all([
    tab.send('Emulation.setDeviceMetricsOverride', mobile ? phone : desktop),
    tab.send('Security.setIgnoreCertificateErrors', { ignore: skipTlsVerification }),
    ...(first && !mobile && languages.length === 0
      ? []
      : [
          tab.send('Emulation.setTouchEmulationEnabled', { enabled: mobile }),
          tab.send('Emulation.setLocaleOverride', language === undefined ? {} : { locale: language }),
          tab.send('Emulation.setUserAgentOverride', {
            userAgent: mobile ? phoneUserAgent(userAgent) : userAgent,
            ...(acceptLanguage && { acceptLanguage }),
          }),
        ]),
  ]);
  applied.set(tab, key);
}

/** Marks a tab whose appearance was changed elsewhere, so that the next page resets it. */
export function invalidateAppearance(tab: Tab): void {
  applied.set(tab, 'changed');
}

const userAgents = new WeakMap<Tab, string>();

/** Returns the browser's default user agent. */
async function defaultUserAgent(tab: Tab): Promise<string> {
  const known = userAgents.get(tab) ?? (await tab.evaluate<string>('navigator.userAgent'));
  userAgents.set(tab, known);
  return known;
}

function phoneUserAgent(userAgent: string): string {
  return userAgent
    .replace(/^Mozilla\/5\.0 \([^)]*\)/, 'Mozilla/5.0 (Linux; Android 10; K)')
    .replace(/ (?:Headless)?Chrome\/(\d+)[\d.]*/, ' Chrome/$1.0.0.0 Mobile');
}
