import type { Shown } from '../../webviews/live-view/messages.ts';
import { openableAddress } from '../ui/web-page.ts';
import type { LiveSession } from './live-sessions.ts';

/** Where the pictures of a session come from. */
export type ViewSource =
  /** The embedded service: over sockets to these addresses. */
  | { kind: 'pictures'; watch: URL; control: URL | undefined }
  /** Another server: by showing its page. */
  | { kind: 'page'; address: URL; control: boolean; canControl: boolean }
  | Extract<Shown, { kind: 'nothing' }>;

/** How a session can be shown. Addresses are judged, whoever gave them: https, or the exact origin of a service on this machine. */
export function viewSource(
  session: LiveSession | undefined,
  where: { embedded: boolean; baseUrl: string; control: boolean },
): ViewSource {
  if (!session) return { kind: 'nothing', reason: 'The session is not known any more.' };
  if (session.status !== 'active') {
    const why = session.endReason && session.endReason !== 'ended' ? `: ${session.endReason}` : '';
    return { kind: 'nothing', reason: `The session has ended${why}.` };
  }
  const { liveViewUrl, interactiveLiveViewUrl } = session;
  if (!liveViewUrl && !interactiveLiveViewUrl) {
    return { kind: 'nothing', reason: 'The server gives no live view for this session.' };
  }
  const watch = openableAddress(liveViewUrl, where.baseUrl);
  const control = openableAddress(interactiveLiveViewUrl, where.baseUrl);
  const invalid = { kind: 'nothing', reason: 'The server gave an invalid live view URL; it is not opened.' } as const;
  if ((liveViewUrl && !watch) || (interactiveLiveViewUrl && !control)) return invalid;
  if (where.embedded) {
    const origin = new URL(where.baseUrl).origin;
    const isOwn = (address: URL | undefined) => address === undefined || address.origin === origin;
    if (!watch || !isOwn(watch) || !isOwn(control)) return invalid;
    return { kind: 'pictures', watch, control };
  }
  const address = where.control ? (control ?? watch) : (watch ?? control);
  if (!address) return invalid;
  return {
    kind: 'page',
    address,
    control: address === control,
    canControl: watch !== undefined && control !== undefined,
  };
}
