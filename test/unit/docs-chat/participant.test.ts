import assert from 'node:assert/strict';
import { RateLimit } from '../../../src/extension/connection/polling/rate-limit.ts';
import { targetOf } from '../../../src/extension/connection/target.ts';
import { chatTools } from '../../../src/extension/ui/ids.ts';
import { bundledDocs } from '../../harness/bundled-docs.ts';
import {
  CancellationError,
  ChatRequestTurn,
  ChatResponseMarkdownPart,
  fake,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  type LanguageModelToolResultPart,
  lm,
  Uri,
} from '../../harness/fake-vscode.ts';

const { createParticipant } = await import('../../../src/extension/docs-chat/vscode-chat/vscode-chat.ts');
const { ModelAnswers } = await import('../../../src/extension/docs-chat/vscode-chat/chat-answer.ts');

const reply = {
  answer: 'At most 4000 characters.',
  evidence: [{ pathOrUrl: 'docs-search.md#how-long-may-a-question-be', reason: 'Paragraph, line 16' }],
};
const text = (value: string) => new LanguageModelTextPart(value);
const call = (id: string, name: string, input: object) => new LanguageModelToolCallPart(id, name, input);
type Message = { role: string; content: unknown };
type Sent = { messages: Message[]; options: { tools: { name: string }[]; toolMode: number } };

