import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { createNodeRunner } from '../../../src/service/browsers/runners/node/node.ts';
import { amply, useRunner } from '../../harness/runners.ts';

const titled = (title: string) => `data:text/html,<title>${title}</title><h1>${title}</h1>`;

describe('node runner: the browser', () => {
  const fixture = useRunner(createNodeRunner);
  const { run, result } = fixture;

  it('has page, context and browser in scope', async () => {
    assert.equal(await result(`await page.goto('${titled('One')}'); page.title()`), 'One');
    assert.equal(await result('page.locator("h1").textContent()'), 'One');
    assert.equal(await result('page.context() === context && context.browser() === browser'), 'true');
    assert.equal(await result('browser.contexts().length + context.pages().length'), '2');
  });

  it('shows a screenshot as a data: URL', async () => {
    assert.match(await result('page.screenshot()'), /^data:image\/png;base64,iVBOR/);
    assert.match(await result('page.screenshot({ type: "jpeg" })'), /^data:image\/jpeg;base64,/);
  });

  it("shows Playwright's objects on one line", async () => {
    await run(`await page.goto('${titled('Two')}')`);
    for (const [code, expected] of [
      ['page', /^Page \{ url: 'data:text\/html,<title>Two<\/title><h1>Two<\/h1>' \}$/],
      ['context', /^BrowserContext \{ pages: 1 \}$/],
      ['browser', /^Browser \{\}$/],
      ['page.locator("h1")', /^locator\('h1'\)$/],
      ['page.mainFrame()', /^Frame \{ url: .* \}$/],
      ['page.keyboard', /^Keyboard \{\}$/],
      ['page.coverage', /^Coverage \{\}$/],
      ['page.frameLocator("iframe")', /^FrameLocator \{ owner: locator\('iframe'\) \}$/],
      ['({ page })', /^\{\n? +page: Page \{ url: [^\n]* \}\n? ?\}$/],
    ] as const) {
      assert.match(await result(code), expected, code);
    }
  });

  it('shows what handles stand for, wherever they are in a value', async () => {
    await run(
      `await page.goto('about:blank'); await page.setContent('<ul id="list">\\n  <li class="tea">Mint</li><li>Chai</li>\\n</ul><p>' + 'x'.repeat(500) + '</p>')`,
    );
    const mint = 'ElementHandle <li class="tea">Mint</li>';
    for (const [code, expected] of [
      ['page.waitForSelector("li")', mint],
      ['page.$("ul")', 'ElementHandle <ul id="list"> <li class="tea">Mint</li><li>Chai</li> </ul>'],
      ['page.$("p")', `ElementHandle <p>${'x'.repeat(197)}…`],
      ['page.$$("li")', `[ ${mint}, ElementHandle <li>Chai</li> ]`],
      ['({ first: await page.$("li") })', `{ first: ${mint} }`],
      ['new Map([["first", await page.$("li")]])', `Map(1) { 'first' => ${mint} }`],
      ['page.evaluateHandle(() => document)', 'ElementHandle #document about:blank'],
      ['page.evaluateHandle(() => document.querySelector("li").firstChild)', 'ElementHandle #text Mint'],
      ['page.evaluateHandle(() => ({ a: 1, b: "c", d: [1, 2] }))', 'JSHandle { a: 1, b: "c", d: Array(2) }'],
      ['page.evaluateHandle(() => [1, document.body])', 'JSHandle [1, HTMLBodyElement]'],
      ['page.evaluateHandle(() => 5)', 'JSHandle 5'],
      ['page.evaluateHandle(() => window)', 'JSHandle Window'],
    ] as const) {
      // Long lists take a line for each member.
      assert.equal((await result(code)).replace(/\s+/g, ' '), expected, code);
    }
    const answer = 'await page.route("**/*", (route) => route.fulfill({ body: "x" }), { times: 1 })';
    assert.equal(
      await result(`${answer}; page.goto("http://a.test/")`),
      "Response { status: 200, url: 'http://a.test/' }",
    );
    const gone = 'const body = await page.$("body"); await page.goto("about:blank"); body';
    assert.match(await result(gone), /^ElementHandle/);
    // What is printed doesn't wait for a page.
    assert.match((await run('console.log(body); console.log("after")')).stdout, /^ElementHandle.*\nafter\n$/);
    await run(`await page.goto('${titled('Two')}')`);
  });

  it('keeps a reassigned page', async () => {
    await run(`page = await context.newPage(); await page.goto('${titled('Three')}')`);
    assert.equal(await result('page.title()'), 'Three');
    await run('await page.close()');
    assert.equal(await result('page.title()'), 'Two');
  });

  it('keeps a redeclared page', async () => {
    await run(`const page = await context.newPage(); await page.goto('${titled('Four')}')`);
    assert.equal(await result('page.title()'), 'Four');
    await run('await page.close()');
    assert.equal(await result('page.title()'), 'Two');
    await run('let page = 5');
    assert.equal(await result('page'), '5');
    await fixture.runner.reset();
    assert.equal(await result('page.title()'), 'Two');
  });

  it('opens a tab when the last one was closed', async () => {
    await run('for (const each of context.pages()) await each.close()');
    assert.equal(await result('page.url()'), 'about:blank');
    assert.equal(await result('context.pages().length'), '1');
  });

  it('reconnects after a snippet closed its connection', async () => {
    await run('let mine = 1; await browser.close()');
    assert.equal(await result(`await page.goto('${titled('Five')}'); page.title() `), 'Five');
    assert.equal(
      await result('page.context() === context && context.browser() === browser && browser.isConnected()'),
      'true',
    );
    assert.equal(await result('mine'), '1');
  });

  it('uses the newest tab when its own is closed', async () => {
    for (const name of ['Old', 'New']) {
      await run(`const tab${name} = await context.newPage(); await tab${name}.goto('${titled(name)}')`);
    }
    await run('await page.close()');
    assert.equal(await result('page.title()'), 'New');
    await fixture.runner.reset();
    assert.match(await result('page.title()'), /^(Old|New)$/);
  });

  it('uses no tab that has crashed when its own is closed', async () => {
    await run(`page = await context.newPage(); await page.goto('${titled('Whole')}')`);
    await run(`const own = await context.newPage(), broken = await context.newPage(); page = own;
      broken.goto('chrome://crash').catch(() => {}); await new Promise((done) => broken.once('crash', done))`);
    await run('await own.close()');
    assert.equal(await result('page.title()'), 'Whole');
    await run('await broken.close()');
  });

  it('reports an error of a page handler and continues', async () => {
    const { stderr, result: value } = await run(
      'page.once("console", () => { throw new Error("in a handler") }); await page.evaluate(() => console.log(1)); await page.title(); "on"',
    );
    assert.match(stderr, /^Error: in a handler\n {4}at .*snippet\.js:1:/);
    assert.equal(value, 'on');
  });
});

