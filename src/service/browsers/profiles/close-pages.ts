import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../platform/async.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { Protocol } from '../chrome/protocol.ts';
import { withBlankPages } from './portable-state.ts';

/** Limits for pages that don't respond, in milliseconds. */
const answerMs = 1000;
const closingMs = 2000;

/**
 * Closes all pages, without the code that they run as they close, and resolves once Chrome has written their local storage to the
 * disk: as it exits, it drops large values that were stored shortly before.
 */
export async function closePages(client: CdpClient): Promise<void> {
  const targets = await targetsOf(client);
  // The answer of a page's process also says that what the page stored last has left it.
  await Promise.all(targets.map((target) => within(answerMs, stopScripts(client, target))));
  // Chrome may exit with its last page.
  await client.send('Target.createTarget', { url: 'about:blank', background: true });
  const pages = targets.filter(({ type }) => type === 'page').map(({ targetId }) => targetId);
  await Promise.all(pages.map((targetId) => client.send('Target.closeTarget', { targetId }).catch(() => undefined)));
  const end = Date.now() + closingMs;
  while (Date.now() < end && (await targetsOf(client)).some(({ targetId }) => pages.includes(targetId))) await wait(10);
  // Chrome writes the storage of an origin when its last page closes, and reads that of one without pages after that. This one is
  // in no history.
  await withBlankPages(client, async (visit) => void (await visit('chrome://version', 'String(localStorage.length)')));
}

async function targetsOf(client: CdpClient): Promise<Protocol.Target.TargetInfo[]> {
  const { targetInfos } = await client.send('Target.getTargets');
  return targetInfos.filter(({ type }) => type === 'page' || type === 'iframe');
}

async function stopScripts(client: CdpClient, { targetId }: Protocol.Target.TargetInfo): Promise<void> {
  try {
    const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
    await client.send('Emulation.setScriptExecutionDisabled', { value: true }, sessionId);
  } catch {
    // It has closed.
  }
}
