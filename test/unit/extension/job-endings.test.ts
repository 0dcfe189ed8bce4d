import assert from 'node:assert/strict';
import { fake } from '../../harness/fake-vscode.ts';

const { JobEndings } = await import('../../../src/extension/ui/job-endings.ts');

describe('the end of a job', () => {
  let view: ReturnType<typeof fakeView>;
  let endings: InstanceType<typeof JobEndings>;
  const done = { text: 'Done.', failed: false };
  const failed = { text: 'Failed.', failed: true };

  beforeEach(() => {
    fake.reset();
    view = fakeView();
    endings = new JobEndings(() => view as never);
    fake.answer = (kind) => (kind === 'message' ? 'Open' : undefined);
  });
  afterEach(() => endings.dispose());

  it('is told with a button that opens it, unless its view is visible', async () => {
    assert.equal(await endings.tell('webdata.activity', done), 'open');
    assert.deepEqual([fake.messages, view.badge], [['Done.'], undefined]);
    view.visible = true;
    assert.equal(await endings.tell('webdata.activity', done), undefined);
    assert.deepEqual([fake.messages, view.badge], [['Done.'], { value: 1, tooltip: '1 job ended' }]);
  });

  it('is told in a visible view too if something can be done about it', async () => {
    view.visible = true;
    fake.answer = () => 'Continue…';
    assert.deepEqual(await endings.tell('webdata.activeCrawls', { ...done, ways: ['Continue…'] }), {
      way: 'Continue…',
    });
  });

  it('is told as the setting says, and counted otherwise until somebody looks', async () => {
    fake.settings.set('webdata.jobs.notify', 'failures');
    await endings.tell('webdata.activity', done);
    await endings.tell('webdata.activity', failed);
    assert.deepEqual(fake.messages, ['Failed.']);
    fake.settings.set('webdata.jobs.notify', 'never');
    await endings.tell('webdata.activity', { ...failed, ways: ['Continue…'] });
    assert.deepEqual(fake.messages, ['Failed.']);
    assert.equal(view.count, 2);
    view.show();
    assert.equal(view.badge, undefined);
    await endings.tell('webdata.activity', done);
    assert.equal(view.count, 1);
    view.select();
    assert.equal(view.badge, undefined);
  });
});

function fakeView() {
  const on = { visibility: (_: { visible: boolean }) => {}, selection: () => {} };
  const nothing = { dispose: () => undefined };
  const view = {
    visible: false,
    badge: undefined as { value: number; tooltip: string } | undefined,
    onDidChangeVisibility(listener: typeof on.visibility) {
      on.visibility = listener;
      return nothing;
    },
    onDidChangeSelection(listener: typeof on.selection) {
      on.selection = listener;
      return nothing;
    },
    show() {
      view.visible = true;
      on.visibility({ visible: true });
    },
    select: () => on.selection(),
    get count() {
      return view.badge?.value ?? 0;
    },
  };
  return view;
}
