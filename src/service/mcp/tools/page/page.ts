import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import { addScheme } from '../../../../contract/addresses.ts';
import { limits } from '../../../../contract/limits.ts';
import { ServiceError } from '../../../errors.ts';
import type { AddressPolicy } from '../../../fetch/address-policy/address-policy.ts';
import { createDeadline } from '../../../page/deadline.ts';
import { describePage, openPageDriver, type PageDriver } from '../../../page/driver/driver.ts';
import type { Session } from '../../../sessions/session.ts';
import type { Steering } from '../../../steering/steering.ts';
import { working } from '../progress.ts';
import type { AgentSessions } from '../sessions.ts';
import { acts, reads, sessionField, type Tool, type ToolCall, tool } from '../tool.ts';
import { actOnPage, type PageAction } from './page-actions.ts';

/** Milliseconds for one call on a page. */
const callMs = 45_000;

const ref = z.string().min(1).max(40).describe('Reference of the element in a page_snapshot, such as e12');

/** Tools that see and act on the page of a session. */
export function pageTools(sessions: AgentSessions, policy: AddressPolicy, steering: Steering): Record<string, Tool> {
  interface Options {
    call: ToolCall;
    session: string | undefined;
    open?: boolean;
  }

  /** Drives the page of a session when its turn comes. */
  async function inTurn<Result>(
    session: Session,
    call: ToolCall,
    callSignal: AbortSignal,
    work: (page: PageDriver, downloads: string) => Promise<Result>,
  ): Promise<Result> {
    const turn = session.inTurn({ signal: callSignal }, async ({ host, signal }) => {
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
      const done = opening.then((page) => work(page, host.downloads));
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

  /** Looks at the page of a session. */
  async function look(
    { call, session: given }: Options,
    work: (page: PageDriver, sessionId: string) => Promise<Answer>,
  ): Promise<Answer> {
    const session = await sessions.find(call.agent, given);
    if (steering.look(session.id, call)) call.agent.seen.delete(session.id);
    return await inTurn(session, call, call.signal, (page) => work(page, session.id));
  }

  /** Acts on a page, and answers with what changed on it. */
  async function act(
    { call, session: given, open = false }: Options,
    done: string,
    action: PageAction,
  ): Promise<Answer> {
    const session = await sessions.find(call.agent, given, { open });
    return await actOnPage(
      { session, call, steering, inTurn: (signal, work) => inTurn(session, call, signal, work) },
      done,
      action,
    );
  }

  return {
    page_navigate: tool({
      title: 'Open a page',
      description: 'Go to a URL, or back, forward or reload. Opens a session if you have none. Returns the page.',
      schema: z.strictObject({
        url: z.string().min(1).max(limits.url).describe('http or https URL, or: back, forward, reload'),
        session: sessionField,
      }),
      example: { url: 'https://example.com' },
      hints: acts,
      async run({ url, session }, call) {
        const to = destination(url);
        return await act({ call, session, open: true }, 'Opened.', {
          ...(to instanceof URL && { to }),
          work: (page) => page.navigate(to),
          record: () => ({ kind: 'navigate', to: to instanceof URL ? to.href : to }),
        });
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
        look({ call, session }, async (page, sessionId) => {
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
        act({ call, session }, kind === 'hover' ? 'Hovered.' : 'Clicked.', {
          on: { ref: element, how: kind === 'hover' || kind === 'right' ? 'none' : 'click' },
          work: (page) => page.click(element, kind),
          record: (on) => on && { kind: 'click', how: kind, on },
        }),
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
        act({ call, session }, 'Typed.', {
          on: { ref: element, how: submit ? 'Enter' : 'none' },
          async work(page) {
            await page.type(element, text);
            if (submit) await page.press('Enter');
          },
          record: (on) => on && { kind: 'type', on, text: on.isPassword ? undefined : text, submit },
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
        act({ call, session }, 'Selected.', {
          on: { ref: element, how: 'none' },
          work: (page) => page.select(element, options),
          record: (on) => on && { kind: 'select', on, options },
        }),
    }),
    page_press: tool({
      title: 'Press a key',
      description: 'Press a key, such as Enter, Escape, PageDown or Control+a. Returns what changed on the page.',
      schema: z.strictObject({ key: z.string().min(1).max(40), session: sessionField }),
      example: { key: 'Enter' },
      hints: acts,
      run: ({ key, session }, call) =>
        act({ call, session }, 'Pressed.', {
          on: {
            ref: undefined,
            how: /(^|\+)(Numpad)?Enter$/i.test(key) ? 'Enter' : /^( |space)$/i.test(key) ? 'click' : 'none',
          },
          work: (page) => page.press(key),
          // A password may be typed key by key.
          record: (on) =>
            on?.isPassword && [...key].length === 1
              ? { kind: 'type', on, text: undefined, submit: false }
              : { kind: 'press', key },
        }),
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
        look({ call, session }, async (page) => ({
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
