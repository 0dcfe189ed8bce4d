import type { ToolCall } from '../../../platform/language-model/language-model.ts';

/** A page whose content a job has read. Sources refer to it by its number, its position from 1. */
export interface ReadPage {
  url: string;
  /** URL that it was read at, before redirects; missing if it was seen in a browser session, which may have changed it. */
  requested?: string;
  title?: string;
  content: string;
}

/** What a step did, for the person who watches the job. */
export interface Deed {
  action: 'plan' | 'search' | 'map' | 'read' | 'browse' | 'answer';
  text: string;
  error?: string;
}

/** Where the values of an answer are from: URLs of pages by path, such as `items[0].name`. */
export type Sources = Record<string, string[]>;

/** Why an answer was rejected: its data doesn't match the schema, or values have no source. */
export type Rejection = 'data' | 'sources';

/** The data of a completed job. */
export interface Answer {
  data: unknown;
  sources: Sources;
  warning?: string | undefined;
}

/**
 * A stored step of a job. From its steps alone, a job continues after a restart:
 * - `response`: the language model responded
 * - `result`: what came of a call of the model. `note` is in the service's words, `content` is from the web
 * - `begun`: a browser session was started for a call
 * - `remark`: the service told the model something
 * - `found`, `planned`, `page`: the steps of an extract job: what a search or map found, its pages, and one of them
 * - `draft`: the data that an extract job has so far, from its first `pages` pages
 */
export type Step = { deed?: Deed; page?: ReadPage } & (
  | { kind: 'response'; text: string; toolCalls: ToolCall[] }
  | {
      kind: 'result';
      callId: string;
      note?: string;
      content?: string;
      /** Whether it brought the job forward. */
      fresh?: boolean;
      rejected?: Rejection;
    }
  | { kind: 'begun'; callId: string; session: string }
  | { kind: 'remark'; text: string; rejected?: Rejection }
  | { kind: 'found'; key: string; urls: string[] }
  | { kind: 'planned'; urls: string[]; last: boolean }
  | { kind: 'page'; url: string; links: string[] }
  | { kind: 'draft'; text: string; pages: number }
);
