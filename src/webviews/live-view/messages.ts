import type { FromViewer, ToViewer } from '../../contract/sessions/live-view.ts';

/** Messages between the webview of a live view and the extension. */

/** What is shown: frames that the extension relays, the page of another server, or why there is nothing to show. */
export type Shown =
  | { kind: 'frames' }
  | { kind: 'page'; url: string; control: boolean; canControl: boolean }
  | { kind: 'nothing'; reason: string };

/** The commands that a live view handles. */
export const viewerCommands = [
  'toggleControl',
  'toggleFixedSize',
  'toggleActualSize',
  'screenshot',
  'saveRecording',
] as const;
export type ViewerCommand = (typeof viewerCommands)[number];

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
  command: { command: ViewerCommand };
}

/** A frame of a recording, saved as an image when no video can be encoded. */
export interface SavedFrame {
  /** Wall-clock milliseconds. */
  at: number;
  jpeg: ArrayBuffer;
}

export interface Requests {
  live: { params: { message: FromViewer }; result: null };
  control: { params: { take: boolean }; result: null };
  copy: { params: { text: string }; result: null };
  retry: { params: Record<string, never>; result: null };
  /** Remembers whether pages have a fixed size. */
  fixedSize: { params: { fixed: boolean }; result: null };
  /** Pauses the agent in the session, or lets it continue. */
  pause: { params: { paused: boolean }; result: null };
  /** Answers what an agent waits for. */
  answer: { params: { id: string; answer: Answer }; result: null };
  saveSnippet: { params: Record<string, never>; result: null };
  newSession: { params: Record<string, never>; result: null };
  saveScreenshot: { params: { png: ArrayBuffer }; result: null };
  saveVideo: { params: { webm: ArrayBuffer }; result: null };
  saveFrames: { params: { frames: SavedFrame[] }; result: null };
  /** Shows the user a message. */
  notify: { params: { text: string }; result: null };
}

const maxMessageLength = 64 * 1024;
const maxTextLength = 1_000_000;

/** Whether a message can be relayed to the service, which validates it again. */
export function isLiveRequest(params: unknown): params is Requests['live']['params'] {
  const message = field(params, 'message');
  return typeof field(message, 'type') === 'string' && JSON.stringify(message).length <= maxMessageLength;
}

export function isControlRequest(params: unknown): params is Requests['control']['params'] {
  return typeof field(params, 'take') === 'boolean';
}

export function isFixedSizeRequest(params: unknown): params is Requests['fixedSize']['params'] {
  return typeof field(params, 'fixed') === 'boolean';
}

export function isPauseRequest(params: unknown): params is Requests['pause']['params'] {
  return typeof field(params, 'paused') === 'boolean';
}

export function isAnswerRequest(params: unknown): params is Requests['answer']['params'] {
  const id = field(params, 'id');
  return typeof id === 'string' && id.length <= 100 && answers.includes(field(params, 'answer') as Answer);
}

export function isTextRequest(params: unknown): params is { text: string } {
  const text = field(params, 'text');
  return typeof text === 'string' && text.length <= maxTextLength;
}

export function isEmptyRequest(params: unknown): params is Record<string, never> {
  return typeof params === 'object' && params !== null && Object.keys(params).length === 0;
}

export function isScreenshotRequest(params: unknown): params is Requests['saveScreenshot']['params'] {
  return field(params, 'png') instanceof ArrayBuffer;
}

export function isVideoRequest(params: unknown): params is Requests['saveVideo']['params'] {
  return field(params, 'webm') instanceof ArrayBuffer;
}

export function isFramesRequest(params: unknown): params is Requests['saveFrames']['params'] {
  const frames = field(params, 'frames');
  return (
    Array.isArray(frames) &&
    frames.every((each) => Number.isFinite(field(each, 'at')) && field(each, 'jpeg') instanceof ArrayBuffer)
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
