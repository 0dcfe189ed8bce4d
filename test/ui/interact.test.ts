import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { currentMark } from '../../src/extension/ui/session-mark.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds, enterText, pickFromMenu } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { refOf, type ScriptedModel, startScriptedModel } from '../harness/scripted-model.ts';
import { counts, reads } from '../harness/shown.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, notification, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';
import { testAddresses } from './addresses.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

describe('scraped pages, files and a language model', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: Server;
  let url: string;
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel();
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        "<!doctype html><title>Shop</title><h1>Shop</h1><p>Apples are 2.40 a pound, and pears are 3.10, so the shop sells them by the basket.</p><label>Name <input></label><button onclick=\"document.title = document.querySelector('input').value + ' ordered'\">Order</button>",
      );
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-interact-'));
    writeFileSync(join(folder, 'title.js'), 'await page.title()\n');
    writeFileSync(join(folder, 'prices.csv'), 'Fruit,Price\nApples,2.40\nPears,3.10\n');
    writeFileSync(join(folder, 'letter.eml'), 'From: ada@example.com\nSubject: Order\n\nA basket of pears, please.\n');
    workbench = await startWorkbench({ folder, file: join(folder, 'title.js') });
    page = workbench.page;
    await statusItem(page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    await model.close();
    site.closeAllConnections();
    site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const needsModel = (context: Mocha.Context) =>
    skipOnFleet(context, 'the language model of a server is set when it starts');
  const quickInput = () => page.locator('.quick-input-widget:visible');
  let scraped: string | undefined;
  /** Waits until the status bar and the tree show the session of this name as the current one. */
  async function isCurrent(name: string): Promise<void> {
    await reads(statusItem(page), new RegExp(name));
    await showViews(page, 'Browser Sessions');
    const row = rowsOf(page, 'Browser Sessions').filter({ hasText: name });
    await row.locator(`.codicon-${currentMark.icon}`).first().waitFor({ timeout: RUN });
  }

  it('makes the page of a scrape the target of runs', async () => {
    await runCommand(page, 'Web Data: Scrape URL…');
    await quickInput().locator('input[type="text"]').fill(url);
    await page.keyboard.press('Enter');
    await page.locator('.tab', { hasText: 'Shop.md' }).waitFor({ timeout: RUN });
    // With the scrape in front it would be the one that is meant.
    await page.locator('.tab', { hasText: 'title.js' }).click();
    await runCommand(page, 'Web Data: Interact with Scrape…');
    const scrapes = quickInput().locator('.monaco-list-row', { hasNotText: 'Enter a Scrape ID' });
    await scrapes.first().click();
    await isCurrent('Shop');

    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.deepEqual([run.state, run.result], ['ok', 'Shop'], run.error);
    scraped = run.sessionId;
  });

  it('is left for the session that is chosen, and comes back with its own', async () => {
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: New Browser Session');
    await isCurrent('Untitled');
    await runCommand(page, 'Web Data: Run File');
    const elsewhere = await endedRun(page, RUN, before?.runId);
    assert.equal(elsewhere.state, 'ok', elsewhere.error);
    assert.notEqual(elsewhere.sessionId, scraped);

    await runCommand(page, 'Web Data: Use Browser Session…');
    await quickInput().locator('.monaco-list-row', { hasText: 'Shop' }).click({ timeout: RUN });
    await isCurrent('Shop');
    await takePicture(page, 'current-session');
    await runCommand(page, 'Web Data: Run File');
    const back = await endedRun(page, RUN, elsewhere.runId);
    assert.deepEqual([back.result, back.sessionId], ['Shop', scraped], back.error);
  });

  it('leads a task that has no language model to one, tests it and repeats the task', async function () {
    needsModel(this);
    const key = 'model-key-0123456789';
    model.serve({ models: ['scripted', 'other'], apiKey: key });
    model.script((request) =>
      request.tools ? { calls: [{ name: 'finish', arguments: { answer: 'It sells fruit.' } }] } : { text: 'OK' },
    );
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Send Prompt…');
    await quickInput().locator('input').fill('What does it sell?');
    await page.keyboard.press('Enter');
    const failed = await endedRun(page, RUN, before?.runId);
    assert.equal(failed.state, 'failed');
    assert.match(failed.error ?? '', /^This prompt needs a language model, and none is set up\.$/);

    const results = await frameWith(page, '[data-run-id]');
    await results.locator('button', { hasText: 'Set Up a Language Model…' }).click();
    await quickInput().locator('.monaco-list-row', { hasText: 'Enter a URL…' }).click({ timeout: RUN });
    await enterText(page, model.baseUrl, /1\/3/);
    await enterText(page, key, /2\/3/);
    await quickInput().locator('.monaco-list-row', { hasText: 'scripted' }).click({ timeout: RUN });
    const run = await endedRun(page, RUN, failed.runId);
    assert.deepEqual([run.state, run.result], ['ok', 'It sells fruit.'], run.error);
    assert.equal(model.requests[0]?.tools, undefined, 'the model was not tested before');
    for (const { authorization } of model.requests) assert.equal(authorization, `Bearer ${key}`);
    const saved = readFileSync(join(workbench.dataDir, 'data/User/settings.json'), 'utf8');
    assert.match(saved, /"webdata\.languageModel\.name": "scripted"/);
    assert.ok(!saved.includes(key));
  });

  it('is named in the menu with its model', async function () {
    needsModel(this);
    await statusItem(page).click();
    const row = quickInput().locator('.monaco-list-row', { hasText: 'Set Up a Language Model…' });
    await row.filter({ hasText: `scripted on ${new URL(model.baseUrl).host}` }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('performs a task given as a prompt, and shows its steps', async function () {
    needsModel(this);
    model.script((request, number) => {
      if (number === 0)
        return { calls: [{ name: 'type', arguments: { ref: refOf(request, /textbox "Name"/), text: 'Ada' } }] };
      if (number === 1) return { calls: [{ name: 'click', arguments: { ref: refOf(request, /button "Order"/) } }] };
      return { calls: [{ name: 'finish', arguments: { answer: 'Ordered for Ada.' } }] };
    });
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Send Prompt…');
    await quickInput().locator('input').fill('Order for Ada');
    await page.keyboard.press('Enter');
    const run = await endedRun(page, RUN, before?.runId);
    assert.deepEqual([run.state, run.result], ['ok', 'Ordered for Ada.'], run.error);
    assert.match(run.stdout ?? '', /1\. type[\s\S]*2\. click[\s\S]*3\. finish/);

    await runCommand(page, 'Web Data: Run File');
    const after = await endedRun(page, RUN, run.runId);
    assert.equal(after.result, 'Ada ordered', after.error);
    assert.equal(after.sessionId, run.sessionId);
  });

  it('ends, and runs use browser sessions again', async () => {
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Destroy Browser Session');
    // Other sessions are listed too, and code ran in this one.
    await quickInput()
      .locator('.monaco-list-row', { hasText: /Ada ordered|Shop/ })
      .first()
      .click();
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Destroy' }).click();
    await eventually(async () => assert.doesNotMatch(await statusItem(page).innerText(), /Ada ordered|Shop/));
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.state, 'ok', run.error);
    assert.notEqual(run.sessionId, before?.sessionId);
  });

  const jobRow = (target: string) => rowsOf(page, 'Activity').filter({ hasText: target });
  /** Opens the result of a job from the notification: it is told because Activity isn't visible. */
  async function openResult(target: string): Promise<void> {
    const notice = await notification(page, new RegExp(`Job completed: ${target}`), RUN);
    await notice.first().locator('.monaco-button', { hasText: 'Open' }).click();
    await showViews(page, 'Activity');
    await jobRow(target).first().waitFor({ timeout: RUN });
    await showViews(page, 'Browser Sessions');
  }

  it('are read by an agent job, which answers with data and the source of each value', async function () {
    needsModel(this);
    let step = 0;
    model.script(() =>
      step++ === 0
        ? { calls: [{ name: 'read_page', arguments: { url } }] }
        : { calls: [{ name: 'finish', arguments: { data: { price: 3.1 }, sources: [] } }] },
    );
    await showViews(page, 'Browser Sessions');
    await runCommand(page, 'Web Data: Ask an Agent…');
    await enterText(page, 'What do pears cost?', /1\/3/);
    await enterText(page, url, /2\/3/);
    await quickInput().locator('.monaco-list-row', { hasText: 'No Schema' }).click({ timeout: RUN });
    await openResult('What do pears cost');
    await page.locator('.tab.active', { hasText: /\.json/ }).waitFor({ timeout: RUN });
    await editorHolds(page, '"price": 3.1');
    await editorHolds(page, '"sources"');
    await takePicture(page, 'agent-job');
  });

  it('are the pages of an extract job, whose data is one JSON document', async function () {
    needsModel(this);
    model.script(() => ({ text: '{"data": {"fruit": ["Apples", "Pears"]}, "sources": []}' }));
    await runCommand(page, 'Web Data: Extract from Pages…');
    await enterText(page, url, /1\/3/);
    await enterText(page, 'Which fruit is sold', /2\/3/);
    await quickInput().locator('.monaco-list-row', { hasText: 'No Schema' }).click({ timeout: RUN });
    await openResult('Which fruit is sold');
    await editorHolds(page, '"Apples"');
    await counts(page.locator('.editor-instance .inline-folded'), 0, 'What was found is folded.');
  });

  it('become Markdown from the Explorer, one beside the editor and several as a list', async () => {
    await runCommand(page, 'View: Show Explorer');
    const row = (name: string) => page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
    await pickFromMenu(page, row('prices.csv'), 'Parse to Markdown');
    await page.locator('.tab', { hasText: /Preview prices/ }).waitFor({ timeout: RUN });
    await row('letter.eml').click();
    await row('prices.csv').click({ modifiers: ['ControlOrMeta'] });
    await pickFromMenu(page, row('prices.csv'), 'Parse to Markdown');
    const files = quickInput().locator('.monaco-list-row');
    await files.filter({ hasText: 'letter.eml' }).waitFor({ timeout: RUN });
    await files.filter({ hasText: 'prices.csv' }).waitFor();
    await takePicture(page, 'parsed-files');
    await files.filter({ hasText: 'letter.eml' }).click();
    await page.locator('.tab', { hasText: /Preview letter/ }).waitFor({ timeout: RUN });
  });

  describe('from addresses in the editor', () => testAddresses(() => workbench));
});
