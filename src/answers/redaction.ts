import { withoutHidden } from '../contract/shorten.ts';
import { keyPrefixes } from '../contract/team/access-keys.ts';

/** Removes secrets of the service from what agents receive, unless code has disguised them. */
export type Redact = (text: string) => string;

/** A slash, as it is or as JSON and URLs may escape it. */
const slash = String.raw`(?:\\?\/|%2[fF])`;
/** URLs of this machine that end in an unguessable secret: of CDP, of live views and of runners. Whatever follows is removed too. */
const capabilityUrl = new RegExp(
  String.raw`(?:(?:wss?|https?)(?::|%3[aA])${slash}{2}(?:127\.0\.0\.1|localhost|\[::1\])(?:(?::|%3[aA])\d+)?)?${slash}(?:cdp|runners|live(?:-view)?)${slash}[\w-]{1,200}(?:${slash}[\w-]{1,40})?${slash}[\w-]{43,}`,
  'g',
);

/** Keys that the service stores by their digest. */
const storedKey = new RegExp(`(?:${Object.values(keyPrefixes).join('|')})[\\w-]{43,}`, 'g');

/**
 * @param keys API keys and other secrets; more can be added later
 */
export function createRedact(keys: readonly string[]): Redact {
  return (text) => {
    // First what could divide a secret, and is removed later.
    let safe = withoutHidden(text)
      .replaceAll(capabilityUrl, '(secret URL removed)')
      .replaceAll(storedKey, '(key removed)');
    for (const key of keys) safe = safe.replaceAll(key, '(key removed)');
    return safe;
  };
}

/** Characters of a long text that are looked through at once, and how many more if no secret can end before. */
const atOnce = { least: 64 * 1024, most: 256 * 1024 };
/** What no secret contains, neither as it is nor divided by what is hidden. */
const outside = /[\t\n\r "'<>(),;]/;

/** Returns a text without secrets, however long it is: in short turns, so that nothing else waits for all of it. */
export async function redactInTurns(redact: Redact, text: string): Promise<string> {
  if (text.length <= atOnce.least) return redact(text);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const least = text.slice(at + atOnce.least, at + atOnce.most).search(outside);
    const end = least === -1 ? at + atOnce.most : at + atOnce.least + least + 1;
    parts.push(redact(text.slice(at, end)));
    at = end;
    await new Promise(setImmediate);
  }
  return parts.join('');
}
