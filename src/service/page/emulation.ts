import type { Tab } from './tab.ts';

/** What a page is to take the browser for. */
export interface Appearance {
  mobile: boolean;
  languages: readonly string[];
  skipTlsVerification: boolean;
}

const desktop = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
const phone = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true };

/** What each tab was last made to look like: most pages want the same as the one before. */
const worn = new WeakMap<Tab, string>();

/** Makes a tab look as asked for. */
export async function dress(tab: Tab, { mobile, languages, skipTlsVerification }: Appearance): Promise<void> {
  const name = JSON.stringify({ mobile, languages, skipTlsVerification });
  if (worn.get(tab) === name) return;
  const first = !worn.has(tab);
  const [language] = languages;
  const userAgent = await ownUserAgent(tab);
  // The browser adds the weights itself.
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
  worn.set(tab, name);
}

/** Whoever changed how a tab looks says so. */
export function undress(tab: Tab): void {
  worn.set(tab, 'changed');
}

const userAgents = new WeakMap<Tab, string>();

/** What the browser calls itself when nobody says otherwise. */
async function ownUserAgent(tab: Tab): Promise<string> {
  const known = userAgents.get(tab) ?? (await tab.evaluate<string>('navigator.userAgent'));
  userAgents.set(tab, known);
  return known;
}

function phoneUserAgent(userAgent: string): string {
  return userAgent
    .replace(/^Mozilla\/5\.0 \([^)]*\)/, 'Mozilla/5.0 (Linux; Android 10; K)')
    .replace(/ (?:Headless)?Chrome\/(\d+)[\d.]*/, ' Chrome/$1.0.0.0 Mobile');
}
