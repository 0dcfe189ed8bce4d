import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../../answers/answer.ts';
import { addScheme } from '../../../contract/addresses.ts';
import { ServiceError } from '../../errors.ts';
import type { AddressPolicy } from '../../fetch/address-policy/address-policy.ts';
import { createDeadline } from '../../page/deadline.ts';
import { describePage, openPageDriver, type PageDriver } from '../../page/driver/driver.ts';
import { changes } from './changes.ts';
import { working } from './progress.ts';
import type { AgentSessions } from './sessions.ts';
import { acts, reads, sessionField, type Tool, type ToolCall, tool } from './tool.ts';

/** Milliseconds for one call on a page. */
const callMs = 45_000;
/** Milliseconds to wait for the end of a download that an action started. */
const downloadMs = 5_000;

const ref = z.string().min(1).max(40).describe('Reference of the element in a page_snapshot, such as e12');

/** Tools that see and act on the page of a session. */
export function pageTools(sessions: AgentSessions, policy: AddressPolicy): Record<string, Tool> {
  interface Options {
    call: ToolCall;
    session: string | undefined;
    open?: boolean;
  }

  /** Drives the page of a session when its turn comes. */
  async function onPage<Result>(
    { call, session: given, open = false }: Options,
    work: (page: PageDriver, sessionId: string, downloads: string) => Promise<Result>,
  ): Promise<Result> {
    const session = await sessions.find(call.agent, given, { open });
    const turn = session.inTurn({ signal: call.signal }, async ({ host, signal }) => {
      const late = () =>
        new ServiceError(
          408,
          `The page didn't respond within ${callMs / 1000} s. Next: page_navigate to another page, or session_close.`,
        );
      const deadline = createDeadline(callMs, signal, late);
      const { promise: over, reject } = Promise.withResolvers<never>();
      over.catch(() => undefined);
      deadline.signal.addEventListener('abort', () => reject(signal.aborted ? signal.reason : late()), { once: true });
      const opening = openPageDriver(host, policy, deadline);
      const done = opening.then((page) => work(page, session.id, host.downloads));
      try {
        return await Promise.race([done, over]);
      } finally {
        // What is still under way must not act on the page in the turn of another call.
        const closed = opening.then((page) => page.close()).catch(() => undefined);
        await Promise.race([closed, over.catch(() => undefined)]);
      }
    });
    return await working(call, 'Waiting for the page', turn);
  }

  /** Acts on a page, and answers with what changed on it. */
  async function act(options: Options, done: string, work: (page: PageDriver) => Promise<void>): Promise<Answer> {
    const { agent } = options.call;
    return await onPage(options, async (page, sessionId, downloads) => {
      await work(page);
      const files = await downloaded(page, downloads);
      const view = await page.view();
      const seen = agent.seen.get(sessionId);
      agent.seen.set(sessionId, view);
      return {
        text: done,
        content: { name: 'page', text: [...dialogs(page), ...files, changes(seen, view)].join('\n') },
      };
    });
  }

  return {
    page_navigate: tool({
      title: 'Open a page',
      description: 'Go to a URL, or back, forward or reload. Opens a session if you have none. Returns the page.',
      schema: z.strictObject({
        url: z.string().min(1).max(8192).describe('http or https URL, or: back, forward, reload'),
        session: sessionField,
      }),
      example: { url: 'https://example.com' },
      hints: acts,
      async run({ url, session }, call) {
        const to = destination(url);
        return await act({ call, session, open: true }, 'Opened.', (page) => page.navigate(to));
      },
    }),
    page_snapshot: tool({
      title: 'Read the page',
      description:
        'Read the page of a session: its text and elements, with references such as [e12] for other tools. Cheaper than a screenshot.',
      schema: z.strictObject({
        find: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('Only lines that contain this, with the lines they are in'),
        session: sessionField,
      }),
      example: {},
      hints: reads,
      run: ({ find, session }, call) =>
        onPage({ call, session }, async (page, sessionId) => {
          const view = await page.view();
          if (find === undefined) {
            call.agent.seen.set(sessionId, view);
            return { content: { name: 'page', text: describePage(view) } };
          }
          const { count, text } = matching(view.outline, find);
          if (count === 0)
            return { text: 'Nothing on the page contains that.', next: 'Next: page_snapshot without "find".' };
          return { content: { name: 'page', text } };
        }),
    }),
    page_click: tool({
      title: 'Click an element',
      description: 'Click an element. Returns what changed on the page.',
      schema: z.strictObject({
        ref,
        kind: z.enum(['click', 'double', 'right', 'hover']).optional().describe('default click'),
        session: sessionField,
      }),
      example: { ref: 'e12' },
      hints: acts,
      run: ({ ref: element, kind = 'click', session }, call) =>
        act({ call, session }, kind === 'hover' ? 'Hovered.' : 'Clicked.', (page) => page.click(element, kind)),
    }),
    page_type: tool({
      title: 'Type into a field',
      description: 'Replace the text of a field, and optionally press Enter. Returns what changed on the page.',
      schema: z.strictObject({
        ref,
        text: z.string().max(100_000),
        submit: z.boolean().optional().describe('Press Enter afterwards'),
        session: sessionField,
      }),
      example: { ref: 'e12', text: 'green tea', submit: true },
      hints: acts,
      run: ({ ref: element, text, submit = false, session }, call) =>
        act({ call, session }, 'Typed.', async (page) => {
          await page.type(element, text);
          if (submit) await page.press('Enter');
        }),
    }),
    page_select: tool({
      title: 'Select options',
      description: 'Select options of a list by their labels. Returns what changed on the page.',
      schema: z.strictObject({
        ref,
        options: z
          .array(z.string().max(1000))
          .min(0)
          .max(100)
          .describe('Labels; exactly one unless the list takes several'),
        session: sessionField,
      }),
      example: { ref: 'e12', options: ['Large'] },
      hints: acts,
      run: ({ ref: element, options, session }, call) =>
        act({ call, session }, 'Selected.', (page) => page.select(element, options)),
    }),
    page_press: tool({
      title: 'Press a key',
      description: 'Press a key, such as Enter, Escape, PageDown or Control+a. Returns what changed on the page.',
      schema: z.strictObject({ key: z.string().min(1).max(40), session: sessionField }),
      example: { key: 'Enter' },
      hints: acts,
      run: ({ key, session }, call) => act({ call, session }, 'Pressed.', (page) => page.press(key)),
    }),
    page_screenshot: tool({
      title: 'Take a screenshot',
      description:
        'Take a picture of the page or of one element. For how things look; use page_snapshot to read or act.',
      schema: z.strictObject({
        ref: ref.optional(),
        fullPage: z.boolean().optional().describe('The whole page, not only what is in view'),
        session: sessionField,
      }),
      example: {},
      hints: reads,
      run: ({ ref: element, fullPage = false, session }, call) =>
        onPage({ call, session }, async (page) => ({
          images: [await page.screenshot({ ref: element, fullPage })],
        })),
    }),
  };
}

