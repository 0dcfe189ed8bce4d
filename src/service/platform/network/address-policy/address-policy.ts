import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { shorten } from '../../../../contract/shorten.ts';
import { isLoopback, kindOf, layersOf } from './addresses.ts';

/** Ports that web requests can't use because they belong to other protocols (the Fetch standard's "bad ports"). */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

export interface Address {
  address: string;
  family: number;
}

/** Resolves a host name to all its addresses. Rejects with Node's DNS error. */
export type Resolve = (host: string) => Promise<Address[]>;

/** Decides which targets requests of any kind can reach. */
export type AddressPolicy = ReturnType<typeof createAddressPolicy>;

export interface AddressPolicyOptions {
  /** Block all addresses that aren't public. */
  denyPrivate: boolean;
  /** Ports that the service listens on. */
  ownPorts(): readonly number[];
  resolve?: Resolve;
}

/** The address policy blocks a target. */
export class RefusedTarget extends Error {
  constructor(target: string, reason: string) {
    super(`${shorten(target)} is blocked: ${reason}`);
    this.name = 'RefusedTarget';
  }
}

const metadataHosts = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal']);
const reasons = {
  scheme: 'only http and https are allowed',
  userinfo: "a URL can't contain a user name or password; send an Authorization header instead",
  port: 'its port is reserved for another protocol',
  own: 'it is this service itself',
  metadata: 'it is a cloud metadata address',
  private: 'it is a private address, and the service runs with --deny-private-targets',
} as const;

export function createAddressPolicy({ denyPrivate, ownPorts, resolve = resolveWithSystem }: AddressPolicyOptions) {
  function checkAddress(host: string, port: number, address: string): void {
    const kind = kindOf(address);
    if (kind === 'metadata') throw new RefusedTarget(host, reasons.metadata);
    if (ownPorts().includes(port) && (isLoopback(address) || isOwnInterface(address))) {
      throw new RefusedTarget(`${host}:${port}`, reasons.own);
    }
    if (denyPrivate && kind !== 'public') throw new RefusedTarget(host, reasons.private);
  }

  function checkName(host: string, port: number): void {
    if (blockedPorts.has(port)) throw new RefusedTarget(`${host}:${port}`, reasons.port);
    const literal = literalOf(host);
    if (literal !== undefined) return checkAddress(host, port, literal);
    const name = host.toLowerCase().replace(/\.$/, '');
    if (metadataHosts.has(name)) throw new RefusedTarget(host, reasons.metadata);
    if (name === 'localhost' || name.endsWith('.localhost')) checkAddress(host, port, '127.0.0.1');
  }

  return {
    /** Whether only public addresses are allowed. */
    denyPrivate,
    /** Checks a URL without resolving its host. Throws a RefusedTarget. */
    checkUrl(url: URL): void {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new RefusedTarget(`${shorten(url.protocol, 40)}//…`, reasons.scheme);
      }
      if (url.username !== '' || url.password !== '') throw new RefusedTarget(url.host, reasons.userinfo);
      checkName(url.hostname, portOf(url));
    },
    /** Resolves a host once and checks all its addresses, the only ones to reach it at. Throws a RefusedTarget, or Node's DNS error. */
    async checkHost(host: string, port: number): Promise<Address[]> {
      checkName(host, port);
      const literal = literalOf(host);
      const addresses =
        literal === undefined
          ? await resolve(host.replace(/\.$/, ''))
          : [{ address: literal, family: isIP(literal.split('%')[0] ?? '') }];
      for (const { address } of addresses) checkAddress(host, port, address);
      return addresses;
    },
  };
}

/** Returns a URL's port, or its scheme's default. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** Returns a URL host that is an IP address, without brackets; undefined for a name. */
export function literalOf(host: string): string | undefined {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}

function isOwnInterface(address: string): boolean {
  const layers = layersOf(address);
  return Object.values(networkInterfaces()).some((list) => list?.some((each) => layers.includes(each.address)));
}

/** Asks the operating system. */
export async function resolveWithSystem(host: string): Promise<Address[]> {
  // No name server has to be asked: some answer late, or never, to what can't be a name.
  if (!isName(host)) {
    const error = new Error(`${shorten(host, 100)} isn't a host name`);
    throw Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
  }
  return await systemLookup(host, { all: true });
}

/** Whether a text can be a host name: labels of 1 to 63 characters, 253 in all (RFC 1035, 2.3.4). */
function isName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label.length > 0 && label.length <= 63);
}

/** Returns whether a URL host is a loopback name or address. */
export function isLoopbackHost(host: string): boolean {
  const literal = literalOf(host);
  return literal === undefined ? /^(.*\.)?localhost\.?$/i.test(host) : isLoopback(literal);
}
