/** A page on which something could not be done. The message is one line for the person who asked for it. */
export class PageError extends Error {}
