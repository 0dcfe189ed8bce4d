import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

const form = `<title>Fields</title><style>body{margin:0}body>*{position:absolute;left:20px;width:300px;height:40px;margin:0}</style>
<label style="top:0;height:20px" for=size>Size</label><select id=size style="top:20px"><option>Small</option><optgroup label="Large ones"><option value=l>Large</option><option disabled>Huge</option></optgroup><option hidden>None</option></select>
<input id=day type=date style="top:80px" min="2026-01-01" value="2026-03-04"><input id=tint type=color style="top:140px" value="#ff0000" aria-label="Tint">
<select id=many multiple style="top:200px"><option>One</option></select><select id=off disabled style="top:260px"><option>One</option></select>
<iframe style="top:320px;height:60px;border:0" srcdoc="<body style='margin:0'><select style='width:200px;height:50px'><option>A</option><option>B</option></select>"></iframe>
<input id=name style="top:400px"><button id=plain style="top:460px" onclick="document.title='pressed'">Press</button>
<script>window.heard = []; for (const name of ['input', 'change', 'mousedown', 'mouseup']) addEventListener(name, (event) => heard.push(name + ' ' + event.target.id));</script>`;

describe('lists and pickers of fields in the live view', () => {
  let service: TestService;
  let site: Server;
  let session: { id: string; interactiveLiveViewUrl: string };
  let viewer: TestViewer;
  before(async () => {
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(form));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    service = await startTestService(chosenBrowsers);
    session = (await service.call<typeof session>('POST', '/v2/browser', {})).body;
  });
  beforeEach(async () => {
    await run(`await page.goto('http://127.0.0.1:${(site.address() as AddressInfo).port}/'); 1`);
    viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
  });
  afterEach(async () => await viewer.close());
  after(async () => {
    await service.close();
    site.close();
  });

  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return String(body.result);
  };
  const inPage = (expression: string) => run(`String(await page.evaluate(() => ${expression}))`);
  const click = (y: number) => {
    viewer.told.length = 0;
    for (const action of ['down', 'up'])
      viewer.send({ type: 'mouse', action, x: 60, y, button: 'left', buttons: 0, clicks: 1, modifiers: 0 });
  };
  const press = (key: string, modifiers = 0) => {
    viewer.told.length = 0;
    for (const action of ['down', 'up'])
      viewer.send({ type: 'key', action, key, code: '', keyCode: 0, location: 0, repeat: false, modifiers });
  };
  const opened = async () => (await viewer.said('field')).field;
  const choose = (field: string, value: string) => viewer.send({ type: 'choose', field, value });

  it('shows the options of a list, and chooses one', async () => {
    click(40);
    const field = await opened();
    assert.deepEqual(
      { ...field, id: '' },
      {
        id: '',
        kind: 'select',
        name: 'Size',
        box: { x: 20, y: 20, width: 300, height: 40 },
        value: '0',
        options: [
          { index: 0, label: 'Small', group: '', disabled: false },
          { index: 1, label: 'Large', group: 'Large ones', disabled: false },
          { index: 2, label: 'Huge', group: 'Large ones', disabled: true },
        ],
        missing: 0,
      },
    );
    choose(field.id, '1');
    await until(async () => (await inPage('heard.join()')) === 'input size,change size', 'the events of a choice');
    assert.equal(await inPage('size.value + document.activeElement.id'), 'lsize');
  });

  it('sets dates and colors, and leaves what was not changed', async () => {
    click(100);
    const day = await opened();
    assert.deepEqual([day.kind, day.value, day.min], ['date', '2026-03-04', '2026-01-01']);
    choose(day.id, '2026-05-06');
    await until(async () => (await inPage('day.value')) === '2026-05-06', 'the date');
    click(160);
    const tint = await opened();
    assert.deepEqual([tint.kind, tint.value, tint.name], ['color', '#ff0000', 'Tint']);
    choose(tint.id, '#ff0000');
    choose(tint.id, '#00ff00');
    click(160);
    choose((await opened()).id, '#0000ff');
    await until(async () => (await inPage('tint.value')) === '#0000ff', 'the color');
    assert.equal(await inPage('heard.join()'), 'input day,change day,input tint,change tint');
  });

  it('opens them with the keys that do so, and finds them in frames', async () => {
    await inPage('size.focus()');
    press('ArrowDown', 1);
    assert.equal((await opened()).name, 'Size');
    press(' ');
    assert.equal((await opened()).name, 'Size');
    click(345);
    const inner = await opened();
    assert.deepEqual([inner.box, inner.options.length], [{ x: 20, y: 320, width: 200, height: 50 }, 2]);
    choose(inner.id, '1');
    await until(
      async () => (await inPage('frames[0].document.querySelector("select").value')) === 'B',
      'the choice in the frame',
    );
  });

  it('leaves everything else to the page, in the order in which it was done', async () => {
    click(220);
    click(280);
    click(420);
    for (const key of ['a', ' ', 'b']) press(key);
    click(480);
    await until(async () => (await inPage('document.title')) === 'pressed', 'a press');
    assert.equal(await inPage('document.getElementById("name").value'), 'a b');
    assert.ok(!viewer.told.some(({ type }) => type === 'field'));
    assert.match(
      await inPage('heard.join()'),
      /^mousedown many,mouseup many,.*mousedown plain,change name,mouseup plain/,
    );
  });
});
