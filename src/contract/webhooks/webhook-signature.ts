import { createHmac, timingSafeEqual } from 'node:crypto';

/** Name of the header that carries `sha256=<hex>`, the HMAC-SHA256 of the raw body (specification, "Authentication" 4). */
export const signatureHeader = 'X-Service-Signature';
/** The names under which a delivery carries its signature: receivers that were written for another server read the second. */
export const signatureHeaders = [signatureHeader, 'X-Firecrawl-Signature'] as const;

/** Whether the service sets a header as the signature of a delivery. */
export function isSignatureHeader(name: string): boolean {
  return signatureHeaders.some((header) => header.toLowerCase() === name.toLowerCase());
}

/** Value of the signature header for these exact bytes (specification, "Authentication" 4). */
export function signatureOf(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

const signature = /^sha256=[0-9a-f]{64}$/;

/**
 * Returns the index of the secret that made this signature header's value for these exact bytes, or undefined.
 * The value must have the exact format; the comparison takes constant time.
 */
export function signedWith(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): number | undefined {
  if (header === undefined || header.length !== 71 || !signature.test(header)) return undefined;
  const given = Buffer.from(header);
  const index = secrets.findIndex(
    (secret) => secret !== '' && timingSafeEqual(given, Buffer.from(signatureOf(body, secret))),
  );
  return index === -1 ? undefined : index;
}
