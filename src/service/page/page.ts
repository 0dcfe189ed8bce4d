/** An operation on a page failed. The message is one line to show to the user. */
export class PageError extends Error {}
