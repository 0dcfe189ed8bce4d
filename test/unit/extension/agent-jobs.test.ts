import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disposable, LogOutputChannel } from 'vscode';
import { limits } from '../../../src/contract/limits.ts';
import type { Connection } from '../../../src/extension/connection/connection.ts';
import { RateLimit } from '../../../src/extension/connection/polling/rate-limit.ts';
import { commands } from '../../../src/extension/ui/ids.ts';
import { eventually } from '../../harness/eventually.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const noModel = () => Object.assign(new Error('No model.'), { kind: 'api', status: 503, code: 'NO_LANGUAGE_MODEL' });

describe('Ask an Agent and Extract from Pages', () => {
  let registered: Disposable;
  let calls: { name: string; request: { body?: object; params?: object } }[];
  /** What the server says of the job, one state for each time it is asked; the last one stays. */
  let states: object[];
  let refreshed: number;
  let embedded: object | undefined;
  let startFails: (() => Error) | undefined;
  /** What the calls that read the job's state were. */
  let reads: string[];
  let rateLimit: RateLimit;
  let waited: (ms: number) => void;
  let folder: string;

  beforeEach(async () => {
    fake.reset();
    refreshed = 0;
    folder = temporaryFolder();
    calls = [];
    states = [{ status: 'completed', data: {} }];
    startFails = undefined;
    reads = [];
    rateLimit = new RateLimit();
    waited = () => undefined;
    embedded = undefined;
    const read = (name: string) => async () => {
      reads.push(name);
      const state = states.length > 1 ? states.shift() : states[0];
      if (state instanceof Error) throw state;
      return state;
    };
    const start = (name: string) => async (request: { body: object }) => {
      calls.push({ name, request });
      if (startFails) throw startFails();
      return { id };
    };
    const client = {
      startAgent: start('startAgent'),
      startExtract: start('startExtract'),
      getAgent: read('getAgent'),
      getExtract: read('getExtract'),
      async cancelAgent(request: { params: object }) {
        calls.push({ name: 'cancelAgent', request });
      },
    };
    const { registerAgentJobs } = await import('../../../src/extension/agents/jobs/agent-jobs.ts');
    const { JobEndings } = await import('../../../src/extension/ui/job-endings.ts');
    registered = registerAgentJobs({
      endings: new JobEndings(),
      connection: {
        access: async () => ({ client, ...(embedded && { embedded }) }),
        existingAccess: async () => ({ client }),
        target: {},
        rateLimit,
        onRefresh: { fire: () => refreshed++ },
      } as unknown as Connection,
      log: { error: () => undefined, warn: () => undefined } as unknown as LogOutputChannel,
      wait: (ms) => {
        waited(ms);
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
  });
  afterEach(() => {
    registered.dispose();
    rmSync(folder, { recursive: true });
  });

  type Input = { title: string; value: string; validateInput(text: string): string | undefined };
  type Item = { label: string };
  /** Answers the questions of a command by words of their titles; a pick by words of its label. */
  const answer = (answers: Record<string, string>, others: typeof fake.answer = () => undefined) => {
    fake.answer = (kind, ...args) => {
      if (kind === 'input') {
        const { title, validateInput } = args[0] as Input;
        const text = Object.entries(answers).find(([words]) => title.includes(words))?.[1];
        if (text !== undefined) assert.equal(validateInput(text), undefined);
        return text;
      }
      if (kind !== 'pick') return others(kind, ...args);
      const { title } = args[1] as { title: string };
      const wanted = Object.entries(answers).find(([words]) => title.includes(words))?.[1] ?? '';
      return (args[0] as Item[]).find(({ label }) => wanted !== '' && label.includes(wanted));
    };
  };

  it('says that no language model is set up before it asks anything', async () => {
    embedded = {};
    const asked: string[] = [];
    fake.answer = (kind) => {
      asked.push(kind);
      return undefined;
    };
    await fake.run(commands.askAgent);
    assert.deepEqual([asked, calls], [['message'], []]);
  });

  it('starts an agent, shows its steps, and opens its result as JSON', async () => {
    states = [
      { status: 'processing', steps: [{ action: 'read', text: 'https://shop.test/tea' }] },
      { status: 'completed', data: { price: 4.5 }, sources: { price: ['https://shop.test/tea'] } },
    ];
    answer({ 'What to Find Out': 'Price of the tea', Where: 'shop.test localhost:3000', Shape: 'No Schema' }, (kind) =>
      kind === 'message' ? 'Open' : undefined,
    );
    await fake.run(commands.askAgent);
    assert.deepEqual(calls[0], {
      name: 'startAgent',
      request: { body: { urls: ['https://shop.test/', 'http://localhost:3000/'], prompt: 'Price of the tea' } },
    });
    const isOpened = () => fake.ran.find((each) => each.id === commands.openRecord);
    await eventually(() => assert.deepEqual(isOpened()?.args, [{ endpoint: 'agent', id }]));
    assert.deepEqual(fake.progress, [{ message: 'read shop.test/tea' }]);
    assert.equal(refreshed, 2, 'Activity shows the job, and that it ended');
    assert.ok(!fake.ran.some((each) => each.id === commands.refresh), 'nobody asked to retry');
  });

  it('tells what is missing from the data of a job that has ended', async () => {
    states = [{ status: 'completed', data: {}, warning: 'https://shop.test/tea could not be read.' }];
    answer({ 'What to Find Out': 'Price of the tea', Where: 'shop.test', Shape: 'No Schema' });
    await fake.run(commands.askAgent);
    const text = 'Web Data: Job completed: Price of the tea. https://shop.test/tea could not be read.';
    await eventually(() => assert.ok(fake.messages.includes(text), fake.messages.join('\n')));
  });

  it('extracts from pages with a JSON Schema from a file, without a prompt', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    const file = join(folder, 'schema.json');
    writeFileSync(file, JSON.stringify(schema));
    let offered: string[] = [];
    fake.answer = (kind, ...args) => {
      if (kind === 'open') return [Uri.file(file)];
      if (kind === 'input') return (args[0] as Input).title.includes('1/3') ? 'shop.test/products/*' : '';
      if (kind !== 'pick') return undefined;
      offered = (args[0] as Item[]).map(({ label }) => label);
      return (args[0] as Item[]).at(-1);
    };
    await fake.run(commands.extractFromPages);
    assert.deepEqual(calls[0], {
      name: 'startExtract',
      request: { body: { urls: ['https://shop.test/products/*'], schema } },
    });
    assert.deepEqual(offered, ['$(folder-opened) JSON Schema from a File…'], 'something has to say what to extract');
  });

  it('says what is wrong with what is entered', async () => {
    const problems: (string | undefined)[] = [];
    fake.answer = (kind, options) => {
      if (kind !== 'input') return undefined;
      const { title, validateInput } = options as Input;
      for (const text of ['', 'not a url', 'a'.repeat(10_001)]) problems.push(validateInput(text));
      return title.includes('1/3') ? 'x' : undefined;
    };
    await fake.run(commands.askAgent);
    assert.deepEqual(problems, [
      'Enter what the agent should find out.',
      undefined,
      'At most 10,000 characters.',
      undefined,
      "not isn't an http or https URL.",
      `${'a'.repeat(30)}…${'a'.repeat(29)} isn't an http or https URL.`,
    ]);
    assert.deepEqual(calls, []);
  });

  it('sets up a language model if there is none, then starts what was asked', async () => {
    startFails = noModel;
    answer({ 'What to Find Out': 'x', Where: '', Shape: 'No Schema' }, (kind, text) =>
      kind === 'message' && String(text).includes('needs a language model') ? 'Set Up a Language Model…' : undefined,
    );
    fake.result = (command) => {
      if (command !== commands.setUpLanguageModel) return undefined;
      startFails = undefined;
      return true;
    };
    await fake.run(commands.askAgent);
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['startAgent', 'startAgent'],
    );
    assert.ok(fake.messages.some((text) => text.includes('Job started')));
  });

  it('keeps what was entered if the job cannot start', async () => {
    startFails = () => new Error('No credits left.');
    answer({ 'What to Find Out': 'Price of the tea', Where: 'shop.test', Shape: 'No Schema' });
    await fake.run(commands.askAgent);
    assert.ok(fake.messages.some((text) => text.includes('No credits left.')));
    const offered: string[] = [];
    fake.answer = (kind, options) => {
      if (kind === 'input') offered.push((options as Input).value);
      return kind === 'input' ? (options as Input).value : undefined;
    };
    await fake.run(commands.askAgent);
    assert.deepEqual(offered, ['Price of the tea', 'shop.test']);
  });

  it('keeps what was entered if the last step is canceled or its file is no schema, until the job starts', async () => {
    const offered: string[] = [];
    const file = join(folder, 'schema.json');
    writeFileSync(file, '[]');
    const entered: Record<string, string> = { '1/3': 'shop.test/*', '2/3': 'Price of the tea' };
    let schema: string | undefined;
    fake.answer = (kind, ...args) => {
      if (kind === 'open') return [Uri.file(file)];
      if (kind === 'pick') return (args[0] as Item[]).find(({ label }) => schema && label.includes(schema));
      if (kind !== 'input') return undefined;
      const { title, value } = args[0] as Input;
      offered.push(value);
      return value || Object.entries(entered).find(([step]) => title.includes(step))?.[1];
    };
    for (schema of [undefined, 'from a File', 'No Schema', undefined]) await fake.run(commands.extractFromPages);
    const kept = ['shop.test/*', 'Price of the tea'];
    assert.deepEqual(offered, ['', '', ...kept, ...kept, '', '']);
    assert.ok(fake.messages.some((text) => text.includes("isn't a JSON Schema")));
    assert.equal(calls.length, 1);
  });

  it('accepts the same addresses as the service, and all pages below one', async () => {
    const entered = {
      'build:8080': 'http://build:8080/',
      'http://intranet/wiki': 'http://intranet/wiki',
      '[fd00::1]/x': 'http://[fd00::1]/x',
      'shop.test*': 'https://shop.test/*',
      '10.0.0.7:3000/a/**': 'http://10.0.0.7:3000/a/*',
    };
    answer({ '1/3': Object.keys(entered).join(' '), '2/3': 'x', Shape: 'No Schema' });
    await fake.run(commands.extractFromPages);
    assert.deepEqual(calls[0]?.request.body, { urls: Object.values(entered), prompt: 'x' });
  });

  it('says that a schema is too long, by the limit of the service', async () => {
    const file = join(folder, 'schema.json');
    const schemaOf = (length: number) => {
      const frame = { type: 'object', description: '' };
      return { ...frame, description: 'a'.repeat(length - JSON.stringify(frame).length) };
    };
    answer({ '1/3': 'shop.test', '2/3': 'x', Shape: 'from a File' }, (kind) =>
      kind === 'open' ? [Uri.file(file)] : undefined,
    );
    writeFileSync(file, JSON.stringify(schemaOf(limits.agentSchema + 1)));
    await fake.run(commands.extractFromPages);
    assert.ok(fake.messages.some((text) => text.includes('The JSON Schema is too long')));
    assert.equal(calls.length, 0);
    const longest = schemaOf(limits.agentSchema);
    writeFileSync(file, `${JSON.stringify(longest, null, 2)}${' '.repeat(200_000)}`);
    await fake.run(commands.extractFromPages);
    const bodies = calls.map(({ request }) => request.body);
    assert.deepEqual(bodies, [{ urls: ['https://shop.test/'], schema: longest, prompt: 'x' }]);
  });

  it('says what the server said if what is missing has no message of its own', async () => {
    startFails = () =>
      Object.assign(new Error('No Chrome was found.'), { kind: 'api', status: 503, code: 'NO_BROWSER' });
    answer({ 'What to Find Out': 'x', Where: '', Shape: 'No Schema' }, (kind, text, button) =>
      kind === 'message' && String(text).includes('No Chrome') && button === 'Install Chrome…' ? button : undefined,
    );
    await fake.run(commands.askAgent);
    assert.deepEqual(fake.messages, ['Web Data: No Chrome was found.', 'Web Data: No Chrome was found.']);
    assert.ok(fake.ran.some((each) => each.id === commands.installProgram));
  });

  it('reads each job where it was started', async () => {
    states = [{ status: 'processing' }, { status: 'completed', data: {} }];
    answer({ '1/3': 'shop.test', '2/3': 'x', Shape: 'No Schema' }, (kind) => (kind === 'message' ? 'Open' : undefined));
    await fake.run(commands.extractFromPages);
    const opened = () => fake.ran.find((each) => each.id === commands.openRecord);
    await eventually(() => assert.deepEqual(opened()?.args, [{ endpoint: 'extract', id }]));
    assert.deepEqual(reads, ['getExtract', 'getExtract']);
  });

  it('reads a job less often after a 429, and not before the server allows it', async () => {
    const limited = Object.assign(new Error('Slow down.'), { kind: 'api', status: 429, retryAfterMs: 60_000 });
    states = [limited, { status: 'completed', data: {} }];
    const waits: number[] = [];
    waited = (ms) => {
      waits.push(ms);
      if (waits.length === 1) assert.ok(rateLimit.active, 'all views wait, too');
      assert.equal(reads.length, 1);
      if (waits.length === 5) rateLimit.reset();
    };
    answer({ 'What to Find Out': 'x', Where: '', Shape: 'No Schema' });
    await fake.run(commands.askAgent);
    await eventually(() => assert.ok(fake.messages.includes('Web Data: Job completed: x')));
    assert.deepEqual(reads, ['getAgent', 'getAgent']);
    assert.deepEqual(waits, [2_000, 3_000, 4_500, 6_750, 10_000]);
  });

  it('tells why an agent failed, and cancels one after asking', async () => {
    states = [{ status: 'failed', error: 'The data was not found: no page has it' }];
    answer({ 'What to Find Out': 'x', Where: '', Shape: 'No Schema' });
    await fake.run(commands.askAgent);
    await eventually(() =>
      assert.ok(fake.messages.includes('Web Data: Job failed: The data was not found: no page has it')),
    );
    fake.answer = () => undefined;
    const row = { entry: { id, endpoint: 'agent', target: 'Price of the tea' } };
    await fake.run(commands.cancelAgentJob, row);
    assert.ok(!calls.some(({ name }) => name === 'cancelAgent'), 'not without a confirmation');
    const buttons: unknown[] = [];
    fake.answer = (_kind, _question, _options, ...given) => {
      buttons.push(...given);
      return given[0];
    };
    await fake.run(commands.cancelAgentJob, row);
    assert.deepEqual(buttons, [{ title: 'Cancel Job' }, { title: 'Keep Running', isCloseAffordance: true }]);
    assert.deepEqual(calls.at(-1), { name: 'cancelAgent', request: { params: { jobId: id } } });
  });
});

describe('a running agent in Activity', () => {
  it('shows its last step, and can be canceled until it ends', async () => {
    fake.reset();
    const { ActivityStore } = await import('../../../src/extension/activity/activity-store.ts');
    const { ActivityTree } = await import('../../../src/extension/activity/activity-tree.ts');
    const store = new ActivityStore();
    const activity = { store, policy: { setVisible: () => undefined } };
    const pages = { onDidChange: () => ({ dispose: () => undefined }) };
    const tree = new ActivityTree(activity as never, pages as never);
    const created = new Date().toISOString();
    store.setNewest([{ data: [{ id, endpoint: 'agent', created_at: created, target: 'Price of the tea' }] }]);
    const row = async () => {
      const [group] = await tree.getChildren();
      const [entry] = await tree.getChildren(group);
      assert.ok(entry);
      return tree.getTreeItem(entry);
    };
    const details = { completed: undefined, total: undefined, error: undefined };
    store.setJobs(new Map([[id, { ...details, status: 'processing', step: 'read shop.test/tea' }]]));
    const running = await row();
    assert.equal(running.label, 'Price of the tea');
    assert.match(String(running.description), /read shop\.test\/tea/);
    assert.match(running.contextValue ?? '', /\brunningAgent\b/);
    store.setJobs(new Map([[id, { ...details, status: 'completed' }]]));
    const ended = await row();
    assert.doesNotMatch(ended.contextValue ?? '', /runningAgent/);
    assert.equal(ended.command?.command, commands.openRecord);
    tree.dispose();
  });
});
