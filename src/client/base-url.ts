import * as l10n from '@vscode/l10n';
import { addScheme, isLoopback } from '../contract/addresses.ts';
import { shorten } from '../contract/shorten.ts';

/** A valid base URL in its parts, or why a URL is not valid. */
export type BaseUrlCheck =
  | {
      ok: true;
      /** Normalized, with its path prefix, without a trailing slash. */
      baseUrl: string;
      /** The origin that a key belongs to. */
      origin: string;
      /** Host and port to display; names in other scripts are in punycode. */
      host: string;
      /** The key would be sent unencrypted over a network: ask first. */
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
  if (given === '') return invalid(l10n.t('The address is empty. Expected a URL such as https://api.example.com'));
  if (given.length > longest)
    return invalid(
      l10n.t('The address is too long: expected at most {0} characters.', longest.toLocaleString('en-US')),
    );
  if (/[\s\p{Cc}\\]/u.test(given))
    return invalid(l10n.t('The address contains a space, a backslash or a control character. Remove it.'));
  const scheme = /^(https?):\/\//i.exec(given);
  if (!scheme)
    return invalid(l10n.t('The address must be a host such as api.example.com, or start with https:// or http://.'));
  const authority = given.slice(scheme[0].length).split(/[/?#]/, 1)[0] ?? '';
  if (authority.includes('@')) {
    return invalid(l10n.t('The address must not contain a user name or password ("@"). Enter the API key separately.'));
  }
  if (given.includes('?') || given.includes('#'))
    return invalid(l10n.t('The address must not contain a query ("?") or a fragment ("#").'));
  if (!URL.canParse(given))
    return invalid(l10n.t("The address isn't a valid URL. Expected a URL such as https://api.example.com"));
  const url = new URL(given);
  return {
    ok: true,
    baseUrl: (url.origin + url.pathname).replace(/\/+$/, ''),
    origin: url.origin,
    host: shorten(url.host, 100),
    clearText: url.protocol === 'http:' && !isLoopback(url.hostname),
  };
}

function invalid(message: string): BaseUrlCheck {
  return { ok: false, message };
}
