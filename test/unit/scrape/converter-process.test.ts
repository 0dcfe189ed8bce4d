import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openConverters } from '../../../src/service/web/scrape/convert/convert.ts';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';
import { createConverterProcess } from '../../../src/service/web/scrape/convert/converter-process.ts';
import type { ConvertTask } from '../../../src/service/web/scrape/convert/tasks.ts';
import { docx, wordParagraph } from '../../harness/documents.ts';
import { eventually } from '../../harness/eventually.ts';
import { isRunning } from '../../harness/is-running.ts';

const patience = 60_000;
const program = join(import.meta.dirname, 'breaking-program.ts');
const options = { url: '', onlyMainContent: true, onlyCleanContent: false, removeBase64Images: true };
const task = (body: Uint8Array | string, kind: ConvertTask['kind'] = 'html'): ConvertTask => ({
  kind,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  contentType: undefined,
  raw: false,
  maxPages: 1,
  lists: { links: true, contentLinks: true, images: true },
  options: { ...options, markdown: true, html: false, wording: true },
});

describe('a process that converts', function () {
  this.timeout(patience);
  const { signal } = new AbortController();
  const limits = { team: 'default', timeoutMs: patience, deadlineMs: patience, keepsBody: false, signal };
  let converters: ReturnType<typeof createConverterProcess>;
  const pidOf = async (page: string) => Number((await converters.convert(task(page), limits)).markdown);

  afterEach(() => converters.close());

  it('returns what threads do, however large it is, and frees the body', async () => {
    converters = createConverterProcess();
    const html = `<p>${'word é 1 '.repeat(300_000)}</p>`;
    const given = task(html);
    const { markdown, wording } = await converters.convert(given, limits);
    const expected = convertPage(html, given.options);
    assert.ok(markdown === expected.markdown);
    assert.deepEqual(wording, expected.wording);
    assert.equal(given.body.byteLength, 0);
    const file = await converters.convert(task(docx(wordParagraph('fine')), 'zip'), limits);
    assert.equal(file.markdown, 'fine');
    await assert.rejects(converters.convert(task('no archive', 'zip'), limits), { kind: 'file' });
  });

  it('has the files and large pages of the service, and no others', async () => {
    converters = createConverterProcess(program);
    const all = openConverters(converters);
    const convert = async (of: ConvertTask) => (await all.convert(of, limits)).markdown;
    assert.equal(await convert(task('<p>small')), 'small');
    const pid = `${await pidOf('first')}`;
    assert.equal(await convert(task(docx(wordParagraph('fine')), 'zip')), pid);
    assert.equal(await convert(task(`<p>${'x'.repeat(8 * 1024 * 1024)}`)), pid);
    await all.close();
  });

  it('is gone once it is idle with much memory, and with that all of it; the next page starts another', async () => {
    converters = createConverterProcess(program);
    const small = await pidOf('small');
    assert.equal(await pidOf('large'), small);
    await eventually(() => assert.ok(!isRunning(small)));
    assert.notEqual(await pidOf('next'), small);
  });

  it('fails alone: the next page starts another', async () => {
    converters = createConverterProcess(program);
    const first = await pidOf('first');
    await assert.rejects(pidOf('break'), { kind: 'page', message: /stopped unexpectedly\. Try again/ });
    assert.notEqual(await pidOf('next'), first);
  });

  it('keeps nobody waiting beyond a deadline or a cancel, and goes on for the others', async () => {
    converters = createConverterProcess(program);
    const pid = await pidOf('first');
    const late = converters.convert(task('wait'), { ...limits, deadlineMs: 1 });
    await assert.rejects(late, { kind: 'timeout', message: /wasn't converted within the timeout/ });
    const stop = new AbortController();
    const canceled = converters.convert(task('wait'), { ...limits, signal: stop.signal });
    stop.abort();
    await assert.rejects(canceled, { kind: 'timeout', message: /canceled/ });
    assert.equal(await pidOf('next'), pid);
  });

  it('is ended with all that wait when its service closes', async () => {
    converters = createConverterProcess(program);
    const pid = await pidOf('first');
    const held = assert.rejects(pidOf('wait'), /shutting down/);
    await converters.close();
    await held;
    assert.ok(!isRunning(pid));
    await assert.rejects(pidOf('next'), /shutting down/);
  });

  it('ends when the service is killed', async () => {
    converters = createConverterProcess(program);
    const parent = `
      import { createConverterProcess } from ${JSON.stringify(import.meta.resolve('../../../src/service/web/scrape/convert/converter-process.ts'))};
      const task = { kind: 'html', body: Buffer.from('first'), options: {} };
      const limits = { deadlineMs: ${patience}, signal: new AbortController().signal };
      setInterval(() => undefined, 1000);
      const { markdown } = await createConverterProcess(${JSON.stringify(program)}).convert(task, limits);
      console.log(markdown);`;
    const service = spawn(process.execPath, ['--input-type=module', '--eval', parent], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(service.stdout, 'data');
    const pid = Number(String(text));
    assert.ok(isRunning(pid));
    service.kill('SIGKILL');
    await eventually(() => assert.ok(!isRunning(pid)));
  });
});
