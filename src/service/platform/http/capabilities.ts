import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { livePathPrefix } from '../../../contract/sessions/live-view.ts';
import { keepLast } from '../maps.ts';
import { digest } from './keys.ts';

/** Takes over the socket of an allowed upgrade request. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A URL that needs no key: knowing its secret last segment is enough to use it. */
export interface Capability {
  path: string;
  /** Makes the URL return 410 from now on. */
  revoke(): void;
}

/** A file that a capability URL leads to. */
export interface CapabilityFile {
  name: string;
  /** Bytes. */
  size: number;
  stream: Readable;
}

export interface CapabilityPages {
  /** Whether it opens a page, too. */
  page?: boolean;
  /** Opens the file of a download below it. */
  download?(id: string): Promise<CapabilityFile | undefined>;
  /** The team whose connections those to it are. */
  team?: string;
}

/** What a capability URL opens: a socket, and perhaps pages. */
export type CapabilityTarget = { upgrade: UpgradeHandler } & CapabilityPages;

/** The prefix and the purpose of a capability URL. No two URLs have both in common. */
export interface CapabilityName {
  prefix: string;
  purpose: string;
}

/** The capability URLs of a service, each with an unguessable secret as its last path segment. */
export type Capabilities = ReturnType<typeof createCapabilities>;

/** How many revoked URLs are remembered. */
const maxRevoked = 10_000;

/** @param secret what the secrets of the URLs are derived from, so that whoever knows it can list them */
export function createCapabilities(secret = randomBytes(32).toString('base64url')) {
  // Keyed by digest, so that the time of a lookup reveals nothing about how close a guess is.
  const active = new Map<string, CapabilityTarget>();
  const revoked = new Map<string, true>();
  return {
    add(name: CapabilityName, upgrade: UpgradeHandler, pages: CapabilityPages = {}): Capability {
      const path = capabilityPath(secret, name);
      const key = digest(path).toString('base64');
      active.set(key, { upgrade, ...pages });
      return {
        path,
        revoke() {
          if (active.delete(key)) keepLast(revoked, key, true, maxRevoked);
        },
      };
    },
    /** Returns what a path opens, 'gone' if it was revoked, or undefined if it never existed. */
    find(path: string): CapabilityTarget | 'gone' | undefined {
      const key = digest(path).toString('base64');
      return active.get(key) ?? (revoked.has(key) ? 'gone' : undefined);
    },
  };
}

/** The names of a browser session's capability URLs: for CDP clients, and to watch and to control it in a live view. */
export function sessionCapabilities(id: string): Record<'cdp' | 'watch' | 'control', CapabilityName> {
  const prefix = `${livePathPrefix}/${id}`;
  return {
    cdp: { prefix: `/cdp/${id}`, purpose: 'cdp' },
    watch: { prefix, purpose: 'watch' },
    control: { prefix, purpose: 'control' },
  };
}

/** Returns the path of the capability URL that a path is, or is below. */
export function capabilityOfPath(path: string): string {
  return path.split('/').slice(0, 4).join('/');
}

/** Returns the session that a capability URL is for, if it is for one. */
export function sessionOfPath(path: string): string | undefined {
  const [, first, id] = path.split('/');
  return `/${first}` === livePathPrefix || first === 'cdp' ? id : undefined;
}

/** Returns the path of a capability URL of the service with this secret. */
export function capabilityPath(secret: string, { prefix, purpose }: CapabilityName): string {
  const last = createHmac('sha256', secret).update(`${prefix} ${purpose}`).digest('base64url');
  return `${prefix}/${last}`;
}
