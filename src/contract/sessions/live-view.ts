import * as z from 'zod';
import { maxTextPiece, viewportLimits } from './live-view-wire.ts';

/**
 * The JSON messages of a live view's WebSocket; live-view-wire.ts has its frames. The same URL serves a page to a
 * browser and a socket to a viewer; the URL alone determines whether a viewer is in control.
 */

/** First path segment of live view URLs: `/live/SESSION/SECRET`. */
export const livePathPrefix = '/live';

/** Maximum size of a message from a viewer, in bytes. */
export const maxViewerMessage = 64 * 1024;
const finite = z.number().min(-1e6).max(1e6);
const modifiers = z.int().min(0).max(15);
const tab = z.string().min(1).max(100);

/** Messages that every viewer may send. */
const viewing = [
  z.strictObject({ type: z.literal('ack'), seq: z.int().min(0).max(0xffffffff) }),
  /** Whether the view is visible: frames are sent only then. */
  z.strictObject({ type: z.literal('watch'), on: z.boolean() }),
  /** Selects the tab that this viewer sees. The browser does not change. */
  z.strictObject({ type: z.literal('show-tab'), tab }),
] as const;

/** Messages that only viewers in control may send. Positions are CSS pixels of the page's viewport. */
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
  /** Text that is not a single key press: pasted, or committed by an input method. */
  z.strictObject({ type: z.literal('text'), text: z.string().max(maxTextPiece) }),
  /** Text that an input method has not committed yet; empty when the composition was canceled. */
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

/** Messages of viewers that opened the URL for control, even if only to watch. */
const sizing = [
  /** Sets the size of the page; null restores its own. The viewer in control decides, otherwise the first. */
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

const liveTab = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  /** `data:` URL of an image. */
  icon: z.string().optional(),
});
/** A tab as viewers show it. */
export type LiveTab = z.output<typeof liveTab>;

const liveSizedBy = z.enum(['page', 'viewer', 'code']);
/** What decides the size of a tab's page: the page itself, a viewer, or code that has set it. */
export type LiveSizedBy = z.output<typeof liveSizedBy>;

const liveDialog = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  message: z.string(),
  /** The default text of a prompt. */
  text: z.string(),
});
export type LiveDialog = z.output<typeof liveDialog>;

/** Messages from the service to a viewer. Text from pages is not escaped: show it as plain text only. */
export const toViewer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), control: z.boolean(), canResize: z.boolean(), mac: z.boolean() }),
  z.object({ type: z.literal('tabs'), tabs: z.array(liveTab), shown: z.string().nullable() }),
  z.object({
    type: z.literal('state'),
    canGoBack: z.boolean(),
    canGoForward: z.boolean(),
    loading: z.boolean(),
    sizedBy: liveSizedBy,
  }),
  z.object({ type: z.literal('dialog'), dialog: liveDialog.nullable() }),
  /** `open` is an address that a viewer in control is offered to open. */
  z.object({ type: z.literal('notice'), text: z.string(), open: z.string().optional() }),
  z.object({ type: z.literal('clipboard'), text: z.string() }),
  /** How many inputs of this viewer were dropped since it connected: it is read-only, or it sent too many. */
  z.object({ type: z.literal('dropped'), count: z.number() }),
  z.object({ type: z.literal('ended'), reason: z.string() }),
]);
export type ToViewer = z.output<typeof toViewer>;
