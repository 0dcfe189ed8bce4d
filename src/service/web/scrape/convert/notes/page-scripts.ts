import { createHash } from 'node:crypto';
import type { Attributes } from '../page-tree/page-tree.ts';

/**
 * What the content of a page may need from a browser: nothing, because it has no scripts or only those known not to write
 * content; its scripts; or the documents in its frames.
 */
export type BrowserNeed = 'no scripts' | 'no content scripts' | 'scripts' | 'frames';

interface KnownScript {
  /** What it does instead of writing content. */
  does: string;
  hosts?: string;
  /** Its path, on any host. */
  path?: RegExp;
  /** What the inline script contains that configures or loads it. */
  inline?: RegExp;
}

/** Scripts that never write a page's content. All others might. */
const known: readonly KnownScript[] = [
  { does: 'says that scripts run', inline: /^\s*document\.documentElement\.class(Name|List)[^;{}]*;?\s*$/ },
  {
    does: 'loads measuring scripts: Google Tag Manager and Analytics',
    hosts: 'www.googletagmanager.com www.google-analytics.com ssl.google-analytics.com',
    inline: /\bdataLayer\b|\bgtag\(|GoogleAnalyticsObject|\b_gaq\b/,
  },
  { does: 'measures visits: Matomo', path: /\/(matomo|piwik)\.js$/, inline: /\b_paq\b/ },
  { does: 'measures visits: Plausible', hosts: 'plausible.io', inline: /window\.plausible\b/ },
  { does: 'measures visits: Fathom', hosts: 'cdn.usefathom.com' },
  { does: 'measures visits: Umami', hosts: 'cloud.umami.is analytics.umami.is' },
  { does: 'measures visits: GoatCounter', hosts: 'gc.zgo.at' },
  { does: 'measures visits: Simple Analytics', hosts: 'scripts.simpleanalyticscdn.com' },
  { does: 'measures visits: Cloudflare', hosts: 'static.cloudflareinsights.com' },
  { does: 'measures visits: Vercel', path: /^\/_vercel\/(insights|speed-insights)\/script\.js$/ },
  { does: 'measures visits: StatCounter', hosts: 'www.statcounter.com' },
  { does: 'measures visits: Yandex Metrica', hosts: 'mc.yandex.ru', inline: /\bmc\.yandex\.ru\b/ },
  { does: 'measures visits: Baidu', hosts: 'hm.baidu.com', inline: /\b_hmt\b/ },
  { does: 'records what visitors do: Hotjar', hosts: 'static.hotjar.com', inline: /\b_hjSettings\b/ },
  { does: 'records what visitors do: Clarity', hosts: 'www.clarity.ms', inline: /\bclarity\.ms\b/ },
  { does: 'measures advertisements: Meta Pixel', path: /\/fbevents\.js$/, inline: /\bfbq\(/ },
  { does: 'measures advertisements: LinkedIn', hosts: 'snap.licdn.com', inline: /_linkedin_partner_id/ },
  { does: 'shows advertisements: Google', hosts: 'pagead2.googlesyndication.com securepubads.g.doubleclick.net' },
  { does: 'reports errors: Sentry', hosts: 'browser.sentry-cdn.com js.sentry-cdn.com', inline: /^\s*Sentry\.init\(/ },
  { does: 'measures speed: New Relic', hosts: 'js-agent.newrelic.com', inline: /\bNREUM\b/ },
  { does: 'asks for consent: Cookiebot', hosts: 'consent.cookiebot.com' },
  { does: 'asks for consent: OneTrust', hosts: 'cdn.cookielaw.org', inline: /\bOptanonWrapper\b/ },
  { does: 'asks for consent: Usercentrics', hosts: 'app.usercentrics.eu web.cmp.usercentrics.eu' },
  { does: 'asks for consent: CookieYes', hosts: 'cdn-cookieyes.com' },
  { does: 'asks for consent: Osano', hosts: 'cmp.osano.com' },
  { does: 'asks for consent: iubenda', hosts: 'cdn.iubenda.com cs.iubenda.com', inline: /\b_iub\b/ },
  { does: 'asks for consent: TrustArc', hosts: 'consent.trustarc.com' },
];

const knownHosts = new Set(known.flatMap(({ hosts }) => hosts?.split(' ') ?? []));
/** Signs that an inline script also does something else: a known name alone doesn't say that it writes nothing. */
const writes =
  /\b(inner|outer)(HTML|Text)\b|\btextContent\b|\bdocument\.write|\binsertAdjacent|\breplace(With|Children)\b|\bfetch\(|XMLHttpRequest|\bimport\s*\(|\blocation(\.href)?\s*=[^=]|\bcustomElements\b/;
/** Signs that a click writes content, other than into the label of its button. */
const clickWrites =
  /(?<!\bthis)\.(?:(?:inner|outer)(?:HTML|Text)|textContent)\s*\+?=(?!=)|\binsertAdjacent|\breplace(?:With|Children)\b|\bfetch\(|XMLHttpRequest/;
/** Inline scripts that only configure something are short. */
const maxInlineLength = 4000;
/** Characters at the beginning of an inline script that tell it from others. */
const signedLength = 300;
/** Strings and numbers in code, and versions and hashes in paths. */
const data = /"[^"]*"?|'[^']*'?|`[^`]*`?|[\w-]*\d[\w-]*|\s+/g;
/** Types of script elements that are for browsers and search engines, not for other scripts. */
const forOthers = /^\s*(application\/ld\+json|importmap|speculationrules)/i;
/** Types of script elements that browsers run; others hold data or templates. */
const runs = /^\s*($|module$|(text|application)\/(x-)?(java|ecma)script)/i;

/** Determines what a page's content needs from a browser, from its elements and inline scripts. */
export function watchScripts(resolve: (url: string) => string | undefined) {
  const signature = new Set<string>();
  const holders = new Set<string>();
  let harmless = 0;
  let scripts = 0;
  let frames = 0;

  function script({ type = '', src, id = '' }: Attributes): void {
    if (!runs.test(type) && !forOthers.test(type)) holders.add(`script ${type} ${id.replace(data, '')}`);
    if (!runs.test(type) || src === undefined) return;
    const url = URL.parse(resolve(src) ?? '');
    if (url && (knownHosts.has(url.hostname) || known.some(({ path }) => path?.test(url.pathname)))) harmless++;
    else {
      scripts++;
      signature.add(`${url?.host} ${url?.pathname.replace(data, '')}`);
    }
  }

  function frame(address: string | undefined, attributes: Attributes): void {
    if (attributes.srcdoc !== undefined) frames++;
    signature.add('frame');
    if (address === undefined || attributes.hidden !== undefined || /^[01](px)?$/.test(attributes.width ?? '')) return;
    const url = URL.parse(resolve(address) ?? '');
    if (url && /^https?:$/.test(url.protocol) && !knownHosts.has(url.hostname)) frames++;
  }

  return {
    open(name: string, attributes: Attributes): void {
      if (name === 'script') script(attributes);
      else if (name === 'iframe' || name === 'frame' || name === 'embed') frame(attributes.src, attributes);
      else if (name === 'object' && !/^(image|application|audio|video)\//.test(attributes.type ?? ''))
        frame(attributes.data, attributes);
      else if (name === 'template' && attributes.shadowrootmode !== undefined) scripts++;
      // What a click writes is missing; what it prints, opens or leads to isn't content.
      if (attributes.onclick !== undefined && clickWrites.test(attributes.onclick)) scripts++;
      // Handlers of images and style sheets choose among files.
      if (name !== 'link' && name !== 'img' && (attributes.onload ?? attributes.onpageshow) !== undefined) scripts++;
    },
    /** @param text of the inline script that was opened last */
    inline(text: string): void {
      if (text.trim() === '') return;
      const isKnown = text.length <= maxInlineLength && known.some(({ inline }) => inline?.test(text));
      if (holdsData(text)) return void holders.add(`script ${text.slice(0, text.indexOf('=')).trim()}`);
      if (isKnown && !writes.test(text)) harmless++;
      else {
        scripts++;
        signature.add(
          text
            .slice(0, signedLength)
            .replace(data, ' ')
            .match(/[a-z_$]{2,}/gi)
            ?.join(' ') ?? '',
        );
      }
    },
    /** The script elements and variables that hold data for scripts: their kinds and names. */
    get data(): readonly string[] {
      return [...holders];
    },
    /** What the scripts and frames are, without the data in them: the same for pages of one template, empty for those that need neither. */
    get signature(): string {
      if (scripts + frames === 0) return '';
      return createHash('sha1')
        .update([...signature].join('\n'))
        .digest('base64');
    },
    get need(): BrowserNeed {
      if (scripts > 0) return 'scripts';
      if (frames > 0) return 'frames';
      return harmless > 0 ? 'no content scripts' : 'no scripts';
    },
  };
}

/** Whether all that an inline script does is to keep data in a variable. */
function holdsData(text: string): boolean {
  const code = text.trim().replace(/;$/, '');
  const equals = code.indexOf('=');
  const name = code.slice(0, equals).trim();
  const value = code.slice(equals + 1).trim();
  if (!/^((var|let|const) )?[\w$.]{1,100}$/.test(name) || !/^[[{]/.test(value) || writes.test(`${name}=`)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether an element is an inline script that browsers run. */
export function isInlineScript(name: string, { type = '', src }: Attributes): boolean {
  return name === 'script' && src === undefined && runs.test(type);
}
