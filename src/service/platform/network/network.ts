import packageJson from '../../../../package.json' with { type: 'json' };
import { createAddressPolicy, type Resolve, resolveWithSystem } from './address-policy/address-policy.ts';
import { createDialer } from './dial.ts';
import { type EgressProxy, startEgressProxy } from './egress-proxy.ts';
import { createHttpFetcher } from './http-fetcher.ts';
import { shareLookups } from './lookups.ts';

/** The User-Agent of the service's fetches. */
export const userAgent = `Mozilla/5.0 (compatible; WebData/${packageJson.version})`;

export interface NetworkOptions {
  /** Block requests to private addresses. */
  denyPrivateTargets: boolean;
  /** URL of the HTTP proxy to fetch pages through. */
  proxy: string | undefined;
  /** Ports that the service listens on. */
  ownPorts(): readonly number[];
  /** Resolves host names instead of the operating system. */
  resolve?: Resolve;
}

/** The ways to the web, with the address policy that they share. */
export function openNetwork({ denyPrivateTargets, proxy, ownPorts, resolve = resolveWithSystem }: NetworkOptions) {
  let egress: Promise<EgressProxy> | undefined;
  let egressPorts: () => number[] = () => [];
  const policy = createAddressPolicy({
    denyPrivate: denyPrivateTargets,
    ownPorts: () => [...ownPorts(), ...egressPorts()],
    resolve: shareLookups(resolve),
  });
  const startEgress = async () => {
    const started = await startEgressProxy(policy, createDialer(policy, proxy));
    egressPorts = started.ports;
    return started;
  };
  const fetcher = createHttpFetcher({ policy, proxy, userAgent });
  return {
    policy,
    fetcher,
    /** The proxy that checks all requests of a local browser; it starts on demand. */
    egress(): Promise<EgressProxy> {
      egress ??= startEgress();
      return egress;
    },
    async close(): Promise<void> {
      await fetcher.close();
      await (await egress)?.close();
    },
  };
}
