import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openViewer, type TestViewer } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

const form = `<title>Form</title><style>body{margin:0;height:3000px}body>*{position:absolute;left:20px;width:300px;height:40px;margin:0}</style>
<button style="top:20px">Send "now"</button><label style="top:80px">Name <input></label>
<iframe style="top:140px;height:100px;border:0" title="Inner" srcdoc="<body style='margin:0'><button style='width:200px;height:50px'>Inside</button>"></iframe>
<button style="top:1200px">Far below</button><script>Object.defineProperty(Array.prototype, 'map', { get() { document.title = 'noticed'; } })</script>`;

describe('picking elements in a live view', () => {
  let service: TestService;
  let site: Server;
  let session: { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  before(async () => {
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(form));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    service = await startTestService(chosenBrowsers);
    session = (await service.call<typeof session>('POST', '/v2/browser', {})).body;
    await run(`await page.goto('http://127.0.0.1:${(site.address() as AddressInfo).port}/'); 1`);
  });
  after(async () => {
    await service.close();
    site.close();
  });

  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return String(body.result);
  };
  const pick = async (viewer: TestViewer, x: number, y: number) => {
    viewer.told.length = 0;
    viewer.send({ type: 'pick', x, y });
    return (await viewer.said('picked')).element;
  };
  const watching = () => openViewer(`${session.interactiveLiveViewUrl}?watch`);

  it("finds Playwright's locator in each language, for viewers that only watch, too", async () => {
    const viewer = await watching();
    const button = await pick(viewer, 100, 40);
    assert.equal(button?.javascript, `page.getByRole('button', { name: 'Send "now"' })`);
    assert.equal(button?.python, 'page.get_by_role("button", name="Send \\"now\\"")');
    assert.deepEqual(button?.box, { x: 20, y: 20, width: 300, height: 40 });
    assert.equal(await run(`await ${button?.javascript}.textContent()`), 'Send "now"');
    assert.equal(await run('await page.title()'), 'Form', 'the page noticed nothing');
    await viewer.close();
  });

  it('leads into frames', async () => {
    const viewer = await watching();
    const inside = await pick(viewer, 60, 160);
    assert.match(
      inside?.javascript ?? '',
      /^page\.locator\('iframe.*'\)\.contentFrame\(\)\.getByRole\('button', \{ name: 'Inside' \}\)$/,
    );
    assert.deepEqual(inside?.box, { x: 20, y: 140, width: 200, height: 50 });
    assert.equal(await run(`await ${inside?.javascript}.textContent()`), 'Inside');
    await viewer.close();
  });

  it('finds what is shown after the page was scrolled', async () => {
    await run('await page.evaluate("scrollTo(0, 1100)")');
    const viewer = await watching();
    assert.equal((await pick(viewer, 100, 110))?.javascript, "page.getByRole('button', { name: 'Far below' })");
    await viewer.close();
  });

  it('is not for viewers of the read-only URL', async () => {
    const viewer = await openViewer(session.liveViewUrl);
    viewer.send({ type: 'pick', x: 100, y: 40 });
    await viewer.said('dropped');
    assert.ok(!viewer.told.some(({ type }) => type === 'picked'));
    await viewer.close();
  });
});