describe('node runner: a browser that closes', () => {
  const fixture = useRunner(createNodeRunner);
  const gone = "The session's browser has closed";

  it("ends a run that doesn't use it, and every later run", async () => {
    const running = fixture.run('console.log("waiting"); await new Promise(() => {})', {
      onOutput: () => void fixture.chromium.kill(),
    });
    const outcome = await running;
    assert.equal(outcome.error, gone);
    assert.equal(outcome.exitCode, 1);
    assert.equal(outcome.killed, false);
    assert.equal(outcome.stdout, 'waiting\n');
    const next = await fixture.run('1');
    assert.deepEqual([next.error, next.exitCode, next.stderr], [gone, 1, `${gone}\n`]);
  });

  it('is reported while warming up too', async () => {
    await fixture.runner.reset();
    await assert.rejects(fixture.runner.warm(), { message: gone });
  });
});

describe("node runner: a browser that doesn't respond", () => {
  let server: Server;
  before((done) => {
    server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1', done);
  });
  after((done) => void server.close(done));

  it('can be stopped while it connects', async () => {
    const { port } = server.address() as { port: number };
    const runner = createNodeRunner({
      cdpUrl: `ws://127.0.0.1:${port}/`,
      directory: import.meta.dirname,
      marker: ['WEBDATA_TEST', 'unreachable'],
    });
    const signal = AbortSignal.timeout(200);
    try {
      const outcome = await runner.run({ code: '1', timeoutMs: amply, signal });
      assert.deepEqual([outcome.killed, outcome.exitCode], [true, 137]);
    } finally {
      await runner.dispose();
    }
    await assert.rejects(runner.run({ code: '1', timeoutMs: amply }), { status: 503 });
  });
});
