import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import { eventually } from '../../harness/eventually.ts';
import { CancellationError, EventEmitter, env, fake, Uri, window } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const { WindowReceiver } = await import('../../../src/extension/webhooks/window-receiver.ts');
const { sendToHandler } = await import('../../../src/extension/webhooks/forward-commands.ts');

/** A thread whose configuration fails until it listens, and whose handler never responds. */
const program = `
const { parentPort } = require('node:worker_threads');
let listens = false;
parentPort.on('message', ({ id, name }) => {
  listens ||= name === 'listen';
  if (name === 'configure' && !listens) parentPort.postMessage({ kind: 'failure', id, message: 'The thread is out of memory.' });
  else if (name === 'cancelForward') process.exit(0);
  else if (name !== 'forward') parentPort.postMessage({ kind: 'result', id, result: { port: 4000, deliveries: [], total: 0 } });
});`;

describe('the webhook receiver of a window', () => {
  let folder: string;
  let receiver: InstanceType<typeof WindowReceiver>;
  let secretsChanged: EventEmitter<{ key: string }>;
  let logged: string[];

  beforeEach(async () => {
    fake.reset();
    folder = temporaryFolder();
    logged = [];
    const log = (text: string) => logged.push(text);
    secretsChanged = new EventEmitter();
    writeFileSync(join(folder, 'thread.cjs'), program);
    const state = new Map<string, unknown>([['webdata.webhooks.handler', { url: 'http://127.0.0.1:9/' }]]);
    receiver = new WindowReceiver({
      context: {
        workspaceState: { get: (key: string) => state.get(key), update: async () => undefined },
        secrets: { get: async () => undefined, onDidChange: secretsChanged.event },
        globalStorageUri: Uri.file(folder),
        asAbsolutePath: () => join(folder, 'thread.cjs'),
      } as never,
      connection: {
        target: { kind: 'server' },
        onServiceLinked: new Signal(),
        sendToService: () => undefined,
      } as unknown as Connection,
      log: { error: log, warn: log, info: () => undefined } as never,
    });
    // It has passed on the secrets that it began with.
    await turn();
  });
  afterEach(() => {
    receiver.dispose();
    rmSync(folder, { recursive: true });
  });

  it('says that new secrets did not reach it (EXT-20)', async () => {
    await receiver.thread();
    secretsChanged.fire({ key: 'webdata.webhookSecrets' });
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: The thread is out of memory.']));
    assert.deepEqual(logged, ['Webhook receiver: The thread is out of memory.']);
  });

  it('receives without a public address if VS Code forwards no port, and says so (EXT-20)', async () => {
    const { asExternalUri } = env;
    Object.assign(env, {
      remoteName: 'ssh',
      asExternalUri: () => Promise.reject(new Error('No port can be forwarded.')),
    });
    try {
      const { url, publicUrl } = await receiver.start();
      assert.deepEqual([url, publicUrl], ['http://127.0.0.1:4000/webhooks', undefined]);
      assert.deepEqual(logged, ['Webhook receiver: no public URL: No port can be forwarded.']);
      assert.deepEqual(fake.messages, []);
    } finally {
      Object.assign(env, { remoteName: undefined, asExternalUri });
    }
  });

  it('has the public address of the setting, also while it listens', async () => {
    const { workspace } = await import('../../harness/fake-vscode.ts');
    const publicUrl = () => (receiver.store.shown.state as { publicUrl?: string }).publicUrl;
    await receiver.start();
    assert.equal(publicUrl(), undefined);
    await workspace.getConfiguration('webdata').update('webhooks.publicUrl', 'https://a.test/w');
    await eventually(() => assert.equal(publicUrl(), 'https://a.test/w'));
  });

  it('shows what is known of it in rows, whose commands change it', async () => {
    const [{ WebhooksTree }, { standInForViews }] = await Promise.all([
      import('../../../src/extension/webhooks/webhooks-tree.ts'),
      import('../../../src/extension/ui/stand-ins/views.ts'),
    ]);
    const standIns = standInForViews(async () => undefined);
    const tree = new WebhooksTree(receiver, (error) => assert.fail(String(error)));
    const rows = () =>
      tree.getChildren({ kind: 'receiver' }).map((node) => {
        const { label, description, command, contextValue } = tree.getTreeItem(node);
        return [label, description, contextValue, command?.command];
      });
    const known = [
      ['Secret', "not set: deliveries aren't verified", 'fact secret', 'webdata.setWebhookSecret'],
      ['Handler', 'http://127.0.0.1:9/', 'fact handler', 'webdata.setWebhookHandler'],
    ];
    try {
      assert.deepEqual(rows(), known);
      const { kind, port, url } = await receiver.start();
      receiver.store.setState({ kind, port, url, publicUrl: 'https://a.test/w' });
      const refused = { status: 401, error: 'The signature is invalid.', host: '', count: 2 };
      receiver.store.applyUpdate({ arrived: 0, conflicts: [], failures: [], refused });
      assert.deepEqual(rows(), [
        ['URL', 'http://127.0.0.1:4000/webhooks', 'fact url', undefined],
        ['Public URL', 'https://a.test/w', 'fact publicUrl', undefined],
        ...known,
        ['Refused', '2 requests refused: The signature is invalid.', 'fact refused', undefined],
      ]);
    } finally {
      tree.dispose();
      for (const standIn of standIns) standIn.dispose();
    }
  });

  it('lets waiting for a handler be canceled where VS Code shows a button for it', async () => {
    const { withProgress } = window;
    const shown: unknown[] = [];
    window.withProgress = async (options, task) => {
      shown.push(options);
      return await withProgress(options, async (report, token) => {
        const done = task(report, token);
        (report as { report(progress: object): void }).report({});
        return await done;
      });
    };
    fake.cancels = () => true;
    try {
      await assert.rejects(sendToHandler(receiver, 1), CancellationError);
    } finally {
      window.withProgress = withProgress;
    }
    assert.deepEqual(shown, [{ location: 15, title: 'Web Data: Waiting for http://127.0.0.1:9/…', cancellable: true }]);
    await eventually(() => assert.match(logged[0] ?? '', /receiver stopped/, 'the thread was told'));
  });
});
