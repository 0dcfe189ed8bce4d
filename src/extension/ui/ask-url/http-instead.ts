/** Loaded when a request to an https address has failed, never at activation. */
import { httpAddress } from '../../../contract/addresses.ts';

const probeTimeoutMs = 3_000;
/** Errors of a server that speaks TLS, but not as it should: its certificate isn't trusted, or its versions are too old. */
const speaksTls = /CERT|SIGNATURE|ALTNAME|TLS_|UNSUPPORTED_PROTOCOL|ALERT|REVOKED/;

/**
 * Returns the http address of a site whose https address doesn't speak TLS, if the site answers there.
 * Undefined if https works, fails in another way, or http doesn't answer or leads to https.
 */
export async function httpInstead(address: string): Promise<string | undefined> {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:') return undefined;
  const secure = await probe(url);
  if (secure.answered || speaksTls.test(secure.code)) return undefined;
  const http = httpAddress(url);
  const plain = await probe(http);
  return plain.answered && !plain.location.startsWith('https:') ? http.href : undefined;
}

type Probe = { answered: true; location: string } | { answered: false; code: string };

async function probe(url: URL): Promise<Probe> {
  try {
    const response = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      credentials: 'omit',
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    return { answered: true, location: response.headers.get('location') ?? '' };
  } catch (error) {
    return { answered: false, code: codesOf(error) };
  }
}

/** Returns the codes of an error and its causes. */
function codesOf(error: unknown): string {
  const codes: string[] = [];
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    codes.push(String((cause as { code?: unknown }).code ?? ''));
  }
  return codes.join(' ');
}
