import { parseUrl } from '../../../../contract/addresses.ts';
import { type AddressPolicy, portOf } from '../../../platform/network/address-policy/address-policy.ts';
import { publicOrNamed } from '../../../platform/network/public-or-named.ts';
import type { JobRequest } from '../store/job-table.ts';

/** Narrows the service's address policy to what a job may reach: public addresses, and the hosts that its task names. */
export function jobPolicy(request: JobRequest, policy: AddressPolicy): AddressPolicy {
  const named = hostsIn(request);
  const isNamed = (host: string, port: number) => named.has(hostKey(host, port));
  return publicOrNamed(policy, isNamed, "it is a private address that the task doesn't name");
}

/** Returns the hosts that a request names, in its URLs or its prompt. */
function hostsIn({ urls, prompt = '' }: JobRequest): Set<string> {
  const texts = [...urls, ...(prompt.match(/https?:\/\/[^\s"'<>)\]]+/gi) ?? [])];
  const found = texts.flatMap((text) => parseUrl(text.replace(/(?<!\*)\*+$/, '')) ?? []);
  return new Set(found.map((url) => hostKey(url.hostname, portOf(url))));
}

/** A host that is named may be reached over http and https. */
function hostKey(host: string, port: number): string {
  return port === 80 || port === 443 ? host : `${host}:${port}`;
}
