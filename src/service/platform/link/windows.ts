import packageJson from '../../../../package.json' with { type: 'json' };
import { isNewerVersion } from '../../../contract/versions.ts';
import type { Clock } from '../clock.ts';
import type { Events } from '../events.ts';
import type { WindowModels } from '../language-model/window-models.ts';
import type { Surroundings } from '../platform.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createLinks, type WindowLink } from './link.ts';

export interface WindowsParts extends Surroundings {
  events: Events;
  windowModels: WindowModels;
  webhooks: Pick<Webhooks, 'setSecret'>;
  /** Whether nothing would be lost if the service ended now. */
  isIdle(): boolean;
  isForOthers: boolean;
  /** Whether the service stops when no window needs it. */
  linked: boolean;
  /** How long it waits before that, in minutes. */
  keepMinutes: number;
}

/** Opens the links to VS Code's windows, and ends the service when they no longer need it. */
export function openWindows(parts: WindowsParts) {
  const { clock, log, onDone, events, windowModels, webhooks, isIdle, isForOthers, linked, keepMinutes } = parts;
  let successor: string | undefined;
  const takeover = createTakeover<WindowLink>({
    version: packageJson.version,
    clock,
    idle: isIdle,
    onTakeover: (version) => {
      successor = version;
      onDone(`version ${version} takes over`);
    },
  });
  const links = createLinks({
    version: packageJson.version,
    clock,
    log,
    ...(linked && {
      onAbandoned: () => onDone('the last window closed'),
      onHello: (from: WindowLink, version: string) => takeover.linked(from, version),
      onStop: () => onDone('requested by a window'),
    }),
    onWebhookSecret: webhooks.setSecret,
    onWarm: () => events.emit('warm', undefined),
    onModelMessage: windowModels.heard,
    ...(!isForOthers && {
      onSearchEndpoint: (from: WindowLink, endpoint: string | null) =>
        events.emit('searchEndpoint', { from, endpoint }),
    }),
    ...(keepMinutes > 0 && {
      lingerMs: keepMinutes * 60_000,
      onLastLinkGone: () => events.emit('windowsGone', { keepSeconds: keepMinutes * 60 }),
    }),
    onLinkGone: (from) => {
      windowModels.gone(from);
      takeover.gone(from);
      events.emit('linkGone', from);
    },
  });
  return {
    links,
    goodbye: (reason: string) =>
      links.sendAll({ type: 'goodbye', reason, ...(successor !== undefined && { successor }) }),
    close() {
      takeover.close();
      links.close();
    },
  };
}

export interface TakeoverOptions {
  /** Version of this service. */
  version: string;
  clock: Clock;
  /** Whether no session, job or request would be lost. */
  idle(): boolean;
  /** Called once, with the version of the window that starts the next service. */
  onTakeover(version: string): void;
}

const checkMs = 1_000;

/** Ends this service for a newer one, when nothing runs on it: checks that only while a window with a newer version is linked. */
export function createTakeover<Window>(options: TakeoverOptions) {
  const { version: own, clock, idle } = options;
  const newer = new Map<Window, string>();
  let cancel: (() => void) | undefined;

  function watch(): void {
    cancel = clock.after(checkMs, () => {
      cancel = undefined;
      if (!idle()) return watch();
      const successor = [...newer.values()].reduce((best, version) => (isNewerVersion(version, best) ? version : best));
      options.onTakeover(successor);
    });
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  return {
    /** A window linked to this service with an extension of this version. */
    linked(window: Window, version: string): void {
      if (!isNewerVersion(version, own)) return;
      newer.set(window, version);
      if (!cancel) watch();
    },
    gone(window: Window): void {
      newer.delete(window);
      if (newer.size === 0) stop();
    },
    close: stop,
  };
}
