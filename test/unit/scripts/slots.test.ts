import assert from 'node:assert/strict';
import { makeSlots } from '../../../scripts/lib/slots.mjs';

describe('programs that share the processors', () => {
  /** Works that last until they are told to end. */
  function makeWorks(capacity: number) {
    const slots = makeSlots(capacity);
    const running: string[] = [];
    const ends = new Map<string, () => void>();
    const start = (name: string, load: number) =>
      slots.run(load, async () => {
        running.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        running.splice(running.indexOf(name), 1);
        return name;
      });
    return { running, start, end: (name: string) => ends.get(name)?.() };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('start together while their load is not too high, each as soon as it fits', async () => {
    const { running, start, end } = makeWorks(3);
    const all = [start('a', 2), start('b', 1), start('c', 2), start('d', 1), start('e', 1)];
    await settle();
    assert.deepEqual(running, ['a', 'b']);
    end('b');
    await settle();
    // There is no room for c yet.
    assert.deepEqual(running, ['a', 'd']);
    end('a');
    await settle();
    // Of those that fit, the first that asked.
    assert.deepEqual(running, ['d', 'c']);
    end('d');
    await settle();
    assert.deepEqual(running, ['c', 'e']);
    end('c');
    end('e');
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd', 'e']);
  });

  it('run alone if their load is higher than there are slots', async () => {
    const { running, start, end } = makeWorks(3);
    const all = [start('a', 1), start('huge', 9)];
    await settle();
    assert.deepEqual(running, ['a']);
    end('a');
    await settle();
    all.push(start('b', 1));
    await settle();
    assert.deepEqual(running, ['huge']);
    end('huge');
    await settle();
    assert.deepEqual(running, ['b']);
    end('b');
    await Promise.all(all);
  });

  it('run beside any others without a load', async () => {
    const { running, start, end } = makeWorks(3);
    const all = [start('light', 0), start('full', 3), start('next', 1)];
    await settle();
    assert.deepEqual(running, ['light', 'full']);
    end('full');
    await settle();
    assert.deepEqual(running, ['light', 'next']);
    end('next');
    end('light');
    await Promise.all(all);
  });

  it('leave their slot to the next if they fail', async () => {
    const slots = makeSlots(1);
    await assert.rejects(
      slots.run(1, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await slots.run(1, async () => 'next'), 'next');
  });
});
