import { createHash } from 'node:crypto';

/** Returns the ID of an agent's key that its owner has made; those that the service makes have random IDs. */
export function agentKeyId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