function destination(text: string): URL | 'back' | 'forward' | 'reload' {
  const word = text.trim().toLowerCase();
  if (word === 'back' || word === 'forward' || word === 'reload') return word;
  const url = URL.parse(addScheme(text.trim()));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new ServiceError(
    400,
    'Only http and https URLs can be opened. Send, for example: {"url":"https://example.com"}',
  );
}

function dialogs(page: PageDriver): string[] {
  return page.dialogs.map((dialog) => `A dialog was shown and accepted: ${dialog}`);
}

/** Returns the lines that contain words, with the lines that they are indented under. */
function matching(outline: string, find: string): { count: number; text: string } {
  const wanted = find.toLowerCase();
  const shown: string[] = [];
  let around: { depth: number; line: string; isShown: boolean }[] = [];
  let count = 0;
  for (const line of outline.split('\n')) {
    const depth = line.length - line.trimStart().length;
    around = around.filter((outer) => outer.depth < depth);
    const isMatch = line.toLowerCase().includes(wanted);
    if (isMatch) {
      count++;
      for (const outer of around) {
        if (!outer.isShown) shown.push(outer.line);
        outer.isShown = true;
      }
      shown.push(line);
    }
    around.push({ depth, line, isShown: isMatch });
  }
  return { count, text: shown.join('\n') };
}

/** Returns a line for each file that was downloaded, once they are complete. */
async function downloaded(page: PageDriver, folder: string): Promise<string[]> {
  const isPending = () => page.downloads.some(({ state }) => state === 'inProgress');
  for (const end = performance.now() + downloadMs; isPending() && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  return page.downloads.map(({ id, name, state, path }) => {
    if (state !== 'completed')
      return `Download of ${name}: ${state === 'inProgress' ? 'still in progress' : 'cancelled'}`;
    // While code of the session uses Playwright, files have the ID of their download as their name.
    const found = path ?? [id, name].map((each) => join(folder, each)).find((each) => existsSync(each));
    return `Downloaded ${name}: ${found ?? folder}`;
  });
}
