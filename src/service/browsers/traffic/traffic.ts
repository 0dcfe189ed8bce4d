import { within } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { type KeptTexts, limitKeptTexts } from '../../platform/kept-texts.ts';
import type { Log } from '../../platform/log.ts';
import { type CdpClient, connectCdpClient } from '../chrome/cdp-client.ts';
import type { Relay } from '../chrome/relay/relay.ts';
import { recordConsole } from './console.ts';
import { type NetworkRecord, recordRequests } from './requests.ts';

/** What the pages of a session log and request, since somebody could read it: recording slows pages down. */
export type Traffic = ReturnType<typeof createTraffic>;

export type Recording = Awaited<ReturnType<typeof record>>;

const kinds = new Set(['page', 'iframe', 'worker', 'shared_worker', 'service_worker']);
/** How long it waits until the pages that are open are recorded, in milliseconds: a page that is busy answers later. */
const openPagesMs = 2_000;

/** What is kept of the requests of all sessions. */
const texts = new Set<KeptTexts>();
/** Most characters of it that the sessions of a team have, and all. */
const [mostOfTeam, mostOfAll] = [150_000_000, 400_000_000];

/** Records the console and the network of a browser. It has a connection of its own: other clients notice nothing. */
export function createTraffic(relay: Relay, team: string, clock: Clock, log: Log) {
  let client: CdpClient | undefined;
  let own: KeptTexts | undefined;
  let lastUsed = clock.monotonic();
  let closed = false;
  let recording: Promise<Recording> | undefined;
  return {
    /** Begins to record, unless it was begun. Rejects if the browser is gone. */
    begin(): Promise<Recording> {
      lastUsed = clock.monotonic();
      recording ??= connectCdpClient(relay, { fitsPages: true }).then((connected) => {
        client = connected;
        if (closed) client.close();
        const network = recordRequests(client, () => {
          lastUsed = clock.monotonic();
          limitKeptTexts([...texts], mostOfTeam, mostOfAll);
        });
        own = {
          team,
          get length() {
            return network.length;
          },
          get lastUsed() {
            return lastUsed;
          },
          forget: network.forget,
        };
        if (!closed) texts.add(own);
        return record(client, network, clock.now(), log);
      });
      // The next look tries again.
      recording.catch(() => {
        recording = undefined;
      });
      return recording;
    },
    close(): void {
      closed = true;
      if (own) texts.delete(own);
      client?.close();
    },
  };
}

/** @param since wall-clock milliseconds */
async function record(client: CdpClient, network: NetworkRecord, since: number, log: Log) {
  const traffic = { console: recordConsole(client), network, since };
  const following = new Set<Promise<unknown>>();
  /** Chrome may attach a worker twice: for the browser and for its page. */
  const followed = new Map<string, string>();
  client.on('Target.detachedFromTarget', ({ sessionId }) => {
    for (const [targetId, by] of followed) if (by === sessionId) followed.delete(targetId);
  });
  client.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const { type, targetId } = targetInfo;
    const isNew = kinds.has(type) && !followed.has(targetId);
    if (isNew) followed.set(targetId, sessionId);
    const started = followTarget(client, isNew ? traffic : undefined, sessionId);
    following.add(started);
    void started.finally(() => following.delete(started));
  });
  await attach(client, undefined).catch((error: unknown) =>
    log.warn({ reason: messageOf(error) }, "the console and network of a session aren't recorded"),
  );
  await within(openPagesMs, Promise.all(following));
  return traffic;
}

/** Records a target and what belongs to it. All commands are sent at once, so that it continues whatever becomes of them. */
async function followTarget(client: CdpClient, traffic: Recording | undefined, sessionId: string): Promise<void> {
  const steps = traffic
    ? [traffic.network.follow(sessionId), traffic.console.follow(sessionId), attach(client, sessionId)]
    : [];
  await Promise.allSettled([...steps, client.send('Runtime.runIfWaitingForDebugger', {}, sessionId)]);
}

/** New targets wait until they are recorded: their first request would be missed. */
function attach(client: CdpClient, sessionId: string | undefined): Promise<unknown> {
  return client.send(
    'Target.setAutoAttach',
    { autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
    sessionId,
  );
}
