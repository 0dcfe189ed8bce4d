import type { FromViewer, ToViewer } from '../../contract/live-view.ts';

/** What goes between a live view's webview and the extension. */

/** How the session is shown: by pictures that the extension hands on, or as the page of another server. */
export type Shown =
  | { kind: 'pictures' }
  | { kind: 'page'; url: string; control: boolean; canControl: boolean }
  | { kind: 'nothing'; reason: string };

/** What the commands of a live view ask of it. */
export const viewerCommands = [
  'toggleControl',
  'toggleFit',
  'toggleActualSize',
  'screenshot',
  'saveRecording',
] as const;
export type ViewerCommand = (typeof viewerCommands)[number];

export interface Events {
  /** At the start, and when another session or another address is shown. */
  show: { sessionId: string; shown: Shown; canControl: boolean };
  live: { message: ToViewer };
  /** A picture as it came over the wire. */
  frame: { bytes: ArrayBuffer };
  lost: { text: string };
  command: { command: ViewerCommand };
}

/** One picture of a recording, where no video could be made of it. */
export interface RecordedPicture {
  /** Wall-clock milliseconds. */
  at: number;
  jpeg: ArrayBuffer;
}

export interface Requests {
  live: { params: { message: FromViewer }; result: null };
  control: { params: { take: boolean }; result: null };
  copy: { params: { text: string }; result: null };
  retry: { params: Record<string, never>; result: null };
  newSession: { params: Record<string, never>; result: null };
  saveScreenshot: { params: { png: ArrayBuffer }; result: null };
  saveVideo: { params: { webm: ArrayBuffer }; result: null };
  savePictures: { params: { pictures: RecordedPicture[] }; result: null };
  /** Something that the person asked for cannot be done. */
  tell: { params: { text: string }; result: null };
}

const longestMessage = 64 * 1024;
const longestText = 1_000_000;

/** True for what may be handed on to the service, which judges it again. */
export function isLiveRequest(params: unknown): params is Requests['live']['params'] {
  const message = field(params, 'message');
  return typeof field(message, 'type') === 'string' && JSON.stringify(message).length <= longestMessage;
}

export function isControlRequest(params: unknown): params is Requests['control']['params'] {
  return typeof field(params, 'take') === 'boolean';
}

export function isTextRequest(params: unknown): params is { text: string } {
  const text = field(params, 'text');
  return typeof text === 'string' && text.length <= longestText;
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

export function isPicturesRequest(params: unknown): params is Requests['savePictures']['params'] {
  const pictures = field(params, 'pictures');
  return (
    Array.isArray(pictures) &&
    pictures.every((each) => Number.isFinite(field(each, 'at')) && field(each, 'jpeg') instanceof ArrayBuffer)
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
