import assert from 'node:assert/strict';
import type { CdpClient } from '../../src/service/browsers/chrome/cdp-client.ts';
import type { Tabs } from '../../src/service/browsers/chrome/tabs.ts';
import { runActions } from '../../src/service/browsers/page/actions.ts';
import { createDeadline } from '../../src/service/browsers/page/deadline.ts';
import { openPageDriver } from '../../src/service/browsers/page/driver/driver.ts';
import { refsOf } from '../../src/service/browsers/page/driver/refs.ts';
import { watchQuietness } from '../../src/service/browsers/page/settle.ts';
import { attachTab, type Tab } from '../../src/service/browsers/page/tab.ts';
import type { AddressPolicy } from '../../src/service/platform/network/address-policy/address-policy.ts';
import { startChromium, type TestChromium } from '../harness/chromium.ts';

/**
 * Connects to a browser. `beforePress` is awaited before each press of the mouse is sent to it. What lets the button go is sent
 * once the press is answered or has opened a dialog, which is answered after that.
 */
async function connect(url: string, beforePress: () => Promise<unknown>): Promise<CdpClient> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const answers = new Map<number, PromiseWithResolvers<object>>();
  const listeners: [event: string, listener: (params: object, sessionId?: string) => void][] = [];
  let pressed = Promise.withResolvers<unknown>();
  socket.addEventListener('message', async ({ data }) => {
    const { id, method, params, sessionId, result, error } = JSON.parse(String(data));
    if (error) answers.get(id)?.reject(new Error(error.message));
    else answers.get(id)?.resolve(result);
    if (method === 'Page.javascriptDialogOpening') {
      pressed.resolve(undefined);
      await new Promise(setImmediate);
    }
    for (const [event, listener] of listeners) if (event === method) listener(params, sessionId);
  });
  let last = 0;
  // What is sent stays in order.
  let before = Promise.resolve<unknown>(undefined);
  const client = {
    async send(method: string, params: { type?: string } = {}, sessionId?: string) {
      if (method === 'Input.dispatchMouseEvent') {
        if (params.type === 'mousePressed') before = before.then(beforePress);
        await before;
        if (params.type === 'mousePressed') pressed = Promise.withResolvers();
        if (params.type === 'mouseReleased') await pressed.promise;
      }
      const id = ++last;
      const answer = Promise.withResolvers<object>();
      answers.set(id, answer);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      if (params.type === 'mousePressed') answer.promise.then(pressed.resolve, pressed.resolve);
      return answer.promise;
    },
    on(...listener: (typeof listeners)[number]) {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
    close: () => socket.close(),
  };
  return client as unknown as CdpClient;
}

const head = `<!doctype html><body style="margin: 0"><style>button { display: block; width: 200px; height: 60px; margin: 0 }</style>
  <script>var got = []; for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu'])
    document.addEventListener(type, ({ target }) => got.push(type + ' ' + target.id), true);
  const move = () => { late.style.height = late.clientHeight + 60 + 'px' }</script><div id="late"></div>`;
const others = (count: number) => '<button id="other">Other</button>'.repeat(count);
const target = '<button id="target">Target</button>';

