import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { handleText } from '../../../../src/service/browsers/runners/handle-text.ts';
import { readHandles, shortenInspection } from '../../../../src/service/browsers/runners/node/playwright-objects.ts';

describe("Playwright's objects", () => {
  class Owner extends EventEmitter {}
  class JSHandle extends Owner {
    reads = 0;
    #read: () => Promise<string>;
    constructor(read: () => Promise<string>) {
      super();
      this.#read = read;
    }
    jsonValue() {}
    evaluate() {
      this.reads++;
      return this.#read();
    }
    override toString() {
      return 'JSHandle@node';
    }
  }
  class ElementHandle extends JSHandle {}
  class Dialog extends Owner {
    type = () => 'alert';
    message = () => 'Sold out';
  }
  class Request extends Owner {
    url = () => 'https://a.test/';
    method = () => 'GET';
  }
  class Route extends Owner {
    request = () => new Request();
  }
  class Page2 extends Owner {
    url = () => 'https://a.test/';
    /** Types into the page. */
    type = () => assert.fail('is a method that acts');
  }
  before(() => shortenInspection(new Owner()));
  const element = (html: string) => new ElementHandle(async () => html);

  it('are shown with what identifies them', () => {
    assert.equal(inspect(new Dialog()), "Dialog { type: 'alert', message: 'Sold out' }");
    assert.equal(inspect(new Route()), "Route { request: Request { method: 'GET', url: 'https://a.test/' } }");
    assert.equal(inspect(new Page2()), "Page { url: 'https://a.test/' }");
    assert.equal(inspect(new Owner()), 'Owner {}');
  });

  it('show what handles stand for once that was read', async () => {
    const one = element('<li>One</li>');
    assert.equal(inspect(one), 'ElementHandle');
    const values = [one, [[one]], { one }, new Map([['one', one]]), new Map([[one, 1]]), new Set([one])];
    for (const value of values) {
      one.reads = 0;
      await readHandles(value);
      assert.equal(one.reads, 1);
      assert.match(inspect(value, { depth: 5 }), /ElementHandle <li>One<\/li>/);
    }
  });

  it('are read as far as that takes neither long nor any code of the snippet', async () => {
    const never = new ElementHandle(() => new Promise(() => undefined));
    const closed = new JSHandle(() => Promise.reject(new Error('closed')));
    await readHandles([never, closed]);
    assert.equal(inspect([never, closed]), '[ ElementHandle, JSHandle ]');
    const many = Array.from({ length: 20_000 }, () => element('<li/>'));
    await readHandles({ many, again: many });
    const reads = many.reduce((sum, { reads: each }) => sum + each, 0);
    assert.equal(reads, 100);
    const circle: unknown[] = [];
    circle.push(circle, new Proxy({}, { ownKeys: () => assert.fail('is called') }));
    Object.defineProperty(circle, 2, { get: () => assert.fail('is called') });
    await readHandles([circle, Object.defineProperty({}, 'a', { get: () => assert.fail(), enumerable: true })]);
  });

  it('are found in a list with large gaps, if they are among its first values', async () => {
    const handle = new JSHandle(() => Promise.resolve('{ a: 1 }'));
    const sparse = new Array(2 ** 32 - 1);
    sparse[5] = handle;
    await readHandles({ sparse });
    assert.equal(handle.reads, 1);
  });

  it('have a text for lists and objects, without calling getters', () => {
    const computed = {
      get now() {
        return assert.fail('is called');
      },
    };
    class Point {
      x = 1;
    }
    for (const [value, text] of [
      [{ a: 1, b: 'c', d: [1, 2], e: null, f() {} }, '{ a: 1, b: "c", d: Array(2), e: null, f: function }'],
      [[1, new Point(), undefined], '[1, Point, undefined]'],
      [new Point(), 'Point { x: 1 }'],
      [Object.create(null), '{ }'],
      [computed, '{ now: getter }'],
      [[], '[]'],
      [new Map(), ''],
      [new Date(0), ''],
      [5, ''],
      [null, ''],
    ] as const) {
      assert.equal(handleText(value, 200), text);
    }
    assert.equal(handleText({ a: 'x'.repeat(1000) }, 20), '{ a: "xxxxxxxxxxxxxx…');
    assert.equal(
      handleText(
        Array.from({ length: 1000 }, (_, index) => index),
        10,
      ),
      '[0, 1, 2, …',
    );
  });
});
