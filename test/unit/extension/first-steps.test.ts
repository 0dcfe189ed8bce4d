import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Milestones } from '../../../src/extension/first-steps/milestones.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import { fake, window } from '../../harness/fake-vscode.ts';

describe('the milestones of a new user', () => {
  const kept = new Map<string, unknown>();
  const state = { get: (key: string) => kept.get(key), update: (key: string, value: unknown) => kept.set(key, value) };
  function open() {
    const ticks: string[] = [];
    const ran: boolean[] = [];
    const milestones = new Milestones({
      state,
      tick: (milestone) => ticks.push(milestone),
      onRanSnippet: (value) => ran.push(value),
    });
    return { milestones, ticks, ran };
  }

  it('tick off their step each time, because VS Code may not have loaded the walkthrough yet', () => {
    const { milestones, ticks, ran } = open();
    assert.deepEqual([ticks, ran], [[], [false]]);
    milestones.reach('ranSnippet');
    milestones.reach('ranSnippet');
    assert.deepEqual(
      [ticks, ran],
      [
        ['ranSnippet', 'ranSnippet'],
        [false, true],
      ],
    );
  });

  it('stay reached in other windows, where their steps are ticked off when the walkthrough opens', () => {
    const { milestones, ticks, ran } = open();
    assert.deepEqual([ticks, ran], [[], [true]]);
    milestones.tickAll();
    assert.deepEqual(ticks, ['ranSnippet']);
  });
});

describe('the walkthrough, when it is opened', () => {
  afterEach(() => mock.timers.reset());

  it('gets its ticks however long VS Code takes to load it', async () => {
    const { registerFirstSteps } = await import('../../../src/extension/first-steps/first-steps.ts');
    fake.reset();
    mock.timers.enable({ apis: ['setTimeout'] });
    const state = { get: () => ['ranSnippet'], update: () => undefined };
    const steps = registerFirstSteps({ extension: { id: 'a.b' }, globalState: state } as never, {} as never);
    const changes = () =>
      fake.ran.flatMap(({ args: [key, value] }) => (key === 'webdata.done.ranSnippet' ? [value] : []));
    await fake.run(commands.openWalkthrough);
    assert.ok(fake.ran.some(({ id, args }) => id === 'workbench.action.openWalkthrough' && args[0] === 'a.b#start'));
    mock.timers.tick(1_000);
    assert.deepEqual(changes(), [false, true]);
    // VS Code loads it only now: it sees a key that becomes true.
    const before = changes().length;
    mock.timers.tick(30_000);
    assert.deepEqual(changes().slice(before).slice(-2), [false, true]);
    steps.dispose();
    const after = changes().length;
    mock.timers.tick(60_000);
    assert.equal(changes().length, after);
  });
});

describe('New Snippet', () => {
  it('shows how a script works until one has run, then starts short ones in the language of the editor', async () => {
    const { newSnippet } = await import('../../../src/extension/first-steps/first-steps.ts');
    fake.reset();
    const opened = async (isFirst: boolean, languageId?: string) => {
      window.activeTextEditor = (languageId && { document: { languageId } }) as undefined;
      await newSnippet(isFirst);
      return decodeURIComponent(fake.shown.at(-1)?.uri ?? '');
    };
    assert.match(await opened(true, 'python'), /^untitled:javascript \/\/ First snippet\n/);
    assert.match(await opened(false), /^untitled:javascript \/\/ New snippet\nawait page\.goto/);
    assert.match(await opened(false, 'typescript'), /^untitled:typescript \/\/ New snippet\n/);
    assert.match(await opened(false, 'python'), /^untitled:python # New snippet\n/);
    assert.match(await opened(false, 'markdown'), /^untitled:javascript /);
  });
});
