// `node browser.ts`: a browser endpoint without browsers, on a free loopback port, which it prints. Creating a session
// there takes only as long as the service itself does.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const targetInfo = { targetId: 'tab', type: 'page', url: 'about:blank', title: '', attached: false };
const results: Record<string, object> = {
  'Browser.getVersion': { product: 'None/1' },
  'Target.getTargets': { targetInfos: [targetInfo] },
  'Target.createTarget': { targetId: targetInfo.targetId },
  'Target.attachToBrowserTarget': { sessionId: 'browser' },
  'Target.attachToTarget': { sessionId: 'page' },
};
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { id, method, sessionId } = JSON.parse(String(data)) as { id: number; method: string; sessionId?: string };
    const send = (message: object) => socket.send(JSON.stringify({ ...message, ...(sessionId && { sessionId }) }));
    if (method === 'Target.setDiscoverTargets') send({ method: 'Target.targetCreated', params: { targetInfo } });
    send({ id, result: results[method] ?? {} });
    if (method === 'Browser.close') socket.close();
  });
});
server.on('listening', () => console.log((server.address() as AddressInfo).port));
