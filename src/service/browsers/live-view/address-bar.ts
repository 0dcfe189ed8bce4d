import { enteredAddress, httpAddress } from '../../../contract/addresses.ts';

/** Errors of a browser where a server doesn't speak TLS, or nothing listens on the port of https. */
const noTls =
  /ERR_SSL_PROTOCOL_ERROR|ERR_CONNECTION_(?:REFUSED|RESET|CLOSED|TIMED_OUT)|ERR_TIMED_OUT|ERR_EMPTY_RESPONSE/;

/** Returns the URL for text entered in the address bar, or undefined if viewers aren't allowed to open it. */
export function parseAddress(entered: string): string | undefined {
  const text = entered.trim();
  return text === 'about:blank' ? text : enteredAddress(text)?.href;
}

/** Returns the http address to try when an https page failed to load; undefined if http wouldn't help. */
export function httpToTry(url: string, errorText: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' && noTls.test(errorText) ? httpAddress(parsed).href : undefined;
}
