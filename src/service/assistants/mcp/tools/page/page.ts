import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { Answer } from '../../../../../answers/answer.ts';
import { shorten } from '../../../../../contract/shorten.ts';
import { createDeadline } from '../../../../browsers/page/deadline.ts';
import {
  type DrivenState,
  describePage,
  openPageDriver,
  type PageDriver,
} from '../../../../browsers/page/driver/driver.ts';
import type { Session } from '../../../../browsers/sessions/session.ts';
import { orAborted } from '../../../../platform/async.ts';
import { ServiceError } from '../../../../platform/errors.ts';
import type { AddressPolicy } from '../../../../platform/network/address-policy/address-policy.ts';
import { type ActionKind, pageActions, ref } from '../../../page-actions/page-actions.ts';
import type { Steering } from '../../../steering/steering.ts';
import { working } from '../progress.ts';
import type { AgentSessions } from '../sessions.ts';
import { acts, reads, sessionField, steers, type Tool, type ToolCall, tool } from '../tool.ts';
import { actOnPage } from './act.ts';

/** Milliseconds for one call on a page. */
const callMs = 45_000;
const late = (limitMs: number) =>
  new ServiceError(
    408,
    `The page didn't respond within ${limitMs / 1000} s. Next: page_navigate to another page, or session_close.`,
  );

/**
 * Tools that see and act on the page of a session.
 * @param readsFiles whether agents may use files of this machine
 */
export function pageTools(
  sessions: AgentSessions,
  policy: AddressPolicy,
  steering: Steering,
  readsFiles: boolean,
): Record<string, Tool> {
  /** Drives the page of a session when its turn comes. */
  async function inTurn<Result>(
    session: Session,
    call: ToolCall,
    callSignal: AbortSignal,
    work: (page: PageDriver, downloads: string) => Promise<Result>,
  ): Promise<Result> {
    const turn = session.inTurn({ signal: callSignal }, async ({ host, signal }) => {
      const deadline = createDeadline(callMs, signal, late);
      const opening = openPageDriver(host, policy, deadline, stateOf(call, session.id));
      const done = opening.then((page) => work(page, host.downloads));
      try {
        return await orAborted(done, deadline.signal);
      } finally {
        // What is still under way must not act on the page in the turn of another call.
        const closed = opening.then((page) => page.close()).catch(() => undefined);
        await orAborted(closed, deadline.signal).catch(() => undefined);
      }
    });
    return await working(call, 'Waiting for the page', turn);
  }

  /** What an agent has chosen in a session, from one call to the next. */
  function stateOf({ agent }: ToolCall, sessionId: string): DrivenState {
    const state = agent.driven.get(sessionId) ?? {};
    agent.driven.set(sessionId, state);
    return state;
  }

  /** Looks at the page of a session. */
  async function look(
    call: ToolCall,
    given: string | undefined,
    work: (page: PageDriver, sessionId: string) => Promise<Answer>,
  ): Promise<Answer> {
    const session = await sessions.find(call.agent, given);
    if (steering.look(session.id, call)) call.agent.seen.delete(session.id);
    return await inTurn(session, call, call.signal, (page) => work(page, session.id));
  }

  const acting = Object.entries(pageActions).map(([name, kind]: [string, ActionKind]) => [
    `page_${name}`,
    tool({
      title: kind.title,
      description: name === 'navigate' ? `${kind.description} Opens a session if you have none.` : kind.description,
      schema: kind.schema.extend({ session: sessionField }),
      example: kind.example,
      hints: kind.acts ? acts : steers,
      async run({ session: given, ...args }, call) {
        const planned = kind.plan(args);
        const files = planned.files && (await checkedFiles(planned.files, readsFiles));
        const action = files ? kind.plan({ ...args, paths: files }) : planned;
        const session = await sessions.find(call.agent, given as string | undefined, { open: name === 'navigate' });
        return await actOnPage(
          { session, call, steering, inTurn: (signal, work) => inTurn(session, call, signal, work) },
          kind.done(args),
          action,
        );
      },
    }),
  ]);

  return {
    ...Object.fromEntries(acting),
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
        look(call, session, async (page, sessionId) => {
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
    page_screenshot: tool({
      title: 'Take a screenshot',
      description: 'Take a picture of the page or an element. To read or act, use page_snapshot.',
      schema: z.strictObject({
        ref: ref.optional(),
        fullPage: z.boolean().optional().describe('The whole page, not only what is in view'),
        session: sessionField,
      }),
      example: {},
      hints: reads,
      run: ({ ref: element, fullPage = false, session }, call) =>
        look(call, session, async (page) => {
          let text: string | undefined;
          const image = await page.screenshot({ ref: element, fullPage }, (lacking) => {
            text = lacking;
          });
          return { text, images: [image] };
        }),
    }),
  };
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

/** Returns the real paths of files that an agent wants to give to a page. Throws a ServiceError about one that it can't. */
async function checkedFiles(paths: readonly string[], readsFiles: boolean): Promise<string[]> {
  if (!readsFiles) throw new ServiceError(403, 'This service gives no files of its machine to agents.');
  return await Promise.all(
    paths.map(async (path) => {
      if (!isAbsolute(path)) throw new ServiceError(400, '"paths" must be absolute, such as "/home/ada/report.pdf".');
      const real = await realpath(path).catch(() => undefined);
      const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
      if (real === undefined || !found?.isFile()) throw new ServiceError(404, `There is no file ${shorten(path)}.`);
      return real;
    }),
  );
}
