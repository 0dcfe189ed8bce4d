import assert from 'node:assert/strict';
import { eventually } from '../../harness/eventually.ts';
import { fake } from '../../harness/fake-vscode.ts';

const { Uri } = (await import('vscode')) as unknown as typeof import('vscode');
const { ResultsView } = await import('../../../src/extension/runs/results/results-view.ts');
const { Signal } = await import('../../../src/extension/ui/lifecycle.ts');
const { UserError } = await import('../../../src/extension/ui/commands.ts');

const megabyte = 1_000_000;

describe('Copy in Run Results', () => {
  let lost: string[];
  let receive: (message: unknown) => void;
  const runs = [
    { id: 'whole', stdout: 'first', sizes: { stdout: 3 * megabyte, kept: ['stdout'] } },
    { id: 'beginning', stdout: 'x'.repeat(2_000), unkept: { stdout: 45_000 } },
    { id: 'gone', stdout: 'first', sizes: { stdout: 3 * megabyte, kept: ['stdout'] } },
    { id: 'cut', stdout: 'x'.repeat(megabyte), sizes: { stdout: 3 * megabyte } },
  ];

  beforeEach(() => {
    fake.messages.length = 0;
    fake.clipboard = '';
    lost = [];
    const store = {
      runs: [],
      onChange: new Signal(),
      find: (id: string) => runs.find((run) => run.id === id),
      loseWhole: (...what: string[]) => lost.push(...what),
    };
    new ResultsView({
      store,
      documents: {},
      extensionUri: Uri.parse('file:///extension'),
      log: { warn: assert.fail, error: () => undefined },
      hasLiveView: () => false,
      readWhole: async (id: string) => {
        if (id === 'gone') throw new UserError('The service that ran this code has stopped.');
        return 'y'.repeat(3 * megabyte);
      },
    } as never);
    const webview = {
      asWebviewUri: String,
      onDidReceiveMessage: (listener: typeof receive) => {
        receive = listener;
        return { dispose: () => undefined };
      },
      postMessage: async () => true,
    };
    const view = { webview, visible: true, onDidDispose: () => undefined };
    fake.views.webviews.get('webdata.runResults')?.resolveWebviewView(view);
  });

  const copy = async (id: string, length: number) => {
    receive({ kind: 'request', id: 1, name: 'copy', params: { id, part: 'stdout' } });
    await eventually(() => assert.equal(fake.clipboard.length, length));
  };

  it('says how much of a cut result it copied', async () => {
    await copy('cut', megabyte);
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: Copied only the first 1.0 MB of 3.0 MB.']));
  });

  it('copies all of a result that the service keeps', async () => {
    await copy('whole', 3 * megabyte);
    assert.deepEqual(fake.messages, []);
  });

  it('says how much of a part is left that a reload cut', async () => {
    await copy('beginning', 2_000);
    await eventually(() => assert.deepEqual(fake.messages, ['Web Data: Copied only the first 2.0 kB of 45 kB.']));
  });

  it('says why it copies nothing if the service no longer has all of it, and shows so', async () => {
    receive({ kind: 'request', id: 1, name: 'copy', params: { id: 'gone', part: 'stdout' } });
    await eventually(() => assert.match(fake.messages.join(), /The service that ran this code has stopped/));
    assert.deepEqual([lost, fake.clipboard], [['gone', 'stdout'], '']);
  });
});
