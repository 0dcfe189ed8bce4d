import { createCipheriv } from 'node:crypto';

/** Returns bytes that can't be compressed, the same in every run; others for another `kind`, 0 to 255. */
export function noise(length: number, kind = 0): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, kind), Buffer.alloc(16)).update(Buffer.alloc(length));
}
