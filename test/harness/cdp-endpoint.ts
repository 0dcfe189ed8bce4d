import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Browser } from '../../src/service/browsers/chrome/chrome.ts';
import { localChrome } from '../../src/service/browsers/chrome/launch.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { temporaryFolder } from './folders.ts';

/** A remote machine that provides a new browser for each WebSocket connection. */
export async function startCdpEndpoint(): Promise<{ origin: string; count(): number; close(): Promise<void> }> {
  const provider = localChrome({ headless: true, log: silentLog });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 256 * 1024 * 1024 });
  const browsers = new Set<Browser>();
  const folders: string[] = [];
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, async (webSocket) => {
      const userDataDir = temporaryFolder();
      folders.push(userDataDir);
      webSocket.pause();
      const browser = await provider.open({ userDataDir, marker: ['WEBDATA_TEST_GRID', userDataDir] });
      browsers.add(browser);
      browser.pipe.onMessage((_message, text) =>
        webSocket.send(typeof text === 'string' ? text : Buffer.concat(text), { binary: false }),
      );
      webSocket.on('message', (data) => browser.pipe.send(JSON.parse(String(data))));
      webSocket.on('close', () => void browser.close());
      webSocket.resume();
      await browser.ended;
      browsers.delete(browser);
      webSocket.terminate();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => browsers.size,
    async close() {
      for (const client of sockets.clients) client.terminate();
      await Promise.all([...browsers].map((browser) => browser.close()));
      await new Promise((resolve) => server.close(resolve));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
