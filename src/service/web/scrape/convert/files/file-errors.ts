/** A file can't be read: it's damaged, encrypted, too large or of a kind that isn't supported. The message says what to do. */
export class UnreadableFile extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UnreadableFile';
  }
}

/** The error for files whose content needs a password. */
export function needsPassword(what: string): UnreadableFile {
  return new UnreadableFile(`The ${what} needs a password. Remove the password and try again.`);
}
