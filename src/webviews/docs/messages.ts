/** Messages between the Docs view and the extension. Invisible characters of untrusted texts are already made visible. */

export type TurnState = 'asking' | 'answered' | 'unanswered' | 'failed' | 'stopped';

/** A source of an answer. */
export interface ShownEvidence {
  /** Its heading, or its address if the heading isn't known. */
  name: string;
  /** The file or site of the heading. */
  place?: string;
  reason?: string;
  /** False if it can't be opened. */
  opens: boolean;
}

export const viewActions = ['connect', 'embedded', 'log', 'trust', 'addSource', 'clear'] as const;
export type ViewAction = (typeof viewActions)[number];

/** `again` asks the same question again. */
export interface FailureAction {
  name: ViewAction | 'again';
  title: string;
}

/** A question and its outcome. */
export interface ShownTurn {
  id: string;
  question: string;
  state: TurnState;
  /** What the pending question is waiting for. */
  phase?: string;
  /** Untrusted markdown: shown only by the renderer, which loads nothing. */
  answer?: string;
  evidence: ShownEvidence[];
  /** Whether docs sources can be added to answer the question. */
  addsSources: boolean;
  /** Questions from the bundled docs near the sources of the answer. */
  followUps: string[];
  failure?: { text: string; actions: FailureAction[] };
  /** The server that answered, and how long it took. */
  foot?: string;
}

export interface State {
  /** Oldest first. */
  turns: ShownTurn[];
  /** The text shown before the first question. */
  welcome: string;
  /** Example questions. */
  examples: string[];
  /** Why questions can't be asked. */
  notice?: { text: string; action: { name: ViewAction; title: string } };
  /** The maximum length of a question in characters. */
  maxQuestionLength: number;
  /** Names of the bundled docs: links to them can be opened. */
  docs: string[];
}

export interface Events {
  /** Sent at the start, and when more than one question changed. */
  state: State;
  /** Sent for a new or changed question. */
  turn: { turn: ShownTurn };
  /** Puts a question in the box, for the user to edit and send. */
  compose: { question: string; context: string };
}

type TurnParams = { id: string };

export interface Requests {
  ask: { params: { question: string }; result: null };
  again: { params: TurnParams; result: null };
  stop: { params: Record<string, never>; result: null };
  openEvidence: { params: TurnParams & { index: number }; result: null };
  openAnswer: { params: TurnParams; result: null };
  openLink: { params: { href: string }; result: null };
  copy: { params: { text: string }; result: null };
  insert: { params: { text: string; language: string }; result: null };
  act: { params: { action: ViewAction }; result: null };
}

/** The maximum length, in characters, of code to copy or insert, and of a question before the contract validates it. */
export const maxTextLength = 200_000;
const maxLinkLength = 8_000;

type Check<Name extends keyof Requests> = (params: unknown) => params is Requests[Name]['params'];

/** Validates the parameters of each request; invalid requests are ignored. */
export const checks: { readonly [Name in keyof Requests]: Check<Name> } = {
  ask: (params): params is Requests['ask']['params'] => hasText(params, 'question', maxTextLength),
  again: isTurnParams,
  stop: (params): params is Requests['stop']['params'] => typeof params === 'object' && params !== null,
  openEvidence: (params): params is Requests['openEvidence']['params'] =>
    isTurnParams(params) && Number.isSafeInteger(field(params, 'index')),
  openAnswer: isTurnParams,
  openLink: (params): params is Requests['openLink']['params'] => hasText(params, 'href', maxLinkLength),
  copy: (params): params is Requests['copy']['params'] => hasText(params, 'text', maxTextLength),
  insert: (params): params is Requests['insert']['params'] =>
    hasText(params, 'text', maxTextLength) && hasText(params, 'language', 100),
  act: (params): params is Requests['act']['params'] => viewActions.includes(field(params, 'action') as ViewAction),
};

function isTurnParams(params: unknown): params is TurnParams {
  return hasText(params, 'id', 100);
}

function hasText(params: unknown, name: string, maxLength: number): boolean {
  const value = field(params, name);
  return typeof value === 'string' && value.length <= maxLength;
}

function field(params: unknown, name: string): unknown {
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>)[name] : undefined;
}
