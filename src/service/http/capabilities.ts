import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes over the socket of an upgrade that was let through. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A URL that is its own key: whoever knows its last segment may use it. */
export interface Capability {
  path: string;
  /** From now on the URL answers 410. */
  revoke(): void;
}

/** What a capability URL opens: a socket, and where it says so a page as well. */
export interface Opened {
  upgrade: UpgradeHandler;
  page: boolean;
}

/** The capability URLs of a service, each with an unguessable secret as its last path segment. */
export interface Capabilities {
  add(prefix: string, upgrade: UpgradeHandler, options?: { page?: boolean }): Capability;
  /** What a path opens, 'gone' where it was revoked, nothing where it never was. */
  find(path: string): Opened | 'gone' | undefined;
}

const remembered = 10_000;

export function createCapabilities(): Capabilities {
  // Kept by digest: looking one up tells nothing about how close a guess came.
  const opened = new Map<string, Opened>();
  const revoked = new Set<string>();
  return {
    add(prefix, upgrade, { page = false } = {}) {
      const path = `${prefix}/${randomBytes(32).toString('base64url')}`;
      const name = digest(path);
      opened.set(name, { upgrade, page });
      return {
        path,
        revoke() {
          if (!opened.delete(name)) return;
          revoked.add(name);
          const [oldest] = revoked;
          if (revoked.size > remembered && oldest !== undefined) revoked.delete(oldest);
        },
      };
    },
    find(path) {
      const name = digest(path);
      return opened.get(name) ?? (revoked.has(name) ? 'gone' : undefined);
    },
  };
}

function digest(path: string): string {
  return createHash('sha256').update(path).digest('base64');
}
