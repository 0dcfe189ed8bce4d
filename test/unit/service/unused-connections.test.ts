import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { Duplex } from 'node:stream';
import { limitUnused } from '../../../src/service/platform/http/unused-connections.ts';
import { eventually } from '../../harness/eventually.ts';

describe('unused connections', () => {
  let server: EventEmitter;
  const connection = () => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    server.emit('connection', socket);
    return socket;
  };
  beforeEach(() => {
    server = new EventEmitter();
  });

  it('are closed beyond a number, but none that came too late to say who asks', async () => {
    const connections = limitUnused(server as Server, 2);
    const used = connection();
    connections.use(used);
    const [first, second, late] = [connection(), connection(), connection()];
    await eventually(() => assert.ok(first.destroyed && second.destroyed));
    assert.deepEqual([used.destroyed, late.destroyed], [false, false]);
  });

  it('are closed in their turn also if none comes after them', async () => {
    limitUnused(server as Server, 0);
    const [first, late] = [connection(), connection()];
    let wasLateOpen: boolean | undefined;
    first.once('close', () => {
      wasLateOpen = !late.destroyed;
    });
    await eventually(() => assert.ok(late.destroyed));
    assert.equal(wasLateOpen, true);
  });

  it('leave those alone that are used', async () => {
    const connections = limitUnused(server as Server, 0);
    const socket = connection();
    const user = new EventEmitter();
    connections.use(socket, user);
    const other = connection();
    await eventually(() => assert.ok(other.destroyed));
    assert.equal(socket.destroyed, false);
    user.emit('close');
    connection();
    await eventually(() => assert.ok(socket.destroyed));
  });
});
