import * as l10n from '@vscode/l10n';
import { isLoopback, siteAddress } from '../../contract/addresses.ts';
import type { Shown } from '../../webviews/live-view/messages.ts';
import type { Disposable } from '../ui/lifecycle.ts';

/** Frames over sockets at these URLs. */
export interface FramesSource {
  kind: 'frames';
  watch: URL;
  control: URL | undefined;
}

/** How a session is shown. */
export type ViewSource =
  | FramesSource
  /** The page of another server, or its frames if there are sockets at these URLs. */
  | { kind: 'page'; address: URL; control: boolean; canControl: boolean; frames: FramesSource }
  | Extract<Shown, { kind: 'nothing' }>;

/** Returns how a session can be shown. Its URLs are checked: only https, or the exact origin of a service on this machine. */
export function viewSource(
  session: LiveSession | undefined,
  where: { embedded: boolean; baseUrl: string; control: boolean },
): ViewSource {
  if (!session) return { kind: 'nothing', reason: l10n.t('This session no longer exists.') };
  if (session.status !== 'active') {
    const { endReason } = session;
    const known = endReason && endReason !== 'ended';
    const reason = known ? l10n.t('The session has ended: {0}.', endReason) : l10n.t('The session has ended.');
    return { kind: 'nothing', reason };
  }
  const { liveViewUrl, interactiveLiveViewUrl } = session;
  if (!liveViewUrl && !interactiveLiveViewUrl) {
    return { kind: 'nothing', reason: l10n.t('This session has no live view.') };
  }
  const watch = openableAddress(liveViewUrl, where.baseUrl);
  const control = openableAddress(interactiveLiveViewUrl, where.baseUrl);
  const invalid = {
    kind: 'nothing',
    reason: l10n.t("The server sent an invalid live view URL, so it wasn't opened."),
  } as const;
  if ((liveViewUrl && !watch) || (interactiveLiveViewUrl && !control)) return invalid;
  if (where.embedded) {
    const origin = new URL(where.baseUrl).origin;
    const isFromService = (address: URL | undefined) => address === undefined || address.origin === origin;
    if (!watch || !isFromService(watch) || !isFromService(control)) return invalid;
    return { kind: 'frames', watch, control };
  }
  const address = where.control ? (control ?? watch) : (watch ?? control);
  if (!address) return invalid;
  return {
    kind: 'page',
    address,
    control: address === control,
    canControl: watch !== undefined && control !== undefined,
    frames: { kind: 'frames', watch: watch ?? address, control },
  };
}

/**
 * Returns a server-provided page URL if it is safe to open: https, or http on the origin of a service on this machine.
 * Undefined for everything else (other schemes, user info, other unencrypted hosts).
 */
export function openableAddress(text: unknown, serverBaseUrl: string): URL | undefined {
  const url = siteAddress(text);
  if (url?.protocol !== 'http:') return url;
  return isLoopback(url.hostname) && url.origin === URL.parse(serverBaseUrl)?.origin ? url : undefined;
}

/** What a live view needs to know about a session. */
export interface LiveSession {
  id: string;
  name: string | undefined;
  status: string;
  endReason: string | undefined;
  liveViewUrl: string | undefined;
  interactiveLiveViewUrl: string | undefined;
}

/** Looks up the sessions of this window. */
export interface LiveSessions {
  /** The session that runs use. */
  readonly current: LiveSession | undefined;
  /** Newest first. */
  readonly active: readonly LiveSession[];
  find(sessionId: string): LiveSession | undefined;
  onDidChange(listener: () => void): Disposable;
}

/** Returns the session that a live view should show that shows this one: the current one, or after its end the newest that has a live view. */
export function followedSession(sessions: LiveSessions, shownId: string): string {
  if (sessions.current) return sessions.current.id;
  const shown = sessions.find(shownId);
  if (shown?.status === 'active') return shownId;
  const next = sessions.active.find(({ liveViewUrl, interactiveLiveViewUrl }) => liveViewUrl || interactiveLiveViewUrl);
  return next?.id ?? shownId;
}
