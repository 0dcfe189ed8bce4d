import assert from 'node:assert/strict';
import { eventually } from '../../../harness/eventually.ts';
import { openFakeWebview } from '../../../harness/fake-webview.ts';

const rows = JSON.stringify(Array.from({ length: 30 }, (_, index) => ({ name: `item ${index}`, price: 30 - index })));

describe('Run Results, while runs are drawn again', () => {
  let webview: ReturnType<typeof openFakeWebview>;
  before(async () => {
    webview = openFakeWebview();
    await import('../../../../src/webviews/run-results/main.ts');
  });
  after(() => webview.close());

  const runOf = (id: string, more: object = {}) => ({
    id,
    sessionId: 's',
    session: 'shop',
    title: `${id}.js`,
    state: 'ok',
    startedAt: 0,
    durationMs: 5,
    can: {},
    ...more,
  });
  const find = (selector: string) => webview.document.querySelector<HTMLElement>(selector) as HTMLElement;
  const of = (id: string, selector: string) => find(`[data-run-id="${id}"] ${selector}`);
  const click = (element: HTMLElement) =>
    element.dispatchEvent(
      new (element.ownerDocument.defaultView as never as { Event: typeof Event }).Event('click', { bubbles: true }),
    );
  const clickColumn = (id: string, name: string) =>
    click(
      [...webview.document.querySelectorAll<HTMLElement>(`[data-run-id="${id}"] .column`)].find(({ textContent }) =>
        textContent?.startsWith(name),
      ) as HTMLElement,
    );
  const sortOf = (id: string) => of(id, '[aria-sort="ascending"]')?.textContent;

  it('keep their sorting, filter and folded values when another run starts, and when they are folded (EXT-21)', async () => {
    webview.send('runs', { runs: [runOf('table', { result: rows }), runOf('tree', { result: '{"a":{"b":1}}' })] });
    clickColumn('table', 'price');
    const filter = of('table', '.filter') as HTMLInputElement;
    filter.value = 'item 2';
    click(filter);
    filter.dispatchEvent(new (webview.document.defaultView as never as { Event: typeof Event }).Event('input'));
    await eventually(() => assert.match(of('table', '.count').textContent ?? '', /^11 rows of 30/));
    const grid = of('table', '.grid');

    // A finished run that is drawn again keeps the elements that are on the screen, with what is selected in them.
    webview.send('run', { run: runOf('table', { result: rows, notice: 'The session has ended.' }) });
    assert.equal(of('table', '.grid'), grid);
    assert.match(of('table', '.body').textContent ?? '', /The session has ended/);

    webview.send('run', { run: runOf('next', { state: 'running', durationMs: undefined }) });
    assert.equal(of('table', '.head').getAttribute('aria-expanded'), 'false');
    click(of('table', '.head'));
    assert.equal(sortOf('table'), 'price');
    assert.equal((of('table', '.filter') as HTMLInputElement).value, 'item 2');
    assert.match(of('table', '.count').textContent ?? '', /^11 rows of 30/);
  });

  it('keep them when the other runs are cleared', () => {
    webview.send('runs', { runs: [runOf('table', { result: rows })] });
    assert.equal(sortOf('table'), 'price');
    assert.equal(webview.document.querySelectorAll('.run').length, 1);
  });

  it('show a result that has changed', () => {
    webview.send('run', { run: runOf('table', { result: '[{"x":1},{"x":2}]' }) });
    assert.match(of('table', '.count').textContent ?? '', /^2 rows/);
    assert.equal(sortOf('table'), undefined);
  });

  it('forget what was expanded of runs that are gone', () => {
    const keptIds = () => (webview.kept as [string, boolean][]).map(([id]) => id);
    assert.deepEqual(keptIds(), ['table']);
    webview.send('run', { run: runOf('other') });
    click(of('other', '.head'));
    assert.deepEqual(keptIds(), ['table', 'other']);
    webview.send('removed', { id: 'table' });
    assert.deepEqual(keptIds(), ['other']);
    webview.send('runs', { runs: [] });
    assert.deepEqual(keptIds(), []);
  });

  it('add output to what is shown', () => {
    webview.send('run', { run: runOf('loud', { state: 'running', durationMs: undefined, stdout: 'one\n' }) });
    const output = of('loud', 'pre[data-part="stdout"]');
    webview.send('output', { id: 'loud', stream: 'stdout', text: 'two\n' });
    webview.send('run', { run: runOf('loud', { stdout: 'one\ntwo\n' }) });
    assert.equal(of('loud', 'pre[data-part="stdout"]'), output);
    assert.equal(output.textContent, 'one\ntwo\n');
  });

  it('show an empty text as a result, unlike none', () => {
    const text = (id: string) => of(id, '.body').textContent ?? '';
    webview.send('runs', { runs: [runOf('empty', { result: '', stdout: ' ' }), runOf('none')] });
    assert.equal(of('empty', 'pre[data-part="result"]').textContent, "''");
    assert.ok(!of('empty', '.part.result').classList.contains('same'));
    click(of('none', '.head'));
    assert.match(text('none'), /No result and no output\./);
    click(of('empty', '.head'));
    assert.equal(of('empty', '.summary').textContent, "''");
  });

  it('say what a server cut, and how to keep all of it', () => {
    const sizes = { stdout: 0, stderr: 0, result: 4_000_000, rows: 20_000 };
    webview.send('runs', {
      runs: [runOf('own', { result: rows.slice(0, -5), truncated: true, sizes, can: { showAll: true } })],
    });
    assert.match(of('own', '.count').textContent ?? '', /^29 of 20,000 rows/);
    assert.match(of('own', '.body').textContent ?? '', /Show All/);
    const long = { stdout: 4_000_000, stderr: 4_000_000, result: 5 };
    const loud = { stdout: 'out', stderr: 'err', truncated: true, sizes: long, can: { openAll: ['stdout'] } };
    webview.send('runs', { runs: [runOf('loud', loud)] });
    assert.match(of('loud', '.part.stdout .cut').textContent ?? '', /of 4\.0 MB shown\. Open All$/);
    assert.match(of('loud', '.part.stderr .cut').textContent ?? '', /write it to a file/);
    webview.send('runs', { runs: [runOf('cut', { result: rows, truncated: true })] });
    assert.match(
      of('cut', '.body').textContent ?? '',
      /This server cuts off output and results at 1 MB\. To keep all of it, write it to a file in your code\./,
    );
  });

  it('say of parts that a reload left only the beginning of', () => {
    const can = { goToCode: true };
    const history = { stdout: 'short', error: 'Error: long', stderr: rows, result: rows.slice(0, -5) };
    const unkept = { result: 45_000, error: 12_000, stderr: undefined };
    webview.send('runs', { runs: [runOf('old', { ...history, unkept, unread: true, can })] });
    assert.match(of('old', '.body').textContent ?? '', /Loading…$/);
    assert.equal(of('old', '.cut'), null);

    webview.send('run', { run: runOf('old', { ...history, unkept, can }) });
    const text = (part: string) => of('old', `.part.${part} .cut`)?.textContent ?? '';
    const gone = / The rest was too long to be kept\. Run the code again\. Go to code$/;
    assert.match(text('result'), /First 877 B of 45\.0 kB shown\./);
    for (const part of ['result', 'error']) assert.match(text(part), gone);
    for (const part of ['stdout', 'stderr']) assert.equal(text(part), '');
    assert.match(of('old', '.count').textContent ?? '', /^29 rows received/);
    assert.doesNotMatch(of('old', '.body').textContent ?? '', /Loading|This server|No result/);

    const sizes = { stdout: 5, stderr: 5, result: 4_000_000, rows: 20_000 };
    webview.send('run', { run: runOf('old', { ...history, unkept, sizes, can: { ...can, showAll: true } }) });
    assert.match(of('old', '.count').textContent ?? '', /^29 of 20,000 rows/);
    assert.match(text('result'), /of 4\.0 MB shown\. Show All$/);
    webview.send('run', { run: runOf('old', { ...history, unkept, sizes, can: { runAgain: true } }) });
    assert.match(text('result'), /Run the code again\. Run again$/);

    webview.send('run', { run: runOf('old', { ...history, result: rows, can }) });
    assert.equal(of('old', '.cut'), null);
    assert.match(of('old', '.count').textContent ?? '', /^30 rows/);
  });

  it('say nothing of the output of a run that goes on after a reload', () => {
    const goesOn = { state: 'running', durationMs: undefined, stdout: 'beginning', unkept: { stdout: 3_000 } };
    webview.send('runs', { runs: [runOf('on', goesOn)] });
    assert.equal(of('on', '.cut'), null);
  });
});
