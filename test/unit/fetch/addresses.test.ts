import assert from 'node:assert/strict';
import { isLoopback, kindOf } from '../../../src/service/platform/network/address-policy/addresses.ts';

describe('the address classifier (SSR-01, SSR-02)', () => {
  const kinds = {
    public: [
      '8.8.8.8',
      '172.15.255.255',
      '172.32.0.1',
      '192.167.255.255',
      '100.63.255.255',
      '198.20.0.1',
      '11.0.0.1',
      '2606:4700::1111',
      '2a00:1450:4001:800::200e',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      '2002:808:808::1',
      '2606:4700::5efe:808:808',
      '::ffff:0:8.8.8.8',
    ],
    private: [
      '127.0.0.1',
      '127.255.0.3',
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '169.254.1.1',
      '100.64.0.1',
      '198.18.0.1',
      '198.19.255.255',
      '192.0.0.8',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.9',
      '224.0.0.1',
      '239.255.255.250',
      '240.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::7f00:1',
      '::ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::a00:1',
      '2002:7f00:1::',
      '2002:c0a8:1::1',
      '2001:0:1:2:3:4:f5ff:fffe',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
      '2001:db8::1',
      '100::1',
      '2001:2::1',
      'fe80::5efe:7f00:1',
      'fe80::5efe:808:808',
      'fd12::5efe:808:808',
      '64:ff9b:1::808:808',
      '3fff::1',
      '5f00::1',
      'not an address',
      '',
    ],
    metadata: [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::',
      '169.254.170.2',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd20:ce::254',
      '169.254.42.42',
      'fd00:42::42',
    ],
  } as const;
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) {
      it(`classifies ${address || 'nothing'} as ${kind}`, () => assert.equal(kindOf(address), kind));
    }
  }

  it('recognizes this machine by all its loopback names', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
      assert.ok(isLoopback(address), address);
    for (const address of ['10.0.0.1', '8.8.8.8', 'fe80::1', '2606:4700::1111'])
      assert.ok(!isLoopback(address), address);
  });
});
