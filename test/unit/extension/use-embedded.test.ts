import assert from 'node:assert/strict';
import type { LogOutputChannel } from 'vscode';
import { embeddedInstead } from '../../../src/extension/connection/remedies/remedies.ts';
import { commands, settings, settingsSection } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../harness/eventually.ts';
import { fake } from '../../harness/fake-vscode.ts';

const { Uri } = (await import('vscode')) as unknown as typeof import('vscode');
const { ResultsView } = await import('../../../src/extension/runs/results/results-view.ts');
const { ChatView } = await import('../../../src/extension/docs-chat/chat/chat-view.ts');
const { registerCommand, UserError } = await import('../../../src/extension/ui/commands.ts');
const { Connection } = await import('../../../src/extension/connection/connection.ts');
const { useEmbeddedService } = await import('../../../src/extension/connection/connect/connect.ts');

const log = { error: () => undefined, warn: assert.fail } as unknown as LogOutputChannel;

describe('Use Embedded Service', () => {
  let switches: boolean[];
  beforeEach(() => {
    fake.reset();
    switches = [];
    fake.result = (id) => {
      if (id !== commands.useEmbeddedService) return undefined;
      return switches.shift();
    };
  });

  it('runs code again that another server could not run, once it is in use', async () => {
    const run = { id: 'a', repeatable: true, remedy: embeddedInstead };
    const store = { runs: [], onChange: new Signal(), find: () => run };
    const view = new ResultsView({
      store,
      documents: {},
      extensionUri: Uri.parse('file:///extension'),
      log,
      hasLiveView: () => false,
    } as never);
    const repeated: string[] = [];
    view.onRunAgain.on((id) => repeated.push(id));
    const receive = resolve('webdata.runResults');
    switches = [false, true];
    for (const left of [1, 0]) {
      receive({ kind: 'request', id: 1, name: 'act', params: { id: 'a', action: 'fix' } });
      await eventually(() => assert.equal(switches.length, left));
    }
    await eventually(() => assert.deepEqual(repeated, ['a']));
  });

  it('does again what a command failed to do, with what it was given, if the other server is not needed', async () => {
    const asked: unknown[] = [];
    let repeats = true;
    const registered = registerCommand(commands.copyMcpConfiguration, log, (what: unknown) => {
      asked.push(what);
      if (asked.length % 2 === 1) throw new UserError('Not here.', [{ ...embeddedInstead, repeats }]);
    });
    fake.answer = (kind, text, button) =>
      kind === 'message' && String(text).includes('Not here.') ? button : undefined;
    switches = [true, false, true];
    await fake.run(commands.copyMcpConfiguration, 'one');
    await eventually(() => assert.deepEqual(asked, ['one', 'one']));
    // A setting of the workspace is in force.
    await fake.run(commands.copyMcpConfiguration, 'two');
    await eventually(() => assert.equal(switches.length, 1));
    asked.length = 0;
    repeats = false;
    await fake.run(commands.copyMcpConfiguration, 'three');
    await eventually(() => assert.equal(switches.length, 0));
    assert.deepEqual(asked, ['three']);
    registered.dispose();
  });

  it('does not do again what was meant for a server without an API key', async () => {
    fake.settings.set(`${settingsSection}.${settings.serverBaseUrl}`, 'https://api.test');
    const keys = { get: async () => undefined, onDidChange: () => ({ dispose: () => undefined }) };
    const connection = new Connection({} as never, log, keys as never);
    const asked: string[] = [];
    const registered = registerCommand(commands.copyMcpConfiguration, log, async (what: string) => {
      asked.push(what);
      if (asked.length === 1) await connection.access();
    });
    fake.answer = (kind, text, _connect, button) =>
      kind === 'message' && String(text).includes('No API key') ? button : undefined;
    switches = [true];
    await fake.run(commands.copyMcpConfiguration, 'one');
    await eventually(() => assert.equal(switches.length, 0));
    await new Promise(setImmediate);
    assert.deepEqual(asked, ['one']);
    registered.dispose();
    connection.dispose();
  });

  it('asks a docs question again that another server could not answer, once it is in use', async () => {
    const asked: string[] = [];
    const view = new ChatView({
      chat: { store: { turns: [], onChange: new Signal() }, again: async (id: string) => asked.push(id) },
      connection: { onDidChange: new Signal() },
      docs: { names: async () => [] },
      documents: {},
      extensionUri: Uri.parse('file:///extension'),
      log,
    } as never);
    const receive = resolve('webdata.docs');
    switches = [false, true];
    for (const left of [1, 0]) {
      receive({ kind: 'request', id: 1, name: 'help', params: { id: 'a', action: 'embedded' } });
      await eventually(() => assert.equal(switches.length, left));
    }
    await eventually(() => assert.deepEqual(asked, ['a']));
    view.dispose();
  });

  it('says whether it is in use', async () => {
    assert.equal(await useEmbeddedService({ target: { kind: 'embedded' } }), true);
    assert.equal(await useEmbeddedService({ target: { kind: 'server' } as never }), false);
  });
});

/** Shows a view, and returns what its page sends messages with. */
function resolve(id: string): (message: unknown) => void {
  let receive: (message: unknown) => void = () => undefined;
  const webview = {
    asWebviewUri: String,
    onDidReceiveMessage: (listener: typeof receive) => {
      receive = listener;
      return { dispose: () => undefined };
    },
    postMessage: async () => true,
  };
  const listened = () => ({ dispose: () => undefined });
  const events = { onDidDispose: listened, onDidChangeVisibility: listened };
  fake.views.webviews.get(id)?.resolveWebviewView({ webview, visible: true, ...events });
  return (message) => receive(message);
}
