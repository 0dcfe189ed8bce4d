import * as z from 'zod';
import { fewOf } from '../fields.ts';
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
  /** Begins or ends to record what this viewer does as statements. */
  z.strictObject({ type: z.literal('record'), on: z.boolean() }),
  /** Gives a field what was chosen: the index of an option, or a value. */
  z.strictObject({ type: z.literal('choose'), field: z.string().max(100), value: z.string().max(1_000) }),
  /** Answers a file chooser; no files cancel it. The service asks for their bytes with `send-file`. */
  z.strictObject({
    type: z.literal('files'),
    chooser: z.string().max(100),
    files: fewOf(
      z.strictObject({
        name: z.string().min(1).max(255),
        mediaType: z.string().max(200),
        size: z.int().min(0),
      }),
      100,
    ),
  }),
] as const;

const side = z.int().min(viewportLimits.min).max(viewportLimits.max);

/** Messages of viewers that opened the URL for control, even if only to watch. */
const looking = [
  /** Sets the size of the page; null restores its own. The viewer in control decides, otherwise the first. */
  z.strictObject({ type: z.literal('viewport'), size: z.strictObject({ width: side, height: side }).nullable() }),
  /** Asks for the element at a point of the page's viewport. */
  z.strictObject({ type: z.literal('pick'), x: finite, y: finite }),
] as const;

export const fromViewer = z.discriminatedUnion('type', [...viewing, ...acting, ...looking]);
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

const liveDialog = z.object({
  kind: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']),
  message: z.string(),
  /** The default text of a prompt. */
  text: z.string(),
});
export type LiveDialog = z.output<typeof liveDialog>;

const liveChooser = z.object({
  id: z.string(),
  multiple: z.boolean(),
  /** As in the attribute `accept` of a file field. */
  accept: z.string(),
});
/** A file chooser that a page has opened. */
export type LiveChooser = z.output<typeof liveChooser>;

const liveDownload = z.object({
  id: z.string(),
  name: z.string(),
  /** Bytes. */
  received: z.number(),
  /** Bytes; null while that isn't known. */
  total: z.number().nullable(),
  /** Elsewhere: completed, but on the machine of a browser that isn't the service's own. */
  state: z.enum(['inProgress', 'completed', 'canceled', 'elsewhere']),
});
/** A download of the session. */
export type LiveDownload = z.output<typeof liveDownload>;

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const liveField = z.object({
  id: z.string(),
  kind: z.enum(['select', 'date', 'time', 'datetime-local', 'month', 'week', 'color']),
  name: z.string(),
  /** CSS pixels of the page's viewport. */
  box,
  /** The index of the selected option, or the field's value. */
  value: z.string(),
  min: z.string().optional(),
  max: z.string().optional(),
  step: z.string().optional(),
  options: z.array(z.object({ index: z.number(), label: z.string(), group: z.string(), disabled: z.boolean() })),
  /** Number of options that are left out. */
  missing: z.number(),
});
/** A field whose list or picker the browser would draw outside the page. */
export type LiveField = z.output<typeof liveField>;

const livePick = z.object({
  /** CSS pixels of the page's viewport. */
  box,
  /** The locator as an expression of each language. */
  javascript: z.string(),
  python: z.string(),
});
/** An element, with the best locator of Playwright's generator. */
export type LivePick = z.output<typeof livePick>;

const liveStatement = z.object({
  javascript: z.string(),
  python: z.string(),
  /** Whether it reads a secret from the environment variable `PASSWORD` instead of having it. */
  secret: z.boolean(),
});
/** What a person did in the page, as a statement of each language. */
export type LiveStatement = z.output<typeof liveStatement>;

/** Messages from the service to a viewer. Text from pages is not escaped: show it as plain text only. */
export const toViewer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    control: z.boolean(),
    canResize: z.boolean(),
    mac: z.boolean(),
    downloads: z.array(liveDownload).default([]),
  }),
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
  /** The element that the viewer asked for last; null if there is none. */
  z.object({ type: z.literal('picked'), element: livePick.nullable() }),
  z.object({ type: z.literal('clipboard'), text: z.string() }),
  /** The next statement of what this viewer does. */
  z.object({ type: z.literal('recorded'), statement: liveStatement }),
  /** Whether what this viewer does is recorded; after the last statement, if it isn't any longer. */
  z.object({ type: z.literal('recording'), on: z.boolean() }),
  /** To the viewer whose input opened the list or the picker of a field. */
  z.object({ type: z.literal('field'), field: liveField }),
  /** The newest downloads of the session, oldest first. */
  z.object({ type: z.literal('downloads'), downloads: z.array(liveDownload) }),
  /** To the viewer whose input opened a file chooser. */
  z.object({ type: z.literal('chooser'), chooser: liveChooser }),
  /** Asks for a piece of a chosen file as a binary message: from byte `start` to before byte `end`. Answered in order. */
  z.object({ type: z.literal('send-file'), file: z.number(), start: z.number(), end: z.number() }),
  /** How many inputs of this viewer were dropped since it connected: it is read-only, or it sent too many. */
  z.object({ type: z.literal('dropped'), count: z.number() }),
  z.object({ type: z.literal('ended'), reason: z.string() }),
]);
export type ToViewer = z.output<typeof toViewer>;
