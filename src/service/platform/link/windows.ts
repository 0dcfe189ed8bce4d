import packageJson from '../../../../package.json' with { type: 'json' };
import type { Events } from '../events.ts';
import type { WindowModels } from '../language-model/window-models.ts';
import type { Surroundings } from '../platform.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createLinks, type WindowLink } from './link.ts';
import { createTakeover } from './takeover.ts';

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
