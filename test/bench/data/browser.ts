// `node browser.ts`: a browser endpoint without browsers, on a free loopback port, which it prints. Creating a session
// there takes only as long as the service itself does.
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { id, method } = JSON.parse(String(data)) as { id: number; method: string };
    const result = method === 'Browser.getVersion' ? { product: 'None/1' } : {};
    socket.send(JSON.stringify({ id, result }));
    if (method === 'Browser.close') socket.close();
  });
});
server.on('listening', () => console.log((server.address() as AddressInfo).port));