describe('a click', () => {
  let chromium: TestChromium;
  let client: CdpClient;
  let tab: Tab;
  let moves = 0;
  const deadline = createDeadline(600_000, new AbortController().signal);
  before(async () => {
    chromium = await startChromium();
    client = await connect(chromium.cdpUrl, async () => {
      if (moves-- > 0) await tab.evaluate('move()');
    });
    const { targetInfos } = await client.send('Target.getTargets');
    const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
    tab = await attachTab(client, targetId, { close: async () => undefined });
  });
  after(async () => {
    client?.close();
    await chromium?.kill();
  });

  async function show(html: string, moved = 0): Promise<void> {
    moves = 0;
    const url = `data:text/html,${encodeURIComponent(html)}`;
    const loaded = new Promise<void>((resolve) => {
      const stop = tab.on('Page.loadEventFired', () => {
        stop();
        resolve();
      });
    });
    await tab.send('Page.navigate', { url });
    await loaded;
    moves = moved;
  }

  async function act(selector = '#target'): Promise<void> {
    const quietness = watchQuietness(tab, { start: 0, quiet: 1 });
    await runActions(tab, [{ type: 'click', selector, all: false, repeat: false }], quietness, deadline);
    quietness.stop();
  }

  async function drive(kind: 'click' | 'double' | 'right' = 'click', found = 'target'): Promise<void> {
    const policy = {} as AddressPolicy;
    const { frameTree } = await tab.send('Page.getFrameTree');
    const { frame } = frameTree.childFrames?.[0] ?? frameTree;
    const { root } = await tab.send('DOM.getDocument', { depth: -1, pierce: true });
    const nodes = [root];
    for (const node of nodes)
      nodes.push(...(node.children ?? []), ...(node.contentDocument ? [node.contentDocument] : []));
    const backendNodeId = nodes.find(({ attributes = [] }) => attributes.includes(found))?.backendNodeId ?? 0;
    const tabs = { ensureOne: async () => undefined, list: () => [{ targetId: tab.frameId, url: 'data:', title: '' }] };
    const driver = await openPageDriver({ client, tabs: tabs as unknown as Tabs }, policy, deadline);
    await driver.click(refsOf(client).of({ loaderId: frame.loaderId, backendNodeId }), kind);
    await driver.close();
  }

  const got = () => tab.evaluate<string[]>('got');
  const click = ['mousedown target', 'mouseup target', 'click target'];

  it('goes to its element again, and to nothing else, if the page moves before it arrives', async () => {
    for (const times of [1, 2]) {
      for (const how of [() => act(), () => drive()]) {
        await show(head + others(2) + target, times);
        await how();
        assert.deepEqual(await got(), click, `${times} times`);
      }
    }
    await show(head + others(1) + target, 1);
    await drive('double');
    assert.deepEqual(await got(), [...click, ...click, 'dblclick target']);
    await show(head + others(1) + target, 1);
    await drive('right');
    assert.deepEqual((await got()).sort(), ['contextmenu target', 'mousedown target', 'mouseup target']);
  });

  it('in a frame goes to nothing in the page around it that has moved there', async () => {
    const framed = `<body style="margin:0"><button id=target style="width:200px;height:60px" onclick="parent.got.push(id)">Target</button>`;
    await show(
      `${head}${others(1)}<iframe style="display: block; border: 0; height: 60px" srcdoc='${framed}'></iframe>`,
      1,
    );
    await drive();
    assert.deepEqual(await got(), ['target']);
  });

  it('is blocked twice at most, on a page that moves with each, and leaves no guard behind', async () => {
    const counted = `<script>let pressed = 0; addEventListener('pointerdown', () => pressed++, true)</script>`;
    for (const how of [() => act(), () => drive()]) {
      await show(head + counted + others(5) + target, 9);
      await how();
      assert.equal(await tab.evaluate('pressed'), 3);
      moves = 0;
      assert.deepEqual(await got(), ['mousedown other', 'mouseup other', 'click other']);
      await act('#other');
      assert.deepEqual((await got()).slice(3), ['mousedown other', 'mouseup other', 'click other']);
    }
  });

  const log = (on = 'click') => `on${on}="got.push('right')"`;
  const pages: Record<string, string> = {
    'a link whose text lets clicks through': `<a href="#" ${log()}><span id="target" style="pointer-events: none">Go</span></a>`,
    'an icon of a button': `<button ${log()}><svg id="target" width="30" height="30"><path d="M0 0h30v30h-30z"/></svg></button>`,
    'a hidden field with a label': `<input type="checkbox" id="target" style="position: absolute; opacity: 0; width: 0" ${log('change')}><label for="target">Go</label>`,
    'an inert part': `<button ${log()}><span inert id="target">Go</span></button>`,
    'a hollow shape': `<svg width="200" height="200"><circle id="target" cx="100" cy="100" r="80" fill="none" stroke="red" stroke-width="50" ${log()}/></svg>`,
    'a clipped button': `<button id="target" style="clip-path: polygon(0 0, 70% 0, 0 70%)" ${log()}>Go</button>`,
    'a turned button': `<div style="perspective: 400px"><button id="target" style="transform: rotateY(45deg)" ${log()}>Go</button></div>`,
    'an element without a box': `<a href="#" id="target" style="display: contents" ${log()}><span>Go</span></a>`,
    'a slot': `<x-b id="target" ${log()}>Go</x-b><script>customElements.define('x-b', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button><slot></slot></button>' } })</script>`,
    'what disappears when it is pressed': `<style>#target:active { display: none }</style><button id="target" ${log('pointerdown')}>Go</button>`,
    'what moves when it is pressed': `<style>#target:active { transform: translateY(200px) }</style><button id="target" ${log('pointerdown')}>Go</button>`,
    'what changes when it is pressed': `<p ${log()}><button id="target">Go</button></p><script>addEventListener('pointerdown', () => { target.innerHTML = '<b>Went</b>' }, true)</script>`,
    'what no longer matches under the mouse': `<button class="x" id="target" onmouseenter="this.id = ''" ${log()}>Go</button>`,
    'what is replaced under the mouse': `<p id="around" ${log()}><button id="target">Go</button></p><script>around.onmouseover = () => { around.onmouseover = null; around.innerHTML += '' }</script>`,
    'a part of a web component that lets clicks through': `<x-b ${log()}><span id="target" style="pointer-events: none">Go</span></x-b><script>customElements.define('x-b', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot></button>' } })</script>`,
    'what is replaced by a listener that keeps the press from others': `<p id="around" ${log('mousedown')}><button id="target">Go</button></p><script>addEventListener('pointerdown', (event) => { event.stopImmediatePropagation(); around.innerHTML += '' }, true)</script>`,
    'a page with the names of the guard': `<i id="unguard"></i><i id="aimed"></i><button id="target" ${log()}>Go</button>`,
  };
  for (const [name, html] of Object.entries(pages)) {
    it(`is not blocked on ${name}`, async () => {
      await show(
        `${head}<script>let pressed = 0; addEventListener('pointerdown', () => pressed++, true)</script>${html}`,
      );
      await act();
      assert.deepEqual(
        (await got()).filter((each) => each === 'right'),
        ['right'],
      );
      assert.equal(await tab.evaluate('pressed'), 1);
    });
  }

  for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) {
    it(`is complete when its ${type} opens a dialog`, async () => {
      const html = `${head}<button id="target" on${type}="alert(1)">Target</button>`;
      for (const how of [() => act(), () => drive()]) {
        await show(html);
        await how();
        assert.deepEqual(await got(), click);
      }
      await show(html);
      await drive('double');
      assert.deepEqual(await got(), [...click, ...click, 'dblclick target']);
    });
  }

  it('lets the button of the mouse go when its press opens a dialog', async () => {
    for (const kind of ['click', 'double'] as const) {
      await show(
        `${head}<script>onmousemove = ({ buttons }) => got.push('buttons ' + buttons); addEventListener('mousedown', () => alert(1), { once: true })</script>${target}`,
      );
      await drive(kind);
      const before = (await got()).length;
      await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 150, y: 20 });
      assert.ok((await got()).includes('mouseup target'));
      assert.deepEqual((await got()).slice(before), ['buttons 0']);
    }
  });
});
