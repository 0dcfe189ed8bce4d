import { isPrivateHost } from '../../../contract/addresses.ts';
import { type Address, type AddressPolicy, literalOf, portOf, RefusedTarget } from './address-policy/address-policy.ts';
import { kindOf } from './address-policy/addresses.ts';
import { checkBehindProxy } from './dispatchers.ts';

/**
 * Narrows a policy to public addresses, and to hosts that a person has named: a page could otherwise send the service to what
 * only this machine can reach.
 * @param reason why other hosts are refused, as the end of a message
 */
export function publicOrNamed(
  policy: AddressPolicy,
  isNamed: (host: string, port: number) => boolean,
  reason: string,
): AddressPolicy {
  function check(host: string, port: number, addresses: readonly Address[] = []): void {
    if (isNamed(host, port)) return;
    if (isPrivate(host) || addresses.some(isPrivateAddress)) throw new RefusedTarget(host, reason);
  }

  return {
    denyPrivate: true,
    checkUrl(url) {
      check(url.hostname, portOf(url));
      policy.checkUrl(url);
    },
    async checkHost(host, port) {
      check(host, port);
      const addresses = await checkBehindProxy(policy, host, port);
      check(host, port, addresses);
      return addresses;
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
