import * as z from 'zod';
import { addScheme, parseUrl } from '../../../contract/addresses.ts';
import { limits } from '../../../contract/limits.ts';
import type { PageDriver } from '../../browsers/page/driver/driver.ts';
import type { OpenTab } from '../../browsers/page/driver/tab-choice.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Located, RecordedAction } from '../steering/snippet.ts';

/** What somebody does on a page. */
export interface PageAction {
  /** The element that it acts on: by its reference, or the one that has the focus. `how` is what could follow from it. */
  on?: { ref: string | undefined; how: 'click' | 'Enter' | 'none' };
  /** The URL that it opens. */
  to?: URL | undefined;
  /** Files of this machine that it gives to the page. */
  files?: readonly string[];
  /** Does it. Returns what is said about it beside what changed on the page. */
  work(page: PageDriver): Promise<string | undefined>;
  /** Returns what is recorded of it. */
  record?(on: LocatedElement | undefined): RecordedAction | undefined;
}

export interface LocatedElement extends Located {
  isPassword: boolean;
}

/** A kind of action, as models see it. The result of each is what changed on the page. */
export interface ActionKind<Schema extends z.ZodObject = z.ZodObject> {
  title: string;
  /** What it does, in few words: every agent reads it at the start. */
  description: string;
  schema: Schema;
  /** Valid arguments, shown when those of a call are invalid. */
  example: z.input<Schema>;
  /** Whether it can do harm, such as clicking can. */
  acts: boolean;
  /** What is said when it is done. */
  done(args: z.output<Schema>): string;
  /** Whether it is only for agents whose person can be asked. */
  asks?: boolean;
  /** Throws a ServiceError about arguments that can't be meant. */
  plan(args: z.output<Schema>): PageAction;
}

function kind<Schema extends z.ZodObject>(definition: ActionKind<Schema>): ActionKind {
  return definition as unknown as ActionKind;
}

/** Reference of an element in the outline of a page. */
export const ref = z.string().min(1).max(40).describe('Reference, such as e12');

/** Wraps work that says nothing. */
const silently = (work: (page: PageDriver) => Promise<void>) => async (page: PageDriver) => {
  await work(page);
  return undefined;
};

