import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { fileLimits } from '../../../src/contract/sessions/live-view-wire.ts';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { noise } from '../../harness/noise.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

/** The file field of the form, and its button. */
const fileField = { x: 60, y: 210 };
const click = (viewer: TestViewer, { x, y }: { x: number; y: number }) => {
  for (const action of ['down', 'up'])
    viewer.send({ type: 'mouse', action, x, y, button: 'left', buttons: 0, clicks: 1, modifiers: 0 });
};
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('files for a page in the live view', () => {
  let service: TestService;
  let site: Site;
  let session: { id: string; interactiveLiveViewUrl: string };
  let viewer: TestViewer;
  before(async () => {
    [service, site] = [await startTestService(chosenBrowsers), await startSite()];
    session = (await service.call<typeof session>('POST', '/v2/browser', {})).body;
  });
  beforeEach(async () => {
    await run(`await page.goto('${site.origin}/form'); 1`);
    await run(`await page.evaluate(() => {
      window.heard = [];
      for (const name of ['input', 'change', 'cancel']) file.addEventListener(name, () => heard.push(name));
    })`);
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
    return body.result as string;
  };
  const heard = () => run('(await page.evaluate("heard")).join()');
  const open = async (attributes = '') => {
    await run(`await page.evaluate(() => { ${attributes} })`);
    click(viewer, fileField);
    return (await viewer.said('chooser')).chooser;
  };
  /** Answers a chooser, and sends what the service asks for. */
  const choose = (chooser: string, files: { name: string; bytes: Uint8Array; mediaType?: string }[]) => {
    viewer.socket.on('message', (data: Buffer, isBinary) => {
      const message = isBinary ? undefined : JSON.parse(String(data));
      if (message?.type === 'send-file')
        viewer.socket.send(files[message.file]?.bytes.subarray(message.start, message.end) ?? '');
    });
    viewer.send({
      type: 'files',
      chooser,
      files: files.map(({ name, bytes, mediaType = '' }) => ({ name, mediaType, size: bytes.byteLength })),
    });
  };
  const digestInPage = (index: number) =>
    run(`await page.evaluate(async () => {
      const bytes = await crypto.subtle.digest('SHA-256', await file.files[${index}].arrayBuffer());
      return [...new Uint8Array(bytes)].map((each) => each.toString(16).padStart(2, '0')).join('');
    })`);

  it('gives the page the bytes that the viewer chose, in pieces', async () => {
    const chooser = await open("file.accept = '.pdf,image/*'");
    assert.deepEqual({ ...chooser, id: '' }, { id: '', multiple: false, accept: '.pdf,image/*' });
    const bytes = noise(fileLimits.piece * 9 + 1);
    choose(chooser.id, [{ name: 'Bericht ü.pdf', bytes, mediaType: 'application/pdf' }]);
    await until(async () => (await heard()) === 'input,change', 'the events of a choice');
    assert.equal(
      await run('await page.evaluate("[file.files[0].name, file.files[0].type, file.files.length].join()")'),
      'Bericht ü.pdf,application/pdf,1',
    );
    assert.equal(await digestInPage(0), digest(bytes));
  });

  it('takes several files, also empty ones, where the field does', async () => {
    const chooser = await open('file.multiple = true');
    assert.equal(chooser.multiple, true);
    const bytes = noise(100_000);
    choose(chooser.id, [
      { name: 'empty.txt', bytes: new Uint8Array() },
      { name: 'b.bin', bytes },
    ]);
    await until(async () => (await heard()) === 'input,change', 'the events of a choice');
    assert.equal(
      await run('await page.evaluate("[...file.files].map(({ name, size }) => name + size).join()")'),
      'empty.txt0,b.bin100000',
    );
    assert.equal(await digestInPage(1), digest(bytes));
  });

  it('says so if the files are too large, or if nothing was chosen', async () => {
    const chooser = await open();
    const size = fileLimits.total + 1_000_000;
    viewer.send({ type: 'files', chooser: chooser.id, files: [{ name: 'large.iso', mediaType: '', size }] });
    const { text } = await viewer.said('notice');
    assert.equal(
      text,
      'No files were chosen: the files have 101 MB, but the live view takes up to 100 MB at once. Set larger ones from code with page.setInputFiles(…).',
    );
    await until(async () => (await heard()) === 'cancel', 'a canceled choice');
    viewer.told.length = 0;
    viewer.send({ type: 'files', chooser: (await open()).id, files: [] });
    await until(async () => (await heard()) === 'cancel,cancel', 'a canceled choice');
    assert.equal(await run('String(await page.evaluate("file.files.length"))'), '0');
  });

  it('cancels a choice of a viewer that leaves, and drops bytes that nobody asked for', async () => {
    viewer.socket.send(new Uint8Array(10));
    await viewer.said('dropped');
    await open();
    await viewer.close();
    await until(async () => (await heard()) === 'cancel', 'a canceled choice');
  });

  it('leaves choosers to code that opens them', async () => {
    await run(`const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#file')]);
      await chooser.setFiles({ name: 'code.txt', mimeType: 'text/plain', buffer: Buffer.from('from code') })`);
    assert.equal(await run('await page.evaluate("file.files[0].name")'), 'code.txt');
    assert.ok(!viewer.told.some(({ type }) => type === 'chooser' || type === 'notice'));
  });
});
