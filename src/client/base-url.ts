import { addScheme } from '../contract/addresses.ts';

/** A base URL that may be called, or why it may not. */
export type BaseUrlCheck =
  | {
      ok: true;
      /** Normalised, with its path prefix, without a trailing slash. */
      baseUrl: string;
      /** What a key is bound to. */
      origin: string;
      /** Host and port as they are shown to a person (names in other scripts as punycode). */
      host: string;
      /** The key would travel unencrypted over a network: ask first. */
      clearText: boolean;
    }
  | { ok: false; message: string };

const longest = 2048;

/**
 * Checks the address of a server: https, http on loopback, or http elsewhere with `clearText` set. One without a scheme
 * gets it.
 */
export function checkBaseUrl(text: string): BaseUrlCheck {
  const given = addScheme(text).trim();
  if (given === '') return refuse('The address is empty. Expected one such as https://api.example.com');
  if (given.length > longest)
    return refuse(`The address is too long: expected at most ${longest.toLocaleString('en-US')} characters.`);
  if (/[\s\p{Cc}\\]/u.test(given))
    return refuse('The address holds a space, a backslash or a control character. Remove it.');
  const scheme = /^(https?):\/\//i.exec(given);
  if (!scheme) return refuse('The address must start with https:// (or with http:// for a server on this machine).');
  const authority = given.slice(scheme[0].length).split(/[/?#]/, 1)[0] ?? '';
  if (authority.includes('@')) {
    return refuse('The address must hold no user name or password ("@"). The API key is given apart from it.');
  }
  if (given.includes('?') || given.includes('#'))
    return refuse('The address must have no query ("?") and no fragment ("#").');
  if (!URL.canParse(given))
    return refuse('The address is not a valid URL. Expected one such as https://api.example.com');
  const url = new URL(given);
  return {
    ok: true,
    baseUrl: (url.origin + url.pathname).replace(/\/+$/, ''),
    origin: url.origin,
    host: url.host,
    clearText: url.protocol === 'http:' && !isLoopback(url.hostname),
  };
}

/** Whether a host name, as `URL` writes it, names this machine whatever a name server says. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

function refuse(message: string): BaseUrlCheck {
  return { ok: false, message };
}
