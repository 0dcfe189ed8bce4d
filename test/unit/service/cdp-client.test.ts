import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type CdpClient, connectCdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { openPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { createRelay, type Relay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { eventually } from '../../harness/eventually.ts';

/** Longer than what is parsed at once, with what JSON escapes. */
const long = 'é"\\x'.repeat(3_000_000);

describe("the service's own CDP client", () => {
  let fromChrome: PassThrough;
  let client: CdpClient;
  let relay: Relay;
  /** What was heard, and how many turns others had had by then. */
  let heard: { text: string; turn: number }[];
  let turn = 0;
  let counting: NodeJS.Immediate;

  beforeEach(async () => {
    const toChrome = new PassThrough();
    fromChrome = new PassThrough();
    toChrome.setEncoding('utf8').on('data', (commands: string) => {
      for (const command of commands.split('\0').slice(0, -1)) {
        const { id, method, sessionId } = JSON.parse(command);
        if (sessionId === undefined) fromChrome.write(`{"id":${id},"result":{"sessionId":"ROOT"}}\0`);
        else if (method === 'Runtime.evaluate')
          fromChrome.write(`{"id":${id},"result":{"result":{"value":${JSON.stringify(long)}}},"sessionId":"ROOT"}\0`);
        else if (method === 'Runtime.getHeapUsage')
          fromChrome.write(`{"id":${id},"result":{"a":"${long},"sessionId":"ROOT"}\0`);
      }
    });
    relay = createRelay(openPipe(toChrome, fromChrome, assert.fail));
    client = await connectCdpClient(relay);
    heard = [];
    client.on('Console.messageAdded', ({ message }) => heard.push({ text: message.text, turn }));
    const count = () => {
      turn++;
      counting = setImmediate(count);
    };
    count();
  });
  afterEach(() => {
    clearImmediate(counting);
    client.close();
  });

  const say = (text: string, name = 'messageAdded') =>
    fromChrome.write(
      `{"method":"Console.${name}","params":{"message":{"text":${JSON.stringify(text)}}},"sessionId":"S"}\0`,
    );

  it('TRN-09: reads large events while others have their turn, and hears them in their order', async () => {
    fromChrome.write('{"method":"Target.attachedToTarget","params":{"sessionId":"S"},"sessionId":"ROOT"}\0');
    const texts = ['one', `${long}2`, 'three', `${long}4`, `${long}5`, 'six'];
    for (const text of texts) say(text);
    await eventually(() => assert.equal(heard.length, texts.length));
    for (const [at, text] of texts.entries()) assert.ok(heard[at]?.text === text, `event ${at}`);
    for (const [at, after] of [
      [1, 0],
      [3, 2],
      [4, 3],
    ] as const)
      assert.ok((heard[at]?.turn ?? 0) > (heard[after]?.turn ?? 0) + 1, `event ${at}`);
  });

  it('TRN-09: reads no further of the browser meanwhile, and nothing that nobody listens to', async () => {
    fromChrome.write('{"method":"Target.attachedToTarget","params":{"sessionId":"S"},"sessionId":"ROOT"}\0');
    const pauses: number[] = [];
    fromChrome.on('pause', () => pauses.push(heard.length)).on('resume', () => pauses.push(heard.length));
    say('one');
    say(long);
    say(long, 'unheard');
    say('three');
    await eventually(() => assert.equal(heard.length, 3));
    assert.deepEqual(pauses, [1, 2]);
  });

  it('TRN-09: gets large events that nobody has parsed whole, also beside the worlds of another client', async () => {
    fromChrome.write('{"method":"Target.attachedToTarget","params":{"sessionId":"S"},"sessionId":"ROOT"}\0');
    const other = await connectCdpClient(relay);
    other.send('Page.createIsolatedWorld', { frameId: 'F', worldName: 'own' }).catch(() => undefined);
    const context = '{"id":7,"name":"own","auxData":{"isDefault":false}}';
    fromChrome.write(`{"method":"Runtime.executionContextCreated","params":{"context":${context}},"sessionId":"S"}\0`);
    const { parse } = JSON;
    let longest = 0;
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    };
    try {
      say(long);
      await eventually(() => assert.equal(heard.length, 1));
    } finally {
      JSON.parse = parse;
      other.close();
    }
    assert.ok(heard[0]?.text === long);
    assert.ok(longest < 100_000, `${longest} characters`);
  });

  it('keeps no more than the beginning of what is endless in events', async () => {
    fromChrome.write('{"method":"Target.attachedToTarget","params":{"sessionId":"S"},"sessionId":"ROOT"}\0');
    const endless = 'x'.repeat(40_000_000);
    say(endless);
    say('next');
    await eventually(() => assert.deepEqual(heard.at(-1)?.text, 'next'));
    assert.ok(heard[0] && endless.startsWith(heard[0].text) && heard[0].text.length < 17_000_000);
  });

  it('gets large answers whole, and learns of those that are damaged', async () => {
    const { result } = await client.send('Runtime.evaluate', { expression: '0' });
    assert.ok(result.value === long);
    await assert.rejects(client.send('Runtime.getHeapUsage'), /isn't valid JSON, or too long/);
  });
});
