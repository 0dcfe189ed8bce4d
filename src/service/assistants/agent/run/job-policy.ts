import { isPrivateHost, parseUrl } from '../../../../contract/addresses.ts';
import {
  type Address,
  type AddressPolicy,
  literalOf,
  portOf,
  RefusedTarget,
} from '../../../platform/network/address-policy/address-policy.ts';
import { kindOf } from '../../../platform/network/address-policy/addresses.ts';
import { checkBehindProxy } from '../../../platform/network/dispatchers.ts';
import type { JobRequest } from '../store/job-table.ts';

/**
 * Narrows the service's address policy to what a job may reach: public addresses, and the hosts that its task names. A
 * page could otherwise send the job to what only this machine can reach.
 */
export function jobPolicy(request: JobRequest, policy: AddressPolicy): AddressPolicy {
  const named = hostsIn(request);

  function check(host: string, port: number, addresses: readonly Address[] = []): void {
    if (named.has(hostKey(host, port))) return;
    if (isPrivate(host) || addresses.some(isPrivateAddress)) {
      throw new RefusedTarget(host, "it is a private address that the task doesn't name");
    }
  }

  return {
    denyPrivate: true,
    checkUrl(url) {
      check(url.hostname, portOf(url));
      policy.checkUrl(url);
    },
    async checkHost(host, port) {
      check(host, port);
      const checked = await checkBehindProxy(policy, host, port);
      check(host, port, checked.addresses);
      return checked;
    },
  };
}

function isPrivate(host: string): boolean {
  const literal = literalOf(host);
  return isPrivateHost(host) || (literal !== undefined && kindOf(literal) !== 'public');
}

/** Programs that tunnel all traffic resolve public names to addresses in 198.18.0.0/15, where nothing else is. */
function isPrivateAddress({ address }: Address): boolean {
  return kindOf(address) !== 'public' && !/^198\.1[89]\./.test(address);
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
