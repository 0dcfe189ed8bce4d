/** What a tool answers: plain facts of the service, and content that others wrote. */
export interface Answer {
  /** Written by the service. Holds nothing that a page says. */
  text?: string | undefined;
  /** What a page, a run or a document says. It is marked as untrusted, and long content is divided into parts. */
  content?: { name: string; text: string } | undefined;
  /** Data URLs. */
  images?: readonly string[] | undefined;
  /** What to call next, if that isn't obvious. */
  next?: string | undefined;
}

/** A block of a tool's result, as the Model Context Protocol has it. */
export type ContentBlock = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

export interface ToolResult {
  [extra: string]: unknown;
  content: ContentBlock[];
  isError?: boolean;
}
