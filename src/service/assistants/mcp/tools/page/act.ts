import type { Answer } from '../../../../../answers/answer.ts';
import { shorten } from '../../../../../contract/shorten.ts';
import type { Download, Foreseen, PageDriver } from '../../../../browsers/page/driver/driver.ts';
import type { Session } from '../../../../browsers/sessions/session.ts';
import type { LocatedElement, PageAction } from '../../../page-actions/page-actions.ts';
import { hostOf } from '../../../steering/hosts.ts';
import { grantOf, type Wanted } from '../../../steering/permits.ts';
import { namedIn } from '../../../steering/snippet.ts';
import type { Steering } from '../../../steering/steering.ts';
import { deleteDownload, describeDownload, finished } from '../downloads.ts';
import type { ToolCall } from '../tool.ts';
import { changes } from './changes.ts';

export interface ActParts {
  session: Session;
  call: ToolCall;
  steering: Steering;
  /** Drives the page of the session when its turn comes. */
  inTurn<Result>(signal: AbortSignal, work: (page: PageDriver, downloads: string) => Promise<Result>): Promise<Result>;
}

/** The user has to be asked before it goes on: outside the turn, so that others can use the session meanwhile. */
class MustAsk extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super('The user must be asked.');
    this.wanted = wanted;
  }
}

/** Milliseconds to leave a page on which an agent must not be. */
const leaveMs = 5_000;

/**
 * Acts on a page, once the user allows it where they have to, and answers with what changed on it. A page on another host
 * than foreseen, such as after a redirect, is not shown before the user allows it.
 */
export async function actOnPage(parts: ActParts, done: string, action: PageAction): Promise<Answer> {
  const { session, call, steering } = parts;
  const { agent } = call;
  const permitted = new Set<string>();
  let isDone = false;
  let told: string | undefined;

  const isPermitted = (wanted: Wanted) => permitted.has(grantOf(wanted)) || steering.permits(wanted, agent.caller);
  const want = (wanted: Omit<Wanted, 'sessionId'>) => {
    const full = { ...wanted, sessionId: session.id };
    if (!isPermitted(full)) throw new MustAsk(full);
  };
  const wantHost = (url: string) => {
    const host = hostOf(url);
    if (host) want({ kind: 'host', host, detail: url });
  };

  const wantFiles = (paths: readonly string[], url: string) =>
    want({ kind: 'upload', host: hostOf(url) ?? '', detail: paths.join('\n') });

  async function attempt(page: PageDriver): Promise<{ lines: string[]; downloads: readonly Download[] }> {
    if (!isDone) {
      const foreseen = action.on && (await page.foresee(action.on.ref, action.on.how));
      if (action.to) wantHost(action.to.href);
      if (action.on) wantHost(await page.url);
      if (foreseen) check(foreseen);
      const outline = agent.seen.get(session.id)?.outline ?? '';
      if (action.files) wantFiles(action.files, foreseen?.url ?? (await page.url));
      told = await action.work(page);
      isDone = true;
      const recorded = action.record?.(foreseen && located(foreseen, action.on?.ref, outline));
      if (recorded) steering.record(session.id, recorded);
    }
    wantHost(await page.url);
    const downloads = await finished(page);
    const view = await page.view();
    const seen = agent.seen.get(session.id);
    agent.seen.set(session.id, view);
    const dialogs = page.dialogs.map((dialog) => `A dialog was shown and ${dialog}`);
    return { lines: [...(told === undefined ? [] : [told]), ...dialogs, await changes(seen, view)], downloads };
  }

  function check(foreseen: Foreseen): void {
    wantHost(foreseen.url);
    for (const target of foreseen.targets) wantHost(target);
    if (!foreseen.submitsPassword) return;
    const detail = foreseen.targets[0] ?? foreseen.url;
    want({ kind: 'password', host: hostOf(detail) ?? '', detail });
  }

  async function attempts(): Promise<{ lines: string[]; downloads: readonly Download[]; folder: string }> {
    for (;;) {
      try {
        const anyPage = action.on === undefined || isDone;
        return await steering.act(session, call, { anyPage }, (checkTaken) =>
          parts.inTurn(call.signal, async (page, folder) => {
            checkTaken();
            return { ...(await attempt(page)), folder };
          }),
        );
      } catch (error) {
        if (!(error instanceof MustAsk)) throw error;
        try {
          await steering.permit(error.wanted, call);
        } catch (refusal) {
          if (isDone) await parts.inTurn(AbortSignal.timeout(leaveMs), (page) => page.leave()).catch(() => undefined);
          throw refusal;
        }
        permitted.add(grantOf(error.wanted));
      }
    }
  }

  const { lines, downloads, folder } = await attempts();
  const files: string[] = [];
  for (const download of downloads) {
    const host = hostOf(download.url) ?? hostOf(agent.seen.get(session.id)?.url ?? '') ?? '';
    const wanted: Wanted = { kind: 'download', sessionId: session.id, host, detail: download.name };
    try {
      if (!isPermitted(wanted)) await steering.permit(wanted, call);
      files.push(describeDownload(download, folder));
    } catch (refusal) {
      await parts.inTurn(AbortSignal.timeout(leaveMs), (page) => deleteDownload(page, download, folder));
      files.push(`Download of ${shorten(download.name, 100)}: deleted. ${(refusal as Error).message}`);
    }
  }
  return { text: done, content: { name: 'page', text: [...files, ...lines].join('\n') } };
}

function located(foreseen: Foreseen, ref: string | undefined, outline: string): LocatedElement {
  const { css, frames, isPassword, label, labelNth } = foreseen;
  // Fields for passwords have no role.
  const named = ref === undefined || isPassword ? {} : namedIn(outline, ref);
  if (named.role !== undefined) return { css, frames, isPassword, ...named };
  return { css, frames, isPassword, label, nth: labelNth };
}
