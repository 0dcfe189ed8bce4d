import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type DiscoveryFile, discoveryFile, discoveryFileName, proofMessage } from '../../../contract/embedded.ts';

/** Lets windows find this service and verify its identity. */
export function createDiscovery(dataDir: string) {
  const secret = randomBytes(32).toString('hex');
  const path = join(dataDir, discoveryFileName);
  let port: number | undefined;
  return {
    /** Whoever knows it can pose as this service. */
    secret,
    /** Returns the HMAC-SHA256, in hex, of the nonce and this service's port; nothing until it is announced. */
    prove: (nonce: string): string =>
      port === undefined ? '' : createHmac('sha256', secret).update(proofMessage(nonce, port)).digest('hex'),
    /** Writes the discovery file atomically, readable only by its owner. */
    announce(service: Omit<DiscoveryFile, 'secret'>): void {
      const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
      const file = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      writeSync(file, JSON.stringify({ ...service, secret } satisfies DiscoveryFile));
      closeSync(file);
      renameSync(draft, path);
      port = service.port;
    },
    /** Deletes the discovery file, if it still belongs to this service. */
    remove: (): void => {
      try {
        if (discoveryFile.parse(JSON.parse(readFileSync(path, 'utf8'))).secret === secret) rmSync(path);
      } catch {
        // The file is gone or belongs to another service.
      }
    },
  };
}
