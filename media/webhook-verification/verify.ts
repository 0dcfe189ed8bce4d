import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns whether a webhook delivery is genuine. Pass the raw body, before any JSON parsing, and the value of the
 * header X-Service-Signature. Respond with 401 if it returns false.
 */
export function isGenuineDelivery(body: Uint8Array, signature: string | undefined, secret: string): boolean {
  if (secret === '' || signature === undefined || !/^sha256=[0-9a-f]{64}$/.test(signature)) return false;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}
