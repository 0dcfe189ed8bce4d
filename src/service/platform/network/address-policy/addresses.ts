import { BlockList, isIP } from 'node:net';
import { lazy } from '../../lazy.ts';

/** The kinds of address that a policy distinguishes. */
export type AddressKind = 'public' | 'private' | 'metadata';

function blockList(subnets: readonly string[]): () => BlockList {
  return lazy(() => {
    const list = new BlockList();
    for (const subnet of subnets) {
      const [network = '', prefix] = subnet.split('/');
      list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
    }
    return list;
  });
}

/** Ranges that IANA's special-purpose registries don't list as globally reachable, and multicast. */
const private4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** Global unicast, and its ranges that aren't globally reachable. The rest of IPv6 counts as private. */
const unicast6 = blockList(['2000::/3']);
const private6 = blockList(['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20']);
const loopback = blockList(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']);
/** Cloud metadata services, which give any program on a machine that machine's credentials. */
const metadata = blockList([
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '169.254.0.23/32',
  '169.254.42.42/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd00:42::42/128',
  'fd20:ce::254/128',
  'fe80::a9fe:a9fe/128',
]);

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Returns the eight 16-bit groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [plain = ''] = address.split('%');
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const text = dotted
    ? plain.slice(0, dotted.index) +
      [0, 2].map((at) => (Number(dotted[at + 1]) * 256 + Number(dotted[at + 2])).toString(16)).join(':')
    : plain;
  const [head = '', tail] = text.split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const front = parse(head);
  const back = tail === undefined ? [] : parse(tail);
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

/** Returns the IPv4 address embedded in an IPv6 address: mapped, compatible, NAT64, 6to4, Teredo or ISATAP. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const dotted = (high: number, low: number) => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  const zeros = (count: number) => groups.slice(0, count).every((group) => group === 0);
  if (zeros(5) && f === 0xffff) return dotted(g, h);
  if (zeros(4) && e === 0xffff && f === 0) return dotted(g, h);
  if (zeros(6) && (g !== 0 || h > 1)) return dotted(g, h);
  if (a === 0x64 && b === 0xff9b) return dotted(g, h);
  if (a === 0x2002) return dotted(b, c);
  if (a === 0x2001 && b === 0) return dotted(g ^ 0xffff, h ^ 0xffff);
  if ((e & 0xfdff) === 0 && f === 0x5efe && (a !== 0 || b !== 0 || c !== 0 || d !== 0)) return dotted(g, h);
  return undefined;
}

/** Returns an address without its zone, and the IPv4 address embedded in it, if any. */
export function layersOf(address: string): [outer: string, inner?: string] {
  const [plain = ''] = address.split('%');
  const inner = isIP(plain) === 6 ? embeddedIPv4(plain) : undefined;
  return inner === undefined ? [plain] : [plain, inner];
}

/** Prefixes that say nothing but that an IPv4 address follows. In all others that embed one, the address is one of its network. */
const translation = blockList(['::/64', '64:ff9b::/96', '2001::/32']);

/** Returns the kind of an address; invalid addresses count as private. */
export function kindOf(address: string): AddressKind {
  const [plain, inner] = layersOf(address);
  if (isIP(plain) === 0) return 'private';
  if ([plain, inner].some((each) => each !== undefined && metadata().check(each, family(each)))) return 'metadata';
  const isPublic = [plain, inner].every((each) => {
    if (each === undefined) return true;
    if (isIP(each) === 4) return !private4().check(each, 'ipv4');
    if (inner !== undefined && translation().check(each, 'ipv6')) return true;
    return unicast6().check(each, 'ipv6') && !private6().check(each, 'ipv6');
  });
  return isPublic ? 'public' : 'private';
}

/** Returns whether an address is a loopback or unspecified address. */
export function isLoopback(address: string): boolean {
  return layersOf(address).some(
    (each) => each !== undefined && isIP(each) !== 0 && loopback().check(each, family(each)),
  );
}