describe('@webdata', () => {
  /** What the model responds, one list of parts for each request; the last one stays. */
  let responses: (unknown[] | Error)[];
  let sent: Sent[];
  let invoked: { name: string; input: object; token: unknown }[];
  let results: Record<string, unknown[] | Error>;
  let shown: { markdown: string; references: string[]; progress: number };
  let answers: InstanceType<typeof ModelAnswers>;
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };

  beforeEach(() => {
    fake.reset();
    responses = [[text('Done.')]];
    sent = [];
    invoked = [];
    results = {};
    shown = { markdown: '', references: [], progress: 0 };
    token.isCancellationRequested = false;
    lm.tools = [...Object.values(chatTools), 'other_tool'].map((name) => ({
      name,
      description: name,
      inputSchema: {},
    }));
    lm.invokeTool = async (name, { input, toolInvocationToken }) => {
      invoked.push({ name, input, token: toolInvocationToken });
      // As the tool does it, which remembers the sources.
      if (name === chatTools.docs && 'question' in input)
        return { content: [text(await answers.answer(String(input.question), new AbortController().signal))] };
      const result = results[name] ?? [text('result')];
      if (result instanceof Error) throw result;
      return { content: result };
    };
    answers = new ModelAnswers(connection as never);
  });
  after(() => {
    lm.tools = [];
  });

  const connection = {
    rateLimit: new RateLimit(),
    target: targetOf(''),
    access: async () => ({ client: { searchDocs: async () => reply }, target: targetOf(''), embedded: {} }),
  };
  const model = (capabilities?: object) => ({
    ...(capabilities && { capabilities }),
    async sendRequest(messages: Message[], options: Sent['options']) {
      sent.push({ messages: [...messages], options });
      const response = responses.length > 1 ? responses.shift() : responses[0];
      if (response instanceof Error) throw response;
      return {
        stream: (async function* () {
          for (const part of response ?? []) {
            if (part instanceof Error) throw part;
            yield part;
          }
        })(),
      };
    },
  });
  async function ask(
    prompt: string,
    { chatModel = model() as object, history = [] as unknown[], tools = [] as string[] } = {},
  ) {
    const folder = Uri.from({ scheme: 'file', path: '/docs' });
    const participant = createParticipant({ connection, docs: bundledDocs, answers, folder } as never);
    const toolReferences = tools.map((name) => ({ name }));
    const request = { prompt, model: chatModel, toolReferences, toolInvocationToken: 'of the chat' };
    const response = {
      markdown: (part: string) => {
        shown.markdown += part;
      },
      reference: (uri: Uri) => shown.references.push(uri.toString()),
      progress: () => shown.progress++,
      button: () => undefined,
    };
    const result = await participant.answer(request as never, { history } as never, response as never, token as never);
    return result as { errorDetails?: { message: string }; metadata?: { followUps: string[] } };
  }
  const lastResults = () => (sent.at(-1)?.messages.at(-1)?.content ?? []) as LanguageModelToolResultPart[];
  const lastResult = () =>
    lastResults().map(({ callId, content }) => [
      callId,
      (content as LanguageModelTextPart[]).map(({ value }) => value).join(),
    ]);

  it('answers from the docs, with sources, if the model can call no tools', async () => {
    for (const chatModel of [model({ supportsToolCalling: false }), {}]) {
      shown = { markdown: '', references: [], progress: 0 };
      const { metadata } = await ask('How long may a question be?', { chatModel });
      assert.equal(shown.markdown, 'At most 4000 characters\\.');
      assert.deepEqual(shown.references, ['file:/docs/docs-search.md#how-long-may-a-question-be']);
      assert.equal(metadata?.followUps.length, 2);
    }
    assert.deepEqual([sent, invoked], [[], []]);
  });

  it("answers from the docs if the model can't be used at all", async () => {
    responses = [new Error('No permission.')];
    await ask('How long may a question be?');
    assert.equal(shown.markdown, 'At most 4000 characters\\.');
  });

  it('lets the model call the tools, in the chat of the request, and shows its answer', async () => {
    responses = [
      [
        text('I look.'),
        call('1', chatTools.page, { url: 'https://shop.test' }),
        call('2', chatTools.run, { code: '1' }),
      ],
      [text('It **costs** [4]'), text('(https://evil.test).')],
    ];
    results = { [chatTools.page]: [text('BEGIN untrusted page …')], [chatTools.run]: [text('1')] };
    assert.deepEqual(await ask('What does the tea cost?'), { metadata: { followUps: [] } });
    assert.deepEqual(invoked, [
      { name: chatTools.page, input: { url: 'https://shop.test' }, token: 'of the chat' },
      { name: chatTools.run, input: { code: '1' }, token: 'of the chat' },
    ]);
    assert.deepEqual(
      sent[0]?.options.tools.map(({ name }) => name),
      Object.values(chatTools),
    );
    assert.deepEqual(lastResult(), [
      ['1', 'BEGIN untrusted page …'],
      ['2', '1'],
    ]);
    assert.equal(shown.markdown, 'I look\\.\n\nIt **costs** \\[4\\]\\(https\\:\\/\\/evil\\.test\\)\\.');
  });

  it('shows the sources of what the docs told the model, and what to ask next', async () => {
    const question = 'How long may a question be?';
    responses = [
      [call('1', chatTools.docs, { question })],
      [call('2', chatTools.docs, { question })],
      [text('4000 characters.')],
    ];
    const { metadata } = await ask(question);
    assert.deepEqual(shown.references, ['file:/docs/docs-search.md#how-long-may-a-question-be']);
    assert.equal(metadata?.followUps.length, 2);
    assert.match(lastResult()[0]?.[1] ?? '', /^At most 4000 characters\.[\s\S]*Sources:/);
  });

  it('tells the model what went wrong with a call', async () => {
    responses = [
      [call('1', 'other_tool', {}), call('2', chatTools.run, {}), call('3', chatTools.scrape, {})],
      [text('I could not.')],
    ];
    results = { [chatTools.run]: new CancellationError(), [chatTools.scrape]: new Error('No. Next: use another URL.') };
    await ask('Do it.');
    assert.deepEqual(
      lastResult().map(([, value]) => value),
      [
        `There is no tool other_tool. The tools are: ${Object.values(chatTools).join(', ')}.`,
        'The user declined this call.',
        'No. Next: use another URL.',
      ],
    );
    assert.ok(!invoked.some(({ name }) => name === 'other_tool'));
  });

  it('ends after a number of rounds, however often the model calls tools', async () => {
    responses = [[call('1', chatTools.page, {})]];
    const { errorDetails } = await ask('Go on for ever.');
    assert.deepEqual([invoked.length, sent.length], [8, 9]);
    assert.equal(
      sent.at(-1)?.messages.at(-1)?.content,
      'No more tools can be called. Answer with what you know so far.',
    );
    assert.match(errorDetails?.message ?? '', /returned no answer/);
  });

  it('requires the tool that the user named, in the first request', async () => {
    responses = [[call('1', chatTools.scrape, { url: 'https://a.test' })], [text('Done.')]];
    await ask('Read it', { tools: [chatTools.scrape] });
    assert.deepEqual(
      sent.map(({ options }) => [options.tools.length, options.toolMode]),
      [
        [1, 2],
        [5, 1],
      ],
    );
  });

  it('says what can be asked, unless a tool is named', async () => {
    await ask(' ');
    assert.match(shown.markdown, /^Ask a question about Web Data/);
    await ask('', { tools: [chatTools.page] });
    assert.equal(sent[0]?.messages.at(-1)?.content, 'Use the tools that I named.');
  });

  it('shows images only to models that see them', async () => {
    const image = LanguageModelDataPart.image(new Uint8Array([1]), 'image/png');
    for (const [supportsImageToText, expected] of [
      [true, image],
      [false, text("(An image, which this model can't see.)")],
    ] as const) {
      responses = [[call('1', chatTools.page, { screenshot: true })], [text('Seen.')]];
      results = { [chatTools.page]: [image] };
      await ask('Look.', { chatModel: model({ supportsToolCalling: true, supportsImageToText }) });
      assert.deepEqual(lastResults()[0]?.content, [expected]);
    }
  });

  it('reads what was said before in its own conversation', async () => {
    const answered = { participant: 'webdata.docs', response: [new ChatResponseMarkdownPart('One.')] };
    await ask('And now?', {
      history: [new ChatRequestTurn('First?', 'webdata.docs'), answered, new ChatRequestTurn('Other', 'someone')],
    });
    assert.deepEqual(
      sent[0]?.messages.slice(1).map(({ role, content }) => [role, content]),
      [
        ['user', 'First?'],
        ['assistant', 'One.'],
        ['user', 'And now?'],
      ],
    );
  });

  it('says that a model failed after it began, and keeps what it said', async () => {
    responses = [[text('So far\nand'), new Error('Quota\nexceeded')]];
    const { errorDetails } = await ask('Why?');
    assert.equal(errorDetails?.message, 'The language model failed: Quota exceeded');
    assert.equal(shown.markdown, 'So far\nand');
  });

  it('ends when it is canceled', async () => {
    responses = [[call('1', chatTools.page, {})]];
    results = { [chatTools.page]: new CancellationError() };
    const going = lm.invokeTool;
    lm.invokeTool = async (...asked) => {
      token.isCancellationRequested = true;
      return await going(...asked);
    };
    assert.deepEqual(await ask('Go.'), { metadata: { followUps: [] } });
    assert.equal(sent.length, 1);
  });
});
