import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { connectToServer, keyEnvironment } from '../harness/connect-to-server.ts';
import { askInView, newestTurn, openDocs } from '../harness/docs-view.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually } from '../harness/eventually.ts';
import { assertFocusOrder } from '../harness/focus-order.ts';
import { hostileAnswer } from '../harness/hostile-markdown.ts';
import { takePicture } from '../harness/pictures.ts';
import { clipboardText, editorHolds, pick } from '../harness/rows-and-editors.ts';
import { type ScriptedServer, startScriptedServer } from '../harness/scripted-server.ts';
import { type ServiceProcess, spawnService } from '../harness/service.ts';
import { contains, counts, reads } from '../harness/shown.ts';
import { type SmallSite, startSmallSite } from '../harness/small-site.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, notification, openFile, runCommand } from '../harness/workbench-actions.ts';

const howLong = 'How long may a session live?';
const inNode = 'How do I verify a webhook signature in node?';

describe('Docs', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let docs: Frame;
  let service: ServiceProcess;
  let hostile: ScriptedServer;
  let site: SmallSite;
  /** A server that nobody should call. */
  let trap: ScriptedServer;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-docs-'));
    mkdirSync(join(folder, 'notes'));
    writeFileSync(
      join(folder, 'notes', 'brewing.md'),
      '# Brewing\n\n## Hops\n\nThe zeppelin beer gets its aroma from the hop Mosaic.\n',
    );
    site = await startSmallSite(['apples', 'quinces']);
    writeFileSync(join(folder, 'hello.js'), '// here\nconst activityTtl = 60;\n');
    hostile = await startScriptedServer();
    trap = await startScriptedServer();
    service = await spawnService(['--port', '0', '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${keyEnvironment.WEBDATA_API_KEY}:team`,
    });
    workbench = await startWorkbench({
      folder,
      env: keyEnvironment,
      size: { width: 1400, height: 900 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
    await openFile(page, 'hello.js');
  });
  after(async () => {
    await workbench?.close();
    await hostile?.close();
    await trap?.close();
    await site?.close();
    service?.child.kill();
    await service?.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });

  const shoot = (name: string) => takePicture(page, `docs-${name}`);
  const box = () => docs.locator('#app > .box textarea');

  it('start with a box and sample questions, in the secondary side bar', async () => {
    docs = await openDocs(page);
    await docs.locator('.welcome .suggestion').first().waitFor();
    await eventually(async () => assert.equal(await box().evaluate((field) => field === document.activeElement), true));
    await page.locator('.part.auxiliarybar .composite.title').waitFor();
    await counts(docs.locator('[role="log"][aria-live="polite"]'), 1);
    await shoot('empty');
  });

  it('answer a question in the panel, with evidence and related questions', async () => {
    const turn = await askInView(docs, howLong);
    assert.equal(await turn.getAttribute('data-state'), 'answered', await turn.innerText());
    await reads(turn.locator('.markdown'), /3600/);
    // The text leads to its evidence.
    await turn.locator('.markdown .number').first().waitFor();
    await reads(turn.locator('.evidence li'), /browser-sessions\.md/);
    await reads(turn.locator('.foot'), /^embedded · \d/);
    await turn.locator('.suggestion').first().waitFor();
  });

  it("show differently when the texts don't answer", async () => {
    const turn = await askInView(docs, 'Who won the world cup in 1998?');
    assert.equal(await turn.getAttribute('data-state'), 'unanswered', await turn.innerText());
    await reads(turn, /Not in the docs/);
    await counts(turn.locator('.evidence'), 0);
  });

  it('copy code, and insert it at the cursor (EXT-10)', async () => {
    const turn = await askInView(docs, inNode);
    const code = turn.locator('.code').first();
    const shown = await code.locator('pre').innerText();
    await shoot('code');
    await code.locator('button[aria-label="Copy code"]').click();
    await eventually(async () => assert.equal(await clipboardText(page), shown));
    await eventually(async () => assert.equal(await docs.locator('.spoken[role="status"]').textContent(), 'Copied'));
    await code.locator('button[aria-label="Insert at the cursor"]').click();
    await editorHolds(page, shown.split('\n')[0] ?? '');
    await page.locator('.tab.active.dirty', { hasText: 'hello.js' }).waitFor();
    assert.equal(await page.locator('.terminal').count(), 0, 'nothing went to a terminal');
  });

  it('have no accessibility violations, with answers of every kind', async () => {
    await assertAccessible(workbench, docs, 'docs');
    await assertFocusOrder(docs);
  });

  it('recall earlier questions with Up Arrow', async () => {
    await box().click();
    await box().press('ArrowUp');
    await contains(box(), inNode);
    await box().press('ArrowUp');
    await box().press('ArrowUp');
    await contains(box(), howLong);
    await box().fill('');
  });

  it('take the selection as context, shown but not sent', async () => {
    const before = await docs.locator('[data-turn]').count();
    // A view that was closed is created again.
    const sideBar = page.locator('.part.auxiliarybar');
    await page.keyboard.press('Control+Alt+b');
    await sideBar.waitFor({ state: 'hidden' });
    await eventually(() => assert.ok(docs.isDetached()));
    await page.locator('.monaco-editor .view-line', { hasText: 'const activityTtl' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    docs = await openDocs(page);
    await contains(box(), 'What does `const activityTtl = 60;` mean?');
    await counts(docs.locator('[data-turn]'), before);
    await box().fill('');
  });

  it('open the text of the evidence at its heading', async () => {
    const first = docs.locator('[data-turn]').first().locator('.evidence .link').first();
    const heading = await first.innerText();
    await first.click();
    await page.locator('.tab.active', { hasText: 'browser-sessions.md' }).waitFor();
    // The preview if there is one, otherwise the text itself.
    const lines = page.locator('.editor-group-container.active .view-line', { hasText: heading });
    await eventually(async () => {
      const frames = page.frames().map((frame) => frame.locator('.markdown-body h2', { hasText: heading }));
      const found = await Promise.all([lines, ...frames].map((one) => one.count().catch(() => 0)));
      assert.ok(
        found.some((count) => count > 0),
        heading,
      );
    });
    await shoot('evidence');
  });

  it('are restored after a reload, and removed when they are cleared', async () => {
    await workbench.reload();
    docs = await openDocs(page);
    await reads(docs.locator('[data-turn]'), /How long may a session live\?[\s\S]*3600/);
    await runCommand(page, 'Web Data: Clear Docs Questions');
    await docs.locator('.welcome .suggestion').first().waitFor();
    await counts(docs.locator('[data-turn]'), 0);
    await assertAccessible(workbench, docs, 'docs', 'empty');
    await assertFocusOrder(docs);
  });

  it('come from an added folder and crawl, and lead to them', async () => {
    await runCommand(page, 'Web Data: Manage Docs Sources…');
    await pick(page, 'Add Docs Source…');
    await pick(page, 'Folder of Docs…');
    await chooseFolder(page, join(folder, 'notes'));
    await told(page, /Indexed docs source "notes": 1 page/);
    const noted = await askInView(docs, 'Which hop gives the zeppelin beer its aroma?');
    await reads(noted.locator('.markdown'), /Mosaic/);
    await noted.locator('.evidence .link').first().click();
    await page.locator('.tab.active', { hasText: 'brewing.md' }).waitFor();

    const { call } = embeddedService(workbench.dataDir);
    const { body } = await call('POST', '/v2/crawl', { url: site.url });
    await eventually(async () => assert.equal((await call('GET', `/v2/crawl/${body.id}`)).body.status, 'completed'));
    await runCommand(page, 'Web Data: Manage Docs Sources…');
    await pick(page, 'Add Docs Source…');
    await pick(page, new URL(site.url).host);
    await told(page, /Indexed docs source "127\.0\.0\.1:\d+"/);
    const crawled = await askInView(docs, 'What is quinces all about?');
    await reads(crawled.locator('.evidence'), /\/quinces/);

    await runCommand(page, 'Web Data: Manage Docs Sources…');
    await pick(page, 'folder · 1 page');
    await pick(page, 'deletes the index');
    await told(page, /Removed docs source "notes"/);
    const gone = await askInView(docs, 'Which hop gives the zeppelin beer its aroma?');
    assert.doesNotMatch(await gone.innerText(), /Mosaic/);
  });

  it('of a server look the same', async () => {
    const own = await askInView(docs, howLong);
    const looks = async () => ({
      text: await newestTurn(docs).locator('.markdown').innerHTML(),
      evidence: await newestTurn(docs).locator('.evidence').innerHTML(),
    });
    assert.equal(await own.getAttribute('data-state'), 'answered');
    const expected = await looks();
    await connectToServer(page, service.line.baseUrl);
    const turn = await askInView(docs, howLong);
    assert.equal(await turn.getAttribute('data-state'), 'answered', await turn.innerText());
    await eventually(async () => {
      assert.deepEqual(await looks(), expected);
      assert.ok((await turn.locator('.foot').innerText()).startsWith(new URL(service.line.baseUrl).host));
    });
    await runCommand(page, 'Web Data: Manage Docs Sources…');
    await told(page, /answers from its own docs/);
  });

  it('load nothing, run nothing and send nothing for a hostile answer (EXT-08)', async () => {
    hostile.script.instead = (path, exchange) => {
      if (path !== '/v2/support/docs-search') return false;
      exchange.json(hostileAnswer(trap.baseUrl));
      return true;
    };
    await connectToServer(page, hostile.baseUrl);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const tabs = await page.locator('.tab').count();
    const turn = await askInView(docs, 'What do I run?');
    assert.equal(await turn.getAttribute('data-state'), 'answered', await turn.innerText());
    await shoot('hostile');
    for (const element of await turn.locator('button.link, .left-out').all()) await element.hover();
    const foreign =
      'img, picture, video, audio, iframe, object, embed, script, style, link, form, input, svg, math, meta, base, a, [href], [src], [srcset], [style], [onerror], [onload], [onclick]';
    assert.equal(await turn.locator(foreign).count(), 0);
    await reads(turn, /⟦U\+202E⟧/);
    assert.deepEqual(trap.arrivals, []);
    assert.deepEqual(
      requests.filter((url) => url.includes(`:${trap.port}`) || url.includes('evil.test')),
      [],
    );
    assert.equal(await page.locator('.tab').count(), tabs, 'nothing was opened');
    assert.deepEqual(await errorMessages(page), []);
    // Evidence that is neither one of our texts nor a web page is shown as text, not as a link.
    const kinds = await turn
      .locator('.evidence li')
      .evaluateAll((items) => items.map((item) => item.querySelector('button') !== null));
    assert.deepEqual(kinds, [false, false, false, false, true]);
  });

  it("say why a server doesn't answer, and what to do", async () => {
    const failures: [status: number, text: RegExp, button: string][] = [
      [401, /key/i, 'Connect to Server…'],
      [429, /rate limiting requests.* \d\d:\d\d:\d\d/, 'Ask Again'],
      [501, /doesn't answer questions/, 'Use Embedded Service'],
    ];
    let status = 401;
    hostile.script.instead = (path, exchange) => {
      if (path !== '/v2/support/docs-search') return false;
      exchange.json({ success: false, error: 'No.' }, status, status === 429 ? { 'retry-after': '5' } : {});
      return true;
    };
    for (const failure of failures) {
      [status] = failure;
      const turn = await askInView(docs, `What about ${status}?`);
      assert.equal(await turn.getAttribute('data-state'), 'failed');
      await reads(turn.locator('.note'), failure[1]);
      await turn.locator('.actions', { hasText: failure[2] }).waitFor();
    }
    await shoot('failed');
    await assertAccessible(workbench, docs, 'docs', 'failed');
  });

  it('can be stopped', async () => {
    // Never answered.
    hostile.script.instead = (path) => path === '/v2/support/docs-search';
    await box().fill('Does this ever end?');
    await box().press('Enter');
    await docs.locator('[data-state="asking"]').waitFor();
    await box().press('Escape');
    await docs.locator('[data-state="stopped"]').waitFor();
    await eventually(async () => assert.equal(await box().evaluate((field) => field === document.activeElement), true));
  });
});

/** Answers the dialog for folders, with one that has no folders in it. */
async function chooseFolder(page: Page, path: string): Promise<void> {
  const dialog = page.locator('.quick-input-widget:visible', {
    has: page.locator('.quick-input-action', { hasText: 'Add' }),
  });
  await dialog.waitFor();
  await eventually(async (timeout) => {
    if (!(await dialog.isVisible())) return;
    await dialog.locator('.quick-input-box input').fill(`${path}/`, { timeout });
    // Until it has read the folder it would take the one that it showed before.
    await eventually(async () => {
      assert.deepEqual(await dialog.locator('.monaco-list-row .label-name').allInnerTexts(), ['..']);
    }, timeout);
    await dialog.locator('.quick-input-action', { hasText: 'Add' }).click({ timeout });
    await dialog.waitFor({ state: 'hidden', timeout });
  });
}

/** Waits for a notification, and clears it away from what is below it. */
async function told(page: Page, text: RegExp): Promise<void> {
  await notification(page, text);
  await runCommand(page, 'Notifications: Clear All Notifications');
}
