import type { FromViewer, ToViewer } from '../../contract/sessions/live-view.ts';
import type { ConsoleLine, NetworkEntry } from '../../contract/sessions/traffic.ts';

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
  /** Which list is shown; null if the pane is closed. */
  watchTraffic: { params: { tab: TrafficTab | null }; result: null };
  openRequest: { params: { id: string }; result: null };
  openLine: { params: { id: string }; result: null };
  saveArchive: { params: Record<string, never>; result: null };
  /** Inserts a locator into the editor that was used last, in its language, and copies it. */
  insertLocator: { params: { javascript: string; python: string }; result: { text: string; inserted: boolean } };
  /** Begins or ends to record what the user does in control as a snippet. */
  record: { params: { on: boolean }; result: null };
  /** Saves the file of a download. */
  saveDownload: { params: { id: string; name: string }; result: null };
  newSession: { params: Record<string, never>; result: null };
  saveScreenshot: { params: { png: ArrayBuffer }; result: null };
  saveVideo: { params: { webm: ArrayBuffer }; result: null };
  saveFrames: { params: { frames: SavedFrame[] }; result: null };
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

export function isRecordRequest(params: unknown): params is Requests['record']['params'] {
  return typeof field(params, 'on') === 'boolean';
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

export function isWatchTrafficRequest(params: unknown): params is Requests['watchTraffic']['params'] {
  const tab = field(params, 'tab');
  return tab === null || trafficTabs.includes(tab as TrafficTab);
}

export function isIdRequest(params: unknown): params is { id: string } {
  const id = field(params, 'id');
  return typeof id === 'string' && id.length <= 100;
}

export function isDownloadRequest(params: unknown): params is Requests['saveDownload']['params'] {
  const name = field(params, 'name');
  return isIdRequest(params) && typeof name === 'string' && name.length <= 255;
}

export function isTextRequest(params: unknown): params is { text: string } {
  const text = field(params, 'text');
  return typeof text === 'string' && text.length <= maxTextLength;
}

export function isLocatorRequest(params: unknown): params is Requests['insertLocator']['params'] {
  const fields = [field(params, 'javascript'), field(params, 'python')];
  return fields.every((text) => typeof text === 'string' && text.length <= maxTextLength);
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