/** All that can be done on a page, by agents and by the service's own. */
export const pageActions = {
  navigate: kind({
    title: 'Open a page',
    description: 'Go to a URL, or back, forward or reload. Returns the page.',
    schema: z.strictObject({
      url: z.string().min(1).max(limits.url).describe('http or https URL, or: back, forward, reload'),
    }),
    example: { url: 'https://example.com' },
    acts: true,
    done: () => 'Opened.',
    plan({ url }) {
      const to = destination(url);
      return {
        to: to instanceof URL ? to : undefined,
        work: silently((page) => page.navigate(to)),
        record: () => ({ kind: 'navigate', to: to instanceof URL ? to.href : to }),
      };
    },
  }),
  click: kind({
    title: 'Click an element',
    description: 'Click an element, or hover over it. Returns what changed.',
    schema: z.strictObject({
      ref,
      kind: z.enum(['click', 'double', 'right', 'hover']).optional().describe('default click'),
    }),
    example: { ref: 'e12' },
    acts: true,
    done: ({ kind: how }) => (how === 'hover' ? 'Hovered.' : 'Clicked.'),
    plan: ({ ref: element, kind: how = 'click' }) => ({
      on: { ref: element, how: how === 'hover' || how === 'right' ? 'none' : 'click' },
      work: silently((page) => page.click(element, how)),
      record: (on) => on && { kind: 'click', how, on },
    }),
  }),
  type: kind({
    title: 'Type into a field',
    description: 'Replace the text of a field, and optionally press Enter. Returns what changed.',
    schema: z.strictObject({
      ref,
      text: z.string().max(100_000),
      submit: z.boolean().optional().describe('Press Enter afterwards'),
    }),
    example: { ref: 'e12', text: 'green tea', submit: true },
    acts: true,
    done: () => 'Typed.',
    plan: ({ ref: element, text, submit = false }) => ({
      on: { ref: element, how: submit ? 'Enter' : 'none' },
      work: silently(async (page) => {
        await page.type(element, text);
        if (submit) await page.press('Enter');
      }),
      record: (on) => on && { kind: 'type', on, text: on.isPassword ? undefined : text, submit },
    }),
  }),
  select: kind({
    title: 'Select options',
    description: 'Select options of a list by their labels. Returns what changed.',
    schema: z.strictObject({
      ref,
      options: z
        .array(z.string().max(1000))
        .min(0)
        .max(100)
        .describe('Labels; exactly one unless the list takes several'),
    }),
    example: { ref: 'e12', options: ['Large'] },
    acts: true,
    done: () => 'Selected.',
    plan: ({ ref: element, options }) => ({
      on: { ref: element, how: 'none' },
      work: silently((page) => page.select(element, options)),
      record: (on) => on && { kind: 'select', on, options },
    }),
  }),
  press: kind({
    title: 'Press a key',
    description: 'Press a key, such as Enter, Escape, PageDown or Control+a. Returns what changed.',
    schema: z.strictObject({ key: z.string().min(1).max(40) }),
    example: { key: 'Enter' },
    acts: true,
    done: () => 'Pressed.',
    plan: ({ key }) => ({
      on: {
        ref: undefined,
        how: /(^|\+)(Numpad)?Enter$/i.test(key) ? 'Enter' : /^( |space)$/i.test(key) ? 'click' : 'none',
      },
      work: silently((page) => page.press(key)),
      // A password may be typed key by key.
      record: (on) =>
        on?.isPassword && [...key].length === 1
          ? { kind: 'type', on, text: undefined, submit: false }
          : { kind: 'press', key },
    }),
  }),
  wait: kind({
    title: 'Wait for the page',
    description:
      'Wait until the page shows a text or a visible element, or no longer (gone), or with neither until it is quiet. Returns what changed.',
    schema: z.strictObject({
      text: z.string().min(1).max(200).optional(),
      selector: z.string().min(1).max(1000).optional().describe('CSS selector'),
      gone: z.boolean().optional(),
      seconds: z.int().min(1).max(30).optional().describe('At most; default 10'),
    }),
    example: { text: 'Order confirmed', seconds: 10 },
    acts: false,
    done: () => '',
    plan: ({ text, selector, gone = false, seconds = 10 }) => ({
      async work(page) {
        const isSo = await page.wait({ text, selector, gone }, seconds * 1000);
        return isSo ? 'It is so.' : `It isn't so after ${seconds} s.`;
      },
      record: () => ({ kind: 'wait', text, selector, gone }),
    }),
  }),
  dialog: kind({
    title: 'Answer dialogs',
    description: 'Set how dialogs (alert, confirm, prompt) are answered from now on; by default they are accepted.',
    schema: z.strictObject({
      answer: z.enum(['accept', 'dismiss']),
      text: z.string().max(10_000).optional().describe('For prompts'),
    }),
    example: { answer: 'dismiss' },
    acts: false,
    done: () => 'Set.',
    plan: ({ answer, text }) => ({
      work: silently(async (page) => page.answerDialogs(answer === 'accept', text)),
      record: () => ({ kind: 'dialog', accept: answer === 'accept', text }),
    }),
  }),
  tab: kind({
    title: 'Use tabs',
    description:
      'List the tabs of the session, open a new one, or select or close one by its number. The page tools act in the selected tab.',
    schema: z.strictObject({
      do: z.enum(['list', 'new', 'select', 'close']),
      tab: z.int().min(1).max(1000).optional().describe('Number of the tab to select or close'),
    }),
    example: { do: 'select', tab: 1 },
    acts: false,
    done: () => '',
    plan({ do: what, tab }) {
      if ((what === 'select' || what === 'close') !== (tab !== undefined))
        throw new ServiceError(
          400,
          'Send "tab" to select or close one, and only then. Send, for example: {"do":"select","tab":1}',
        );
      return {
        async work(page) {
          if (what === 'new') await page.openTab();
          else if (what === 'select') await page.selectTab(tab ?? 0);
          else if (what === 'close') await page.closeTab(tab ?? 0);
          return (await page.tabs()).map(describeTab).join('\n');
        },
        record: () => (what === 'list' ? undefined : { kind: 'tab', what, tab: tab ?? 0 }),
      };
    },
  }),
  upload: kind({
    title: 'Upload files',
    description:
      "Give files of the user's machine to the page, by the element that opens the file dialog. The user is asked first. Returns what changed.",
    schema: z.strictObject({
      ref,
      paths: z.array(z.string().min(1).max(4096)).min(1).max(20).describe('Absolute paths'),
    }),
    example: { ref: 'e12', paths: ['/home/ada/report.pdf'] },
    acts: true,
    asks: true,
    done: () => 'Uploaded.',
    plan: ({ ref: element, paths }) => ({
      on: { ref: element, how: 'click' },
      files: paths,
      work: silently((page) => page.upload(element, paths)),
      record: (on) => on && { kind: 'upload', on, paths },
    }),
  }),
} satisfies Record<string, ActionKind>;

function describeTab({ number, title, url, isCurrent }: OpenTab): string {
  return `${isCurrent ? '*' : '-'} ${number} ${title ? `${title.slice(0, 100)} ` : ''}${url.slice(0, 500)}`;
}

function destination(text: string): URL | 'back' | 'forward' | 'reload' {
  const word = text.trim().toLowerCase();
  if (word === 'back' || word === 'forward' || word === 'reload') return word;
  const url = parseUrl(addScheme(text.trim()));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new ServiceError(
    400,
    'Only http and https URLs can be opened. Send, for example: {"url":"https://example.com"}',
  );
}
