import { fields, oneOf, text } from '../common/messages.ts';

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

/** The maximum length, in characters, of code to copy or insert, and of a question before the contract validates it. */
export const maxTextLength = 200_000;
const turn = { id: text(100) };

/** What the view asks the extension for. */
export const requests = {
  ask: fields({ question: text(maxTextLength) }),
  again: fields(turn),
  stop: fields({}),
  openEvidence: fields({ ...turn, index: (value: unknown): value is number => Number.isSafeInteger(value) }),
  openAnswer: fields(turn),
  openLink: fields({ href: text(8_000) }),
  copy: fields({ text: text(maxTextLength) }),
  insert: fields({ text: text(maxTextLength), language: text(100) }),
  act: fields({ action: oneOf(viewActions) }),
  /** Does what helps a question that failed, which is asked again if that makes an answer possible. */
  help: fields({ ...turn, action: oneOf(viewActions) }),
};
export type Requests = typeof requests;
