import assert from 'node:assert/strict';
import { createEvents } from '../../../src/service/platform/events.ts';
import { type Log, silentLog } from '../../../src/service/platform/log.ts';

describe('events between parts of the service', () => {
  it('reach every listener of their kind, in order', () => {
    const events = createEvents(silentLog);
    const heard: string[] = [];
    events.on('sessionEnded', (id) => heard.push(`first ${id}`));
    events.on('sessionEnded', (id) => heard.push(`second ${id}`));
    events.on('keyRevoked', (id) => heard.push(`key ${id}`));
    events.emit('sessionEnded', 'a');
    events.emit('warm', undefined);
    assert.deepEqual(heard, ['first a', 'second a']);
  });

  it('reach the others if a listener fails, and the failure is logged', () => {
    const logged: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void logged.push(fields) } as Log;
    const events = createEvents(log);
    const heard: string[] = [];
    events.on('sessionEnded', () => {
      throw new Error('no such session');
    });
    events.on('sessionEnded', (id) => heard.push(id));
    events.emit('sessionEnded', 'a');
    assert.deepEqual(heard, ['a']);
    assert.deepEqual(logged, [{ event: 'sessionEnded', reason: 'no such session' }]);
  });
});
