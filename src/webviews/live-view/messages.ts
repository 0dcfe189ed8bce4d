import type { FromViewer, ToViewer } from '../../contract/sessions/live-view.ts';
import type { ConsoleLine, NetworkEntry } from '../../contract/sessions/traffic.ts';
import { type Checked, fieldOf, fields, isBoolean, isBytes, list, oneOf, text } from '../common/messages.ts';

/** Messages between the webview of a live view and the extension. */

/** What is shown: frames that the extension relays, the page of another server, or why there is nothing to show. */
export type Shown =
  | { kind: 'frames' }
  | { kind: 'page'; url: string; control: boolean; canControl: boolean }
  | { kind: 'nothing'; reason: string };

/** What an agent does in the session. The texts are for people; those from pages are shown as plain text. */
export interface AgentShown {
  name: string;
  /** What it does now, in words; null if it only has used the session. */
  text: string | null;
  paused: boolean;
  controlled: boolean;
  /** Whether there are actions to save as a snippet. */
  recorded: boolean;
  requests: { id: string; text: string; detail: string; host: string }[];
}

/** The lists of the pane below the picture. */
export const trafficTabs = ['console', 'network'] as const;
export type TrafficTab = (typeof trafficTabs)[number];

export const answers = ['once', 'session', 'deny'] as const;
export type Answer = (typeof answers)[number];

export interface Events {
  /** What an agent does in the session; null if none has used it. */
  agent: { agent: AgentShown | null };
  /** At the start, and when another session or another address is shown. */
  show: { sessionId: string; shown: Shown; canControl: boolean; pinned: boolean; fixedSize: boolean };
  /** The panel was pinned to its session, or follows the current one again. */
  pinned: { sessionId: string; pinned: boolean };
  live: { message: ToViewer };
  /** A frame as received from the service. */
  frame: { bytes: ArrayBuffer };
  lost: { text: string };
  /** What is new or has changed in the list that is shown. `fresh`: everything before it is void. */
  traffic: { fresh: boolean; lines: ConsoleLine[]; requests: NetworkEntry[]; recordedSince?: string | null };
  /** Whether what the user does is recorded. */
  recording: { on: boolean };
  /** Why a list isn't up to date; empty if it is. */
  trafficState: { text: string };
}

const maxMessageLength = 64 * 1024;
const maxTextLength = 1_000_000;

/** Whether a message can be relayed to the service, which validates it again. */
function isLiveMessage(message: unknown): message is FromViewer {
  return typeof fieldOf(message, 'type') === 'string' && JSON.stringify(message).length <= maxMessageLength;
}

const isEntry = fields({ id: text(100) });

/** A frame of a recording, saved as an image when no video can be encoded. `at`: wall-clock milliseconds. */
const isSavedFrame = fields({ at: (value: unknown): value is number => Number.isFinite(value), jpeg: isBytes });
export type SavedFrame = Checked<typeof isSavedFrame>;

/** What the view asks the extension for. */
export const requests = {
  live: fields({ message: isLiveMessage }),
  control: fields({ take: isBoolean }),
  copy: fields({ text: text(maxTextLength) }),
  retry: fields({}),
  /** Remembers whether pages have a fixed size. */
  fixedSize: fields({ fixed: isBoolean }),
  /** Pauses the agent in the session, or lets it continue. */
  pause: fields({ paused: isBoolean }),
  /** Answers what an agent waits for. */
  answer: fields({ id: text(100), answer: oneOf(answers) }),
  saveSnippet: fields({}),
  /** Which list is shown; null if the pane is closed. */
  watchTraffic: fields({ tab: oneOf([...trafficTabs, null]) }),
  openRequest: isEntry,
  openLine: isEntry,
  saveArchive: fields({}),
  /** Inserts a locator into the editor that was used last, in its language, and copies it. */
  insertLocator: fields({ javascript: text(maxTextLength), python: text(maxTextLength) }),
  /** Begins or ends to record what the user does in control as a snippet. */
  record: fields({ on: isBoolean }),
  /** Saves the file of a download. */
  saveDownload: fields({ id: text(100), name: text(255) }),
  newSession: fields({}),
  saveScreenshot: fields({ png: isBytes }),
  saveVideo: fields({ webm: isBytes }),
  saveFrames: fields({ frames: list(isSavedFrame) }),
};
export type Requests = typeof requests;
