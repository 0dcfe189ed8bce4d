import assert from 'node:assert/strict';
import { createHostGates, type Visit } from '../../../../src/service/web/crawl/run/host-gates/host-gates.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

describe('host gates', () => {
  const wide = { spacingMs: 0, width: 2 };

  it('allow as many requests as the pace permits, separately for each host', () => {
    const gates = createHostGates(createFakeClock());
    const first = gates.enter('a', wide);
    gates.enter('a', wide);
    assert.equal(gates.wait('a', wide), Number.POSITIVE_INFINITY);
    assert.equal(gates.wait('b', wide), 0);
    first.leave();
    assert.equal(gates.wait('a', wide), 0);
  });

  it('space requests from start to start', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const slow = { spacingMs: 1000, width: 5 };
    const visit = gates.enter('a', slow);
    assert.equal(gates.wait('a', slow), Number.POSITIVE_INFINITY);
    clock.advance(300);
    visit.leave();
    assert.equal(gates.wait('a', slow), 700);
    clock.advance(700);
    assert.equal(gates.wait('a', slow), 0);
  });

  it('space the requests of a team that chose a delay, and no others (F6)', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const slow = { ...wide, delay: { team: 'a', ms: 30_000 } };
    const other = { ...wide, delay: { team: 'b', ms: 0 } };
    const visit = gates.enter('a', slow);
    assert.equal(gates.wait('a', slow), Number.POSITIVE_INFINITY, 'one at a time');
    assert.equal(gates.wait('a', other), 0);
    gates.enter('a', other).leave();
    visit.leave();
    assert.equal(gates.wait('a', slow), 30_000);
    assert.equal(gates.wait('a', other), 0);
    assert.equal(gates.wait('a', { ...wide, delay: { team: 'c', ms: 5000 } }), 0);
    clock.advance(30_000);
    assert.equal(gates.wait('a', slow), 0);
  });

  it('hold up no crawl by the delay of another crawl of its team', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const slow = { ...wide, delay: { team: 'a', ms: 60_000 } };
    const other = { ...wide, delay: { team: 'a', ms: 0 } };
    const visit = gates.enter('a', slow);
    assert.equal(gates.wait('a', other), 0);
    const next = gates.enter('a', other);
    visit.leave();
    assert.equal(gates.wait('a', other), 0);
    clock.advance(60_000);
    assert.equal(gates.wait('a', slow), 0, 'the one without a delay is no reason to wait');
    next.leave();
  });

  it('give a team that waits its share of the requests to a host, however many others have (F6)', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const of = (team: string, width: number) => ({ spacingMs: 0, width, delay: { team, ms: 0 } });
    const [many, few] = [of('a', 20), of('b', 10)];
    const enter = (pace: typeof many, visits: Visit[]) => {
      while (gates.wait('a', pace) === 0) visits.push(gates.enter('a', pace));
    };
    const visits: { many: Visit[]; few: Visit[] } = { many: [], few: [] };
    enter(many, visits.many);
    assert.equal(visits.many.length, 20);
    enter(few, visits.few);
    assert.equal(visits.few.length, 0, 'no more in all than the most that one of them may have');
    for (let ended = 0; ended < 20; ended++) {
      visits.many.shift()?.leave();
      enter(many, visits.many);
      enter(few, visits.few);
      assert.equal(visits.many.length + visits.few.length, 20);
    }
    assert.deepEqual([visits.many.length, visits.few.length], [10, 10]);
    for (const visit of visits.few.splice(0)) visit.leave();
    clock.advance(10_000);
    enter(many, visits.many);
    assert.equal(visits.many.length, 20, 'nobody waits any longer');
    // One test request is one, whoever sends it.
    visits.many[0]?.refused(undefined);
    assert.equal(gates.wait('a', of('c', 10)), Number.POSITIVE_INFINITY);
  });

  it('wait as long as a host asks, then send one test request', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const [first, second] = [gates.enter('a', wide), gates.enter('a', wide)];
    assert.equal(first.refused(5000), 'try again');
    assert.equal(second.refused(5000), 'try again');
    assert.equal(gates.wait('a', wide), 5000);
    clock.advance(5000);
    const scout = gates.enter('a', wide);
    assert.equal(gates.wait('a', wide), Number.POSITIVE_INFINITY);
    scout.leave();
    gates.enter('a', wide);
    assert.equal(gates.wait('a', wide), 0);
  });

  it('hold back only the team that a host asks to wait for longer than usual, and test with one request of others (F6)', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const [own, other] = ['a', 'b'].map((team) => ({ ...wide, delay: { team, ms: 0 } }));
    assert.ok(own && other);
    assert.equal(gates.enter('a', own).refused(200_000), 'try again');
    assert.equal(gates.wait('a', own), 200_000);
    assert.equal(gates.wait('a', other), 1000);
    clock.advance(1000);
    const test = gates.enter('a', other);
    assert.equal(gates.wait('a', other), Number.POSITIVE_INFINITY);
    test.leave();
    assert.equal(gates.wait('a', other), 0);
    assert.equal(gates.wait('a', own), 199_000);
    // Another node goes on with both.
    const node = createHostGates(clock);
    node.resume('a', gates.pacingOf('a'));
    assert.deepEqual([node.wait('a', own), node.wait('a', other)], [199_000, 0]);
  });

  it('back off with growing waits, and finally give up', () => {
    const clock = createFakeClock();
    const gates = createHostGates(clock);
    const waits: number[] = [];
    for (;;) {
      const verdict = gates.enter('a', wide).refused(undefined);
      if (verdict === 'give up') break;
      waits.push(gates.wait('a', wide));
      clock.advance(waits.at(-1) ?? 0);
    }
    assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
    assert.equal(gates.enter('b', wide).refused(86_400_000), 'give up');
  });
});
