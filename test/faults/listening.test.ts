import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { processesOf } from '../harness/chrome-processes.ts';
import { startTestService } from '../harness/service.ts';

/** Addresses that a process listens on, as `/proc/net/tcp` writes them: hexadecimal IP address and port. */
function listening(pid: number): string[] {
  const own = new Set<string>();
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`)) ?? [];
      if (inode) own.add(inode);
    } catch {
      // Closed since it was listed.
    }
  }
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === '0A' && own.has(inode))
      .map(([, address = '']) => address),
  );
}

describe('what listens', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('is only the service on 127.0.0.1, whatever uses its port on other addresses, and no Chrome (CDP-01, NET-16, NET-17, PRT-03)', async () => {
    const before = listening(process.pid);
    const service = await startTestService();
    const squatter = createServer((_request, response) => response.end('{"success":true}'));
    try {
      await new Promise<void>((resolve) =>
        squatter.once('error', () => resolve()).listen(service.port, '::1', resolve),
      );
      const { status } = await service.call('POST', '/v2/browser', {});
      assert.equal(status, 200);
      assert.equal(service.baseUrl, `http://127.0.0.1:${service.port}`);
      const loopback = '0100007F';
      const added = listening(process.pid).filter((address) => !before.includes(address));
      const port = service.port.toString(16).toUpperCase().padStart(4, '0');
      assert.ok(added.includes(`${loopback}:${port}`), added.join());
      const squatted = `00000000000000000000000001000000:${port}`;
      assert.deepEqual(
        added.filter((address) => !address.startsWith(`${loopback}:`) && address !== squatted),
        [],
      );
      const browsers = await processesOf(service.dataDir);
      assert.ok(browsers.length > 1);
      for (const pid of browsers) {
        assert.deepEqual(listening(pid), []);
        assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /--remote-debugging-(?:port|address)/);
      }
    } finally {
      squatter.close();
      await service.close();
    }
  });
});
