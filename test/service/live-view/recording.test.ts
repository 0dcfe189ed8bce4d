import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

const form = `<title>Login</title><style>body{margin:0}body>*{position:absolute;left:20px;width:300px;height:40px;margin:0}</style>
<form onsubmit="event.preventDefault();document.title='sent'"><input aria-label=Name style="position:absolute;left:20px;top:20px;width:300px;height:40px">
<input type=password aria-label=Password style="position:absolute;left:20px;top:80px;width:300px;height:40px"><input type=submit hidden></form>
<select aria-label=Size style="top:140px"><option>Small</option><option value=l>It's "large"</option></select>
<button style="top:200px" ondblclick="document.title='twice'">Save</button><textarea aria-label=Note style="top:260px"></textarea>
<input type=file aria-label=File style="top:320px">`;

describe('recording what is done in the live view', () => {
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
    await run(`await page.goto('${origin()}/'); 1`);
    viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    viewer.send({ type: 'record', on: true });
    await viewer.said('recording', ({ on }) => on);
  });
  afterEach(async () => await viewer.close());
  after(async () => {
    await service.close();
    site.close();
  });

  const origin = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return String(body.result);
  };
  const click = (y: number, clicks = 1) => {
    for (const action of ['down', 'up'])
      viewer.send({ type: 'mouse', action, x: 60, y, button: 'left', buttons: 0, clicks, modifiers: 0 });
  };
  const press = (key: string, keyCode = 0) => {
    for (const action of ['down', 'up'])
      viewer.send({ type: 'key', action, key, code: '', keyCode, location: 0, repeat: false, modifiers: 0 });
  };
  /** Ends the recording; returns its statements. */
  const recorded = async () => {
    viewer.send({ type: 'record', on: false });
    await viewer.said('recording', ({ on }) => !on);
    return viewer.told.flatMap((message) => (message.type === 'recorded' ? [message.statement] : []));
  };

  it('writes fields once, with their whole text, and never a password', async () => {
    click(40);
    for (const key of 'Fox') press(key);
    press('Tab', 9);
    for (const key of 'hidden') press(key);
    press('Enter', 13);
    await until(async () => (await run('await page.title()')) === 'sent', 'a form that was sent');
    const statements = await recorded();
    assert.deepEqual(
      statements.map(({ javascript }) => javascript),
      [
        `await page.goto('${origin()}/');`,
        "await page.getByRole('textbox', { name: 'Name' }).fill('Fox');",
        "await page.getByRole('textbox', { name: 'Password' }).fill(process.env.PASSWORD ?? '');",
        "await page.getByRole('textbox', { name: 'Password' }).press('Enter');",
      ],
    );
    assert.deepEqual(
      statements.map(({ python }) => python),
      [
        `await page.goto("${origin()}/")`,
        'await page.get_by_role("textbox", name="Name").fill("Fox")',
        'await page.get_by_role("textbox", name="Password").fill(os.environ["PASSWORD"])',
        'await page.get_by_role("textbox", name="Password").press("Enter")',
      ],
    );
    assert.ok(!JSON.stringify(viewer.told).includes('hidden'));
    assert.deepEqual(
      statements.map(({ secret }) => secret),
      [false, false, true, false],
    );
  });

  it('writes clicks, choices, texts of several lines and files, as code that does the same', async () => {
    click(220);
    click(220, 2);
    await until(async () => (await run('await page.title()')) === 'twice', 'a double click');
    click(160);
    viewer.send({ type: 'choose', field: (await viewer.said('field')).field.id, value: '1' });
    click(280);
    press('a');
    press('Enter', 13);
    press('b');
    click(340);
    const { chooser } = await viewer.said('chooser');
    viewer.send({ type: 'files', chooser: chooser.id, files: [{ name: 'letter.txt', mediaType: '', size: 0 }] });
    click(220);
    await viewer.said('recorded', ({ statement }) => statement.javascript.includes("'Save' }).click()"));
    const [, ...statements] = await recorded();
    assert.deepEqual(
      statements.map(({ javascript }) => javascript),
      [
        "await page.getByRole('button', { name: 'Save' }).dblclick();",
        "await page.getByLabel('Size').selectOption({ label: 'It\\'s \"large\"' });",
        "await page.getByRole('textbox', { name: 'Note' }).fill('a\\nb');",
        "await page.getByRole('button', { name: 'File' }).setInputFiles(['letter.txt']);",
        "await page.getByRole('button', { name: 'Save' }).click();",
      ],
    );
    await run(
      `await page.reload(); ${statements
        .map(({ javascript }) => javascript)
        .slice(0, 3)
        .join('\n')} 1`,
    );
    assert.equal(await run('await page.title()'), 'twice');
    assert.equal(await run('await page.locator("select").inputValue()'), 'l');
    assert.equal(await run('await page.locator("textarea").inputValue()'), 'a\nb');
  });

  it('writes addresses and the history, and nothing once it has ended', async () => {
    viewer.send({ type: 'navigate', url: `${origin()}/two` });
    await viewer.said('state', ({ canGoBack }) => canGoBack);
    viewer.send({ type: 'history', to: 'back' });
    const statements = await recorded();
    assert.deepEqual(
      statements.map(({ javascript }) => javascript),
      [`await page.goto('${origin()}/');`, `await page.goto('${origin()}/two');`, 'await page.goBack();'],
    );
    click(220);
    viewer.send({ type: 'copy', cut: false });
    await viewer.said('clipboard');
    assert.equal(viewer.told.filter(({ type }) => type === 'recorded').length, 3);
  });
});
