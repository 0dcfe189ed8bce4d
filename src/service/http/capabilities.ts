import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over the socket of an allowed upgrade request. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A URL that needs no key: knowing its secret last segment is enough to use it. */
export interface Capability {
  path: string;
  /** Makes the URL return 410 from now on. */
  revoke(): void;
}

/** What a capability URL opens: a socket and, if `page` is true, also a page. */
export interface CapabilityTarget {
  upgrade: UpgradeHandler;
  page: boolean;
}

/** The capability URLs of a service, each with an unguessable secret as its last path segment. */
export interface Capabilities {
  add(prefix: string, upgrade: UpgradeHandler, options?: { page?: boolean }): Capability;
  /** Returns what a path opens, 'gone' if it was revoked, or undefined if it never existed. */
  find(path: string): CapabilityTarget | 'gone' | undefined;
}

/** How many revoked URLs are remembered. */
const maxRevoked = 10_000;

export function createCapabilities(): Capabilities {
  // Keyed by digest, so that the time of a lookup reveals nothing about how close a guess is.
  const active = new Map<string, CapabilityTarget>();
  const revoked = new Set<string>();
  return {
    add(prefix, upgrade, { page = false } = {}) {
      const path = `${prefix}/${randomBytes(32).toString('base64url')}`;
      const name = digest(path);
      active.set(name, { upgrade, page });
      return {
        path,
        revoke() {
          if (!active.delete(name)) return;
          revoked.add(name);
          const [oldest] = revoked;
          if (revoked.size > maxRevoked && oldest !== undefined) revoked.delete(oldest);
        },
      };
    },
    find(path) {
      const name = digest(path);
      return active.get(name) ?? (revoked.has(name) ? 'gone' : undefined);
    },
  };
}

function digest(path: string): string {
  return createHash('sha256').update(path).digest('base64');
}
