import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { signedWith } from '../../src/contract/webhooks/webhook-signature.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type FaultyServer, startFaultyServer } from '../harness/faulty-server.ts';
import { clipboardText, editorHolds, enterText, pick, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { clickOver, reads } from '../harness/shown.ts';
import { showViews } from '../harness/sidebar.ts';
import { type SmallSite, startSmallSite } from '../harness/small-site.ts';
import { copyWebhookUrl, deliveryRow } from '../harness/webhooks-view.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { fleetWebhookSecret, onFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for the start of the service, a browser and a crawl. */
const LONG = patience;
const names = ['apples', 'bread'];

describe('Webhooks', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: SmallSite;
  let handler: FaultyServer;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-webhooks-'));
    site = await startSmallSite(names);
    handler = await startFaultyServer((_arrival, exchange) => exchange.json({ taken: true }, 202));
    workbench = await startWorkbench({ folder });
    page = workbench.page;
  });
  after(async () => {
    await workbench?.close();
    await handler?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the verified deliveries of a crawl on the embedded service', async () => {
    await runCommand(page, 'Web Data: Start Webhook Receiver');
    if (onFleet()) await enterSecret(fleetWebhookSecret);
    const url = await copyWebhookUrl(page);
    // A session starts the service.
    await runCommand(page, 'Web Data: New Browser Session');
    const service = await eventually(() => embeddedService(workbench.dataDir), LONG);
    const started = await service.call('POST', '/v2/crawl', {
      url: site.url,
      webhook: { url, metadata: { order: '7' } },
    });
    assert.equal(started.status, 200, JSON.stringify(started.body));

    await eventually(async () => {
      const { body } = await service.call('GET', `/v2/crawl/${started.body.id}`);
      assert.deepEqual([body.status, body.completed], ['completed', 3], JSON.stringify(body).slice(0, 300));
    }, LONG);

    const badge = webDataIcon(page);
    await reads(badge.locator('.badge-content'), /^5$/);
    await showViews(page, 'Webhooks');
    for (const kind of ['crawl.started', 'crawl.page', 'crawl.completed']) {
      await deliveryRow(page, kind).first().waitFor({ timeout: LONG });
    }
    const rows = await eventually(async () => {
      const all = await spokenRows(deliveryRow(page, 'crawl.'));
      assert.equal(all.length, 5, all.join('\n'));
      return all;
    });
    for (const row of rows) assert.match(row, /, verified$/);
    assert.match(rows[0] ?? '', /^crawl\.completed/);
    assert.match(rows.at(-1) ?? '', /^crawl\.started/);
    await badge.locator('.badge-content').waitFor({ state: 'hidden' });
  });

  it('opens a delivery as JSON and its page as markdown', async () => {
    await deliveryRow(page, 'crawl.page, /bread').click();
    await page.locator('.tab.active', { hasText: 'crawl.page.json' }).waitFor();
    await editorHolds(page, '"type": "crawl.page"');
    await editorHolds(page, '"order": "7"');
    await pickFromMenu(page, deliveryRow(page, 'crawl.page, /bread'), 'Open Webhook Delivery As…');
    await pick(page, 'Markdown');
    await page.locator('.tab.active', { hasText: 'bread.md' }).waitFor();
    await editorHolds(page, '# bread');
  });

  it('forwards a delivery to a handler and shows its response', async () => {
    await runCommand(page, 'Web Data: Set Webhook Handler…');
    await enterText(page, `${handler.baseUrl}/hook`);
    await page.locator(`.monaco-list-row[aria-label^="Handler: ${handler.baseUrl}/hook"]`).waitFor();
    await pickFromMenu(page, deliveryRow(page, 'crawl.page, /apples'), 'Replay Webhook Delivery');
    await eventually(() => assert.equal(handler.arrivals.length, 1));
    const answer = page.locator('.monaco-list-row[aria-label^="Handler: 202"]').first();
    await answer.waitFor();
    await answer.click();
    await editorHolds(page, '"taken": true');
    const [arrival] = handler.arrivals;
    assert.equal(arrival?.target, '/hook');
    assert.equal(JSON.parse(arrival?.body ?? '').type, 'crawl.page');
    assert.equal(
      signedWith(Buffer.from(arrival?.body ?? ''), String(arrival?.headers['x-service-signature']), [await secret()]),
      0,
    );
  });

  it('replays it, unchanged and edited', async () => {
    const row = deliveryRow(page, 'crawl.page, /apples');
    await clickOver(row, row.locator('a[aria-label^="Replay Webhook Delivery"]'));
    await eventually(() => assert.equal(handler.arrivals.length, 2));
    const [first, second] = handler.arrivals;
    assert.equal(second?.body, first?.body);
    assert.equal(second?.headers['x-service-signature'], first?.headers['x-service-signature']);

    await pickFromMenu(page, row, 'Edit and Replay Webhook Delivery');
    await page.locator('.tab.active', { hasText: 'webhook.json' }).waitFor();
    await editorHolds(page, '"success": true');
    // An editor that is shown gets the focus later.
    await page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('edited by hand');
    await editorHolds(page, 'edited by hand');
    await runCommand(page, 'Web Data: Replay Webhook Delivery');
    await eventually(() => assert.equal(handler.arrivals.length, 3));
    const third = handler.arrivals[2];
    assert.equal(third?.body, 'edited by hand');
    assert.equal(
      signedWith(Buffer.from(third?.body ?? ''), String(third?.headers['x-service-signature']), [await secret()]),
      0,
    );
  });

  it('shows the deliveries of one job', async () => {
    await pickFromMenu(page, deliveryRow(page, 'crawl.started'), 'Filter Webhook Deliveries by Job…');
    await page.locator('.pane-header[aria-label^="Webhooks"]', { hasText: /job / }).waitFor();
    await eventually(async () => assert.equal((await spokenRows(deliveryRow(page, 'crawl.'))).length, 5));
    await runCommand(page, 'Web Data: Filter Webhook Deliveries by Job…');
    await pick(page, 'All');
    await page.locator('.pane-header[aria-label^="Webhooks"]', { hasText: /job / }).waitFor({ state: 'hidden' });
  });

  it('listens at the same address after a reload, with the recorded deliveries', async () => {
    const address = () =>
      eventually(async () => {
        const [label] = await spokenRows(page.locator('.monaco-list-row[aria-label^="URL: "]'));
        assert.match(label ?? '', /^URL: http:\/\/127\.0\.0\.1:\d+\/webhooks/);
        return label;
      });
    const before = await address();
    await workbench.reload();
    await showViews(page, 'Webhooks');
    await deliveryRow(page, 'crawl.completed').first().waitFor({ timeout: LONG });
    await eventually(async () => assert.equal(await address(), before), LONG);
    const url = before?.replace('URL: ', '') ?? '';
    // Without a keyring, a secret that was entered is kept until the window is reloaded.
    const refusal = onFleet() ? 400 : 401;
    assert.equal(
      (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
      refusal,
    );
    await page.locator('.monaco-list-row[aria-label^="Refused: 1 request refused"]').waitFor();
    // So is a delivery that was edited.
    await page.locator('.tab', { hasText: 'webhook.json' }).first().click();
    await editorHolds(page, 'edited by hand');
  });

  it('inserts verification code into the editor', async () => {
    await runCommand(page, 'Web Data: Insert Webhook Verification Code');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Python' }).click();
    await editorHolds(page, 'hmac.compare_digest');
  });

  let known: string | undefined;

  /** The webhook secret, copied as a person would. */
  async function secret(): Promise<string> {
    known ??= await copySecret();
    return known;
  }

  /** Enters the secret of a server, as a person would. The embedded service gets the window's own. */
  async function enterSecret(text: string): Promise<void> {
    await runCommand(page, 'Web Data: Set Webhook Secret…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Enter a Secret' }).click();
    await enterText(page, text);
  }

  async function copySecret(): Promise<string> {
    await runCommand(page, 'Web Data: Set Webhook Secret…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Copy the Secret' }).click();
    return await eventually(async () => {
      const text = await clipboardText(page);
      assert.match(text, /^[\w-]{43}$/);
      return text;
    });
  }
});

/** The whole icon: its badge lies over the link. */
function webDataIcon(page: Page): Locator {
  return page.locator('.activitybar .action-item', { has: page.locator('a[aria-label^="Web Data"]') });
}
