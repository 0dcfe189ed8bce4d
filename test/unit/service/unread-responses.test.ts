import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createUnreadResponses } from '../../../src/service/platform/http/unread-responses.ts';
import { silentLog } from '../../../src/service/platform/log.ts';

class Response extends EventEmitter {
  isCut = false;
  destroy(): this {
    this.isCut = true;
    this.emit('close');
    return this;
  }
}

function responses() {
  const unread = createUnreadResponses(silentLog, 100);
  return (team: string, bytes: number) => {
    const response = new Response();
    unread.add(team, bytes, response as never);
    return response;
  };
}

describe('long responses that are not read', () => {
  it('BUD-08: are cut off beyond a budget, the oldest of the team with the most first', () => {
    const add = responses();
    const [one, small, two] = [add('a', 40), add('b', 30), add('a', 30)];
    assert.deepEqual([one.isCut, small.isCut, two.isCut], [false, false, false]);
    const three = add('a', 20);
    assert.deepEqual([one.isCut, small.isCut, two.isCut, three.isCut], [true, false, false, false]);
    const large = add('b', 90);
    assert.deepEqual([small.isCut, two.isCut, three.isCut, large.isCut], [true, false, false, true]);
  });

  it('BUD-08: no longer count once they are read, and one alone has no limit', () => {
    const add = responses();
    const read = add('a', 90);
    read.emit('close');
    const long = add('a', 500);
    assert.deepEqual([read.isCut, long.isCut], [false, false]);
    const next = add('a', 10);
    assert.deepEqual([long.isCut, next.isCut], [true, false]);
  });
});
