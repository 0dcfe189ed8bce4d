import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { views } from '../../../src/extension/ui/ids.ts';
import { Signal } from '../../../src/extension/ui/lifecycle.ts';
import '../../harness/fake-vscode.ts';

describe('the view of browser sessions', () => {
  it('draws a few hundred rows at most each second to count down, however many sessions a server lists', async () => {
    const [{ SessionsTree }, { SessionsStore }, { standInForViews, treeView }] = await Promise.all([
      import('../../../src/extension/browser-sessions/sessions-tree.ts'),
      import('../../../src/extension/browser-sessions/sessions-store.ts'),
      import('../../../src/extension/ui/stand-ins/views.ts'),
    ]);
    const standIns = standInForViews(async () => undefined);
    const store = new SessionsStore(() => 1000);
    const sessions = Array.from({ length: 20_000 }, (_, at) => ({ id: `s${at}`, status: 'active' }));
    store.setList(sessions as never);
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      Object.assign(treeView(views.browserSessions) ?? {}, { visible: true });
      const tree = new SessionsTree(
        { store, policy: { setVisible: () => undefined, request: () => undefined }, warm: () => undefined } as never,
        { sessions: [], requests: [], find: () => undefined, onChange: new Signal() } as never,
        { isBusy: () => false, onBusyChanged: new Signal() },
      );
      assert.equal(tree.getChildren().length, 20_000);
      let drawn = 0;
      tree.onDidChangeTreeData(() => drawn++);
      mock.timers.tick(1000);
      assert.ok(drawn > 0 && drawn < 1000, String(drawn));
      tree.dispose();
    } finally {
      mock.timers.reset();
      for (const standIn of standIns) standIn.dispose();
    }
  });
});
