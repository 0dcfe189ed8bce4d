import type { Ahead } from './ahead.ts';
import { openAssistants } from './assistants/assistants.ts';
import { openBrowsers } from './browsers/browsers.ts';
import { clearBrowsers } from './browsers/clear-browsers.ts';
import type { ServiceOptions } from './options.ts';
import { within } from './platform/async.ts';
import { prepareDataDir } from './platform/data-dir.ts';
import { localUrl } from './platform/http/address.ts';
import { type Closing, openPlatform, type Surroundings } from './platform/platform.ts';
import { lockDataDir } from './platform/storage/storage.ts';
import { openWeb } from './web/web.ts';

/** A running service. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** How often a node that drains looks whether it has nothing left to do, in milliseconds. */
const drainCheckMs = 250;

/** How long the service may take to stop, in milliseconds; what takes longer is cut off. */
const stopMs = 7500;

/** Starts the service. Throws an Error with a one-line message to show: port in use, data directory in use or not writable. */
export async function startService(options: ServiceOptions, surroundings: Surroundings, ahead?: Ahead) {
  const closing: Closing = { running: new AsyncDisposableStack(), ground: new AsyncDisposableStack() };
  try {
    return await openService(options, surroundings, closing, ahead);
  } catch (error) {
    await closing.running.disposeAsync();
    await closing.ground.disposeAsync();
    throw error;
  }
}

/** Opens the four wings, each on those before it, and listens. */
async function openService(
  options: ServiceOptions,
  surroundings: Surroundings,
  closing: Closing,
  ahead: Ahead | undefined,
) {
  const { clock, log } = surroundings;
  prepareDataDir(options.dataDir);
  closing.ground.defer(ahead?.unlock ?? lockDataDir(options.dataDir));
  const onLeft = (reason: string) => log.warn({ reason }, 'a folder of an earlier browser could not be deleted');
  if (ahead?.left !== undefined) onLeft(ahead.left);
  const cleared = ahead ? Promise.resolve(ahead.temporary) : clearBrowsers(options.dataDir, onLeft);
  cleared.catch(() => undefined);
  const platform = await openPlatform(options, surroundings, closing);
  const browsers = await openBrowsers(platform, options, { temporary: await cleared, ahead: ahead?.host }, closing);
  const web = openWeb(platform, browsers, options, closing);
  const assistants = openAssistants(platform, browsers, web, options, closing);
  const { sessions } = browsers;
  const server = await platform.listen({
    handlers: assistants.handlers,
    onMcp: assistants.onMcp,
    watches: web.crawls.watches,
    pages: browsers.pages,
    isHere: sessions.isHere,
  });
  web.crawls.jobs.resume();
  web.monitors.start();
  assistants.agents.start();
  sessions.warm();

  async function drain(): Promise<void> {
    log.info('taking no new work: this node stops when its sessions have ended');
    await platform.drain();
    await Promise.all([web.crawls.jobs.giveUp(), web.monitors.close(), assistants.agents.close()]);
    while (sessions.busy() || server.openRequests() > 0) {
      await new Promise<void>((resolve) => void clock.after(drainCheckMs, resolve));
    }
  }

  async function close(reason: string): Promise<void> {
    log.info({ reason }, 'stopping the service');
    browsers.stop();
    platform.stop(reason);
    const inTime = await within(stopMs, closing.running.disposeAsync());
    if (!inTime) {
      log.warn('the service did not stop in time; its processes are killed');
      await browsers.killProcesses();
    }
    // Also of a session whose end could not be stored.
    if (!inTime || sessions.busy()) platform.leaveUnfinished();
    await closing.ground.disposeAsync();
  }

  const { port } = server;
  return {
    baseUrl: localUrl({ host: options.host, port }),
    port,
    /** The paths and methods of its router. */
    routes: server.routes,
    /**
     * Of a fleet: takes no new work and gives up its jobs. Resolves when its sessions have ended and its requests are answered.
     * Undefined without a fleet.
     */
    drain: platform.fleet && drain,
    /** Closes all sessions, browsers and snippets, then stops the service. */
    close,
  };
}
