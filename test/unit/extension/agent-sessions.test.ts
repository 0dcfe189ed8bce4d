import assert from 'node:assert/strict';
import type { EmbeddedClient } from '../../../src/client/client.ts';
import { type AgentRules, agentRules } from '../../../src/contract/mcp/agent-keys.ts';
import type { AgentRun } from '../../../src/contract/mcp/agent-sessions.ts';
import { RunStore } from '../../../src/extension/runs/run-store.ts';
import { fake } from '../../harness/fake-vscode.ts';

const { editAgentRules, rulesLine } = await import('../../../src/extension/agents/mcp/agent-rules.ts');
const { listAgentRuns } = await import('../../../src/extension/runs/agent-runs.ts');
const { toHistory, fromHistory } = await import('../../../src/extension/runs/run-history.ts');
const { Runs } = await import('../../../src/extension/runs/runs.ts');
const { agentState, requestText } = await import('../../../src/extension/ui/text/agent-texts.ts');
const { Signal } = await import('../../../src/extension/ui/lifecycle.ts');

describe('the rules of an agent key', () => {
  it('are changed one after the other, until the list is closed', async () => {
    const sent: unknown[] = [];
    let rules: AgentRules = agentRules.parse({});
    const used = { runs: 3, minutes: 1.5, credits: 4 };
    const key = () => ({ id: 'k1', name: 'Cursor', createdAt: '', rules, used });
    const embedded = {
      async setAgentRules({ body }: { body: { rules: AgentRules; reset: boolean } }) {
        sent.push(body);
        rules = agentRules.parse(body.rules);
        return { success: true, ...key() };
      },
    } as unknown as EmbeddedClient;
    const picks = ['Allowed hosts', 'Downloads', 'Run budget', 'Reset Usage', 'Credit budget'];
    const typed = ['shop.test, *.shop.test', '20'];
    fake.answer = (kind, given) => {
      if (kind === 'input') return typed.shift();
      const name = picks.shift();
      return (given as { label: string }[]).find(({ label }) => label === name);
    };
    assert.equal(await editAgentRules(embedded, key()), undefined);
    assert.deepEqual(rules, {
      hosts: ['shop.test', '*.shop.test'],
      downloads: 'allow',
      passwords: 'ask',
      uploads: null,
      runs: 20,
      minutes: null,
      credits: null,
    });
    assert.deepEqual(
      sent.map((body) => (body as { reset: boolean }).reset),
      [false, false, false, true],
    );
    assert.equal(rulesLine(key()), '3 of 20 runs · 1.5 minutes · 4 credits · 2 allowed hosts');
    picks.push('Revoke Key');
    assert.equal(await editAgentRules(embedded, key()), 'revoke');
    fake.reset();
  });
});

describe('what an agent does', () => {
  it('is said in words, without what could disguise it', () => {
    const session = { sessionId: 's1', agent: 'Cursor', acting: true, paused: false, controlled: false, actions: 1 };
    assert.equal(agentState(session), 'Cursor is using this session');
    assert.equal(agentState({ ...session, paused: true }), 'Cursor is paused');
    assert.equal(agentState({ ...session, paused: true, controlled: true }), 'you have taken over from Cursor');
    assert.equal(agentState({ ...session, acting: false }), undefined);
    const request = { id: '1', agent: 'Cursor', host: 'a.test', detail: 'x\u202ecsv', createdAt: '', expiresAt: '' };
    assert.equal(
      requestText({ ...request, kind: 'password' }),
      'Cursor wants to submit a form with a password to a.test',
    );
    assert.match(requestText({ ...request, kind: 'download' }), /^Cursor wants to download x.?csv from a\.test$/);
    assert.ok(!requestText({ ...request, kind: 'download' }).includes('\u202e'));
    assert.equal(requestText({ ...request, kind: 'host' }), 'Cursor wants to use a.test');
    assert.equal(requestText({ ...request, kind: 'code' }), 'Cursor wants to run code');
  });

  it('is listed among the runs, as code that is kept and can be run again', async () => {
    const store = new RunStore();
    const runs = new Runs({ store, now: () => 1, monotonic: () => 1 } as never);
    const onAgentRun = new Signal<AgentRun>();
    const onServiceStopped = new Signal();
    const onChange = new Signal();
    const sessions = [{ sessionId: 's1', agent: 'Cursor', acting: true, paused: false, controlled: false, actions: 2 }];
    const agents = { sessions, onChange, snippet: async () => '// What\n\n// %% Page\nawait page.goBack();\n' };
    const sessionName = () => 'Shop';
    const stopped: string[] = [];
    const stop = async (sessionId: string, language: string) => stopped.push(`${sessionId} ${language}`);
    const onFailure = assert.fail;
    const listing = listAgentRuns({
      runs,
      agents,
      onAgentRun,
      onServiceStopped,
      sessionName,
      stop,
      onFailure,
      now: () => 5,
    });
    const run = { runId: 'r1', sessionId: 's1', agent: 'Cursor', language: 'python', code: '\npage.title()' };
    onAgentRun.fire(run);
    assert.deepEqual(
      [store.find('r1')?.state, store.find('r1')?.title, store.find('r1')?.sessionName],
      ['running', 'Cursor: page.title()', ''],
    );
    runs.stop('r1');
    assert.deepEqual(stopped, ['s1 python']);
    onAgentRun.fire({ ...run, result: { success: true, result: 'Shop', exitCode: 0 } });
    assert.deepEqual([store.find('r1')?.state, store.find('r1')?.result], ['ok', 'Shop']);
    assert.deepEqual(
      [runs.requestOf('r1')?.snippet.text, runs.requestOf('r1')?.languageId],
      ['\npage.title()', 'python'],
    );
    assert.equal(fromHistory(toHistory(store.runs))[0]?.code, '\npage.title()');
    runs.stop('r1');
    assert.equal(stopped.length, 1);
    const error = 'The run was killed after its timeout of 5 s.';
    onAgentRun.fire({ ...run, runId: 'r3', result: { success: true, killed: true, exitCode: 137, error } });
    assert.deepEqual([store.find('r3')?.error, store.find('r3')?.remedy], [error, undefined]);
    onAgentRun.fire({ ...run, runId: 'r2' });
    onServiceStopped.fire();
    assert.equal(store.find('r2')?.state, 'cancelled');
    onChange.fire();
    await new Promise<void>((resolve) => {
      store.onChange.on(({ kind }) => kind === 'changed' && resolve());
    });
    const pages = store.find('pages s1');
    assert.deepEqual(
      [pages?.title, pages?.notice, pages?.state, pages?.sessionName],
      ['Cursor: actions on pages', '2 actions', 'ok', 'Shop'],
    );
    listing.dispose();
  });
});
