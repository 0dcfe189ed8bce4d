import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { patience } from '../harness/eventually.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { clickOver, reads } from '../harness/shown.ts';
import { rowsOf, sessionRows } from '../harness/sidebar.ts';
import { startOver } from '../harness/start-over.ts';
import { startTaskSite, type TaskSite } from '../harness/task-site.ts';
import type { Workbench } from '../harness/workbench.ts';
import { frameWith, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

const START = patience;

/** The tests of an agent and a person in one session, in a window that others have used. */
export function testAgents(used: () => Workbench): void {
  let workbench: Workbench;
  let page: Page;
  let site: TaskSite;
  let agent: ScriptedAgent;
  let live: Frame;
  before(async function () {
    skipOnFleet(this, 'only the link to the embedded service tells a window what agents do');
    site = await startTaskSite();
    workbench = used();
    ({ page } = workbench);
    await startOver(workbench);
    const service = embeddedService(workbench.dataDir);
    const { body } = await service.call('POST', '/embedded/agent-keys', { name: 'Cursor' });
    agent = await ScriptedAgent.connect(service.baseUrl, body.key, 'Cursor');
  });
  after(async () => {
    await agent?.close();
    site?.close();
  });

  const strip = () => live.locator('.agent');
  const says = (text: RegExp) => reads(strip().locator('.agent-text'), text);

  it('shows in the list of sessions and in the live view what the agent does', async () => {
    await agent.open(`${site.url}/login`);
    await sessionRows(page).filter({ hasText: 'Cursor is using this session' }).first().waitFor({ timeout: START });
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, 'canvas.picture', START);
    await agent.type('textbox "User"', 'ada');
    await says(/^Cursor is using this session\.$/);
    await takePicture(page, 'agent-acting');
  });

  it('lets the person pause the agent, and let it continue', async () => {
    await strip().getByRole('button', { name: 'Pause Agent' }).click();
    await says(/^Cursor is paused\.$/);
    await sessionRows(page).filter({ hasText: 'Cursor is paused' }).first().waitFor();
    assert.match(await agent.read(), /The user has taken over this session/);
    await assertAccessible(workbench, live, 'live-view', 'agent');
    await strip().getByRole('button', { name: 'Resume Agent' }).click();
    await says(/^Cursor (is using|has used) this session\.$/);
    await agent.read();
  });

  it('waits while the person is in control, and is told when it gets the session back', async () => {
    await live.locator('.control').click();
    await live.locator('.control', { hasText: 'Hand back (Esc)' }).waitFor();
    await says(/^You have taken over from Cursor\.$/);
    const waits = Promise.withResolvers<unknown>();
    const what = { ref: agent.ref('textbox "User"'), text: 'ben' };
    const typing = agent.try('page_type', what, { onprogress: waits.resolve });
    await waits.promise;
    await takePicture(page, 'agent-taken-over');
    await live.locator('.control').click();
    await live.locator('.control', { hasText: 'Take control' }).waitFor();
    assert.match((await typing).text, /^Not done: The user took this session over and has handed it back/);
    assert.match(await agent.read(), /="ada"/);
  });

  it('asks the person before it submits a password', async () => {
    await agent.type('textbox "Password"', 'oolong');
    const denied = agent.try('page_click', { ref: agent.ref('button "Log in"') });
    const request = strip().locator('.agent-request');
    await request.getByText(/^Cursor wants to submit a form with a password to 127\.0\.0\.1/).waitFor();
    const row = rowsOf(page, 'Browser Sessions').filter({ hasText: 'Cursor wants to submit a form' });
    await row.waitFor();
    await takePicture(page, 'agent-asks');
    if (process.env.WEBDATA_PICTURES) await assertAccessible(workbench, live, 'live-view', 'agent-asks');
    await clickOver(row, row.getByRole('button', { name: 'Deny' }));
    assert.match((await denied).text, /^Not done: the user doesn't allow you/);
    await request.waitFor({ state: 'hidden' });

    const clicked = agent.call('page_click', { ref: agent.ref('button "Log in"') });
    await request.getByRole('button', { name: 'Allow Once' }).click();
    assert.match(await clicked, /Hello ada/);
  });

  it('keeps its code in Run Results, and what it did as a script without the password', async () => {
    const before = await newestRun(page);
    assert.match(await agent.call('run_code', { code: '// Count the points.\nawait page.title()' }), /Account/);
    await runCommand(page, 'Run Results: Focus on Run Results View');
    const run = await endedRun(page, START, before?.runId);
    assert.equal(run.sessionId.length > 0, true);
    const results = await frameWith(page, '[data-run-id]');
    await results.getByText('Cursor: // Count the points.').first().waitFor();
    await results.getByText('Cursor: actions on pages').first().waitFor();
    await takePicture(page, 'agent-runs');
    await strip().getByRole('button', { name: 'Save as Snippet' }).click();
    await editorHolds(page, "getByRole('button', { name: 'Log in', exact: true }).click()");
    await takePicture(page, 'agent-snippet');
    await editorHolds(page, 'process.env.PASSWORD');
    assert.doesNotMatch(await page.locator('.editor-group-container.active .view-lines').first().innerText(), /oolong/);
  });
}
