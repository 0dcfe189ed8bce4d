/** Loaded when an address is asked for, never at activation. */
import { enteredAddress, siteAddress } from '../../../contract/addresses.ts';

const maxLength = 2_000;

/** Returns the URL for a typed text, with a scheme added if it has none; undefined if it isn't a valid web URL. */
export function typedUrl(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  return siteAddress(enteredAddress(text)?.href)?.href;
}
