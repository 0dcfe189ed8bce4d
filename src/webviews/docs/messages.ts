/** What goes between the Docs view and the extension. Foreign texts have their invisible characters made visible already. */

export type TurnState = 'asking' | 'answered' | 'unanswered' | 'failed' | 'stopped';
export type Rating = 'up' | 'down';

/** A text that an answer rests on. */
export interface ShownEvidence {
  /** Its heading, or its address where that is not known. */
  name: string;
  /** The file or site that the heading is of. */
  place?: string;
  reason?: string;
  /** False where there is nothing that may be opened. */
  opens: boolean;
}

export const viewActions = ['connect', 'embedded', 'log', 'trust', 'addSource', 'clear'] as const;
export type ViewAction = (typeof viewActions)[number];

/** `again` asks the same question once more. */
export interface FailureAction {
  name: ViewAction | 'again';
  title: string;
}

/** A question with what came of it. */
export interface ShownTurn {
  id: string;
  question: string;
  state: TurnState;
  /** What it waits for. */
  phase?: string;
  /** Markdown of a server: shown by the renderer alone, which loads nothing. */
  answer?: string;
  evidence: ShownEvidence[];
  /** Whether texts may be added, so that the next question finds an answer. */
  addsSources: boolean;
  /** Headings of our own texts beside those that the answer rests on. */
  followUps: string[];
  failure?: { text: string; actions: FailureAction[] };
  /** Who answered, in what time. */
  foot?: string;
  rating?: Rating;
}

export interface State {
  /** Oldest first. */
  turns: ShownTurn[];
  /** What stands in place of the first question. */
  welcome: string;
  /** Questions to begin with. */
  examples: string[];
  /** Why nothing can be asked. */
  notice?: { text: string; action: { name: ViewAction; title: string } };
  /** Characters. */
  longestQuestion: number;
  /** Names of our own texts: links to them are opened. */
  texts: string[];
}

export interface Events {
  /** At the start, and when more than one question has changed. */
  state: State;
  /** A new question, or one that has changed. */
  turn: { turn: ShownTurn };
  /** Puts a question in the box, to be looked at, changed and sent by the person. */
  compose: { question: string; context: string };
}

type OfTurn = { id: string };

export interface Requests {
  ask: { params: { question: string }; result: null };
  again: { params: OfTurn; result: null };
  stop: { params: Record<string, never>; result: null };
  rate: { params: OfTurn & { rating: Rating | null }; result: null };
  openEvidence: { params: OfTurn & { index: number }; result: null };
  openAnswer: { params: OfTurn; result: null };
  openLink: { params: { href: string }; result: null };
  copy: { params: { text: string }; result: null };
  insert: { params: { text: string; language: string }; result: null };
  act: { params: { action: ViewAction }; result: null };
}

/** Characters of code that one click copies or inserts, and of a question before the contract judges it. */
export const longestText = 200_000;
const longestLink = 8_000;

type Check<Name extends keyof Requests> = (params: unknown) => params is Requests[Name]['params'];

/** What each request must look like; anything else is not heard. */
export const checks: { readonly [Name in keyof Requests]: Check<Name> } = {
  ask: (params): params is Requests['ask']['params'] => hasText(params, 'question', longestText),
  again: isOfTurn,
  stop: (params): params is Requests['stop']['params'] => typeof params === 'object' && params !== null,
  rate: (params): params is Requests['rate']['params'] =>
    isOfTurn(params) && [null, 'up', 'down'].includes(field(params, 'rating') as Rating | null),
  openEvidence: (params): params is Requests['openEvidence']['params'] =>
    isOfTurn(params) && Number.isSafeInteger(field(params, 'index')),
  openAnswer: isOfTurn,
  openLink: (params): params is Requests['openLink']['params'] => hasText(params, 'href', longestLink),
  copy: (params): params is Requests['copy']['params'] => hasText(params, 'text', longestText),
  insert: (params): params is Requests['insert']['params'] =>
    hasText(params, 'text', longestText) && hasText(params, 'language', 100),
  act: (params): params is Requests['act']['params'] => viewActions.includes(field(params, 'action') as ViewAction),
};

function isOfTurn(params: unknown): params is OfTurn {
  return hasText(params, 'id', 100);
}

function hasText(params: unknown, name: string, longest: number): boolean {
  const value = field(params, name);
  return typeof value === 'string' && value.length <= longest;
}

function field(params: unknown, name: string): unknown {
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>)[name] : undefined;
}
