/** An operation on a page failed. The message is one line to show to the user. */
export class PageError extends Error {
  /** The request itself is wrong, whatever the page: a selector that isn't valid CSS. */
  readonly invalidRequest: boolean;

  constructor(message: string, { invalidRequest = false }: { invalidRequest?: boolean } = {}) {
    super(message);
    this.invalidRequest = invalidRequest;
  }
}
