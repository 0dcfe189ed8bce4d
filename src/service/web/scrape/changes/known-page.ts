import { hash } from 'node:crypto';
import type { ChoiceForm } from '../convert/notes/choice-forms.ts';

/** What identifies the response that a page was converted from. */
export interface PageSource {
  etag?: string | undefined;
  lastModified?: string | undefined;
  /** Digest of its body. */
  body: string;
  /** The form whose choices are pages, if it has one. */
  choices?: ChoiceForm | undefined;
  /** The feeds that it declares, if it has some. */
  feeds?: string[] | undefined;
}

/** A page as it was last time. Without validators, only bodies are compared. */
export interface KnownPage extends PageSource {
  /** URL after redirects. */
  url: string;
}

/** Ends the scrape of a page that is as it was last time. */
export class UnchangedPage extends Error {
  /** Whether only the site said so. */
  readonly unseen: boolean;

  constructor(unseen: boolean) {
    super('The page has not changed.');
    this.unseen = unseen;
  }
}

/** Returns the digest of a body. */
export function bodyDigest(body: Uint8Array): string {
  return hash('sha256', body, 'base64url');
}
