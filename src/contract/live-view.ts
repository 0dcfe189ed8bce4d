import * as z from 'zod';
import { maxTextPiece, viewportLimits } from './live-view-wire.ts';

/**
 * The messages of a live view's WebSocket, beside its pictures (live-view-wire.ts). The same URL is a page to a
 * browser and a socket to a viewer; whether a viewer may act is a matter of which URL it holds, not of what it says.
 */

/** First segment of the URLs of live views: `/live/SESSION/SECRET`. */
export const livePathPrefix = '/live';

/** Bytes of one message that a viewer may send. */
export const maxViewerMessage = 64 * 1024;
const finite = z.number().min(-1e6).max(1e6);
const modifiers = z.int().min(0).max(15);
const tab = z.string().min(1).max(100);

/** What every viewer may say. */
const viewing = [
  z.strictObject({ type: z.literal('ack'), seq: z.int().min(0).max(0xffffffff) }),
  /** Whether anybody looks: pictures are sent only then. */
  z.strictObject({ type: z.literal('watch'), on: z.boolean() }),
  /** Which tab this viewer sees. It changes nothing in the browser. */
  z.strictObject({ type: z.literal('show-tab'), tab }),
] as const;

/** What only viewers in control may say. Positions are CSS pixels of the page's viewport. */
const acting = [
  z.strictObject({
    type: z.literal('mouse'),
    action: z.enum(['move', 'down', 'up']),
    x: finite,
    y: finite,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']),
    buttons: z.int().min(0).max(31),
    clicks: z.int().min(0).max(3),
    modifiers,
  }),
  z.strictObject({ type: z.literal('wheel'), x: finite, y: finite, dx: finite, dy: finite, modifiers }),
  z.strictObject({
    type: z.literal('key'),
    action: z.enum(['down', 'up']),
    /** As in KeyboardEvent. */
    key: z.string().min(1).max(32),
    code: z.string().max(32),
    keyCode: z.int().min(0).max(255),
    location: z.int().min(0).max(3),
    repeat: z.boolean(),
    modifiers,
  }),
  /** Text that no single key makes: pasted, or put in by an input method. */
  z.strictObject({ type: z.literal('text'), text: z.string().max(maxTextPiece) }),
  /** What an input method shows before it is put in; empty when it was given up. */
  z.strictObject({ type: z.literal('compose'), text: z.string().max(1_000), caret: z.int().min(0).max(1_000) }),
  /** Asks for the selected text; `cut` also removes it. */
  z.strictObject({ type: z.literal('copy'), cut: z.boolean() }),
  z.strictObject({ type: z.literal('navigate'), url: z.string().min(1).max(8_000) }),
  z.strictObject({ type: z.literal('history'), to: z.enum(['back', 'forward', 'reload', 'stop']) }),
  z.strictObject({ type: z.literal('new-tab') }),
  z.strictObject({ type: z.literal('close-tab'), tab }),
  z.strictObject({ type: z.literal('dialog'), accept: z.boolean(), text: z.string().max(10_000) }),
] as const;

const side = z.int().min(viewportLimits.min).max(viewportLimits.max);

/** What viewers may send that opened the URL for control, even if only to watch. */
const sizing = [
  /** The size that the page should have; null: its own. The viewer in control decides, or else the first. */
  z.strictObject({ type: z.literal('viewport'), size: z.strictObject({ width: side, height: side }).nullable() }),
] as const;

export const fromViewer = z.discriminatedUnion('type', [...viewing, ...acting, ...sizing]);
export type FromViewer = z.output<typeof fromViewer>;
const actingMessage = z.discriminatedUnion('type', acting);
export type ViewerInput = z.output<typeof actingMessage>;

const actingTypes = new Set<string>(acting.map((schema) => schema.shape.type.value));

/** Whether a message acts on the browser, so that only a viewer in control may send it. */
export function isInput(message: FromViewer): message is ViewerInput {
  return actingTypes.has(message.type);
}

/** A tab as viewers show it. */
export interface LiveTab {
  id: string;
  title: string;
  url: string;
  /** `data:` URL of an image. */
  icon?: string;
}

/** What decides the size of a tab's page: the page itself, a viewer, or code that has set it. */
export type LiveSizedBy = 'page' | 'viewer' | 'code';

export interface LiveDialog {
  kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  message: string;
  /** What a prompt proposes. */
  text: string;
}

/** What the service tells a viewer. Texts of pages are in it as they came: they are shown as text alone. */
export type ToViewer =
  | { type: 'welcome'; control: boolean; canResize: boolean; mac: boolean }
  | { type: 'tabs'; tabs: LiveTab[]; shown: string | null }
  | { type: 'state'; canGoBack: boolean; canGoForward: boolean; loading: boolean; sizedBy: LiveSizedBy }
  | { type: 'dialog'; dialog: LiveDialog | null }
  | { type: 'notice'; text: string }
  | { type: 'clipboard'; text: string }
  /** How many inputs of this viewer were dropped since it came: it may only watch, or it sent too many. */
  | { type: 'dropped'; count: number }
  | { type: 'ended'; reason: string };
