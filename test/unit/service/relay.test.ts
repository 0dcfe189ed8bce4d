import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type CdpMessage, type CdpText, readMessage } from '../../../src/service/browsers/chrome/messages.ts';
import { createRelay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { eventually } from '../../harness/eventually.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** A relay whose browser attaches clients, answers nothing else, and says what the test says. */
function silentBrowser() {
  let say: (json: string) => void = () => undefined;
  let roots = 0;
  const sent: string[] = [];
  const relay = createRelay({
    send({ id, method }) {
      sent.push(String(method));
      const root = `{"id":${id},"result":{"sessionId":"ROOT${++roots}"}}`;
      if (method === 'Target.attachToBrowserTarget') queueMicrotask(() => say(root));
    },
    onMessage(listener: (message: CdpMessage, text: CdpText) => void) {
      say = (json) => {
        const read = readMessage([Buffer.from(json)]);
        assert.ok(read, json.slice(0, 200));
        listener(read.message, read.text);
      };
      return () => undefined;
    },
    onClose: () => () => undefined,
    pause: () => () => undefined,
    backlog: () => 0,
    fault: assert.ifError,
  });
  async function connect() {
    const heard: string[] = [];
    const client = await relay.connect({
      deliver: (text) => heard.push(String(text)),
      onBrowserClose: assert.fail,
      onDisconnect: assert.fail,
    });
    return { client, heard, root: `ROOT${roots}` };
  }
  return { connect, sent, say: (json: string) => say(json) };
}

describe('the relay', () => {
  it('keeps no parameters of commands that are never answered (BUD-11)', async () => {
    const { connect } = silentBrowser();
    const { client } = await connect();
    const kept: WeakRef<object>[] = [];
    const send = (id: number) => {
      const command = { id, method: 'Runtime.evaluate', params: { expression: 'await new Promise(() => {})' } };
      kept.push(new WeakRef(command.params));
      client.receive(command);
    };
    for (let id = 1; id <= 10; id++) send(id);
    await eventually(() => {
      gc();
      assert.equal(kept.filter((each) => each.deref()).length, 0);
    });
    client.close();
  });

  it('keeps nothing of a client that has left, and gives it no replies (BUD-11)', async () => {
    const { connect, say } = silentBrowser();
    const ref = await (async () => {
      const { client, heard, root } = await connect();
      client.receive({ id: 5, method: 'Runtime.evaluate', params: {} });
      client.close();
      say(`{"id":2,"result":{},"sessionId":"${root}"}`);
      assert.deepEqual(heard, []);
      return new WeakRef(heard);
    })();
    await eventually(() => {
      gc();
      assert.equal(ref.deref(), undefined);
    });
  });

  it("keeps events of other clients' worlds back, however large they are", async () => {
    const { connect, say } = silentBrowser();
    const [own, other] = [await connect(), await connect()];
    for (const { root, heard } of [own, other]) {
      say(`{"method":"Target.attachedToTarget","params":{"sessionId":"${root}S"},"sessionId":"${root}"}`);
      heard.length = 0;
    }
    other.client.receive({ id: 1, method: 'Page.createIsolatedWorld', params: { worldName: 'theirs' } });
    const toBoth = (json: (session: string) => string) => {
      for (const { root } of [own, other]) say(json(`"sessionId":"${root}S"`));
    };
    const context = '{"id":7,"name":"theirs","auxData":{"isDefault":false}}';
    toBoth((session) => `{"method":"Runtime.executionContextCreated","params":{"context":${context}},${session}}`);
    const key = '"executionContextId"';
    for (const length of [10, 300_000, 9_000_000])
      for (const id of [7, 70, 6]) {
        const text = JSON.stringify(`${'x'.repeat(length)}${key}:6${key}:7`);
        const stack = `"stackTrace":{"callFrames":[{"url":${JSON.stringify(`${key}:6`.repeat(20))}}]}`;
        for (const params of [
          `{"type":"log","args":[{"value":${text}}],${key}:${id},"timestamp":1.5,${stack}}`,
          `{"name":"binding","payload":${text},${key}:${id}}`,
          `{"timestamp":1,"exceptionDetails":{"text":${text},${stack},${key}:${id}}}`,
        ]) {
          own.heard.length = 0;
          other.heard.length = 0;
          toBoth((session) => `{"method":"Runtime.consoleAPICalled","params":${params},${session}}`);
          assert.equal(own.heard.length, id === 7 ? 0 : 1, `${length} ${params.slice(-200)}`);
          assert.equal(other.heard.length, 1);
        }
      }
    // Values of a context, or none at all, hide nothing.
    own.heard.length = 0;
    toBoth((session) => `{"method":"Runtime.inspectRequested","params":{"x":"${'x'.repeat(300_000)}"},${session}}`);
    assert.equal(own.heard.length, 1);
  });

  it('parses nothing at once that is too long for that, whatever it says and where (TRN-07)', async () => {
    const nested = '[]'.padEnd(3_000_000, ',[]');
    const read = (json: string) => readMessage([Buffer.from(json)]);
    for (const json of [
      `{"method":"Page.javascriptDialogOpening","params":{"type":[${nested}]},"sessionId":"S"}`,
      `{"method":"Target.attachedToTarget","params":{"sessionId":[${nested}]}}`,
      `{"id":1,"result":{"sessionId":[${nested}]}}`,
    ]) {
      const { message } = read(json) ?? {};
      assert.deepEqual([message?.params, message?.result], [undefined, undefined], json.slice(0, 60));
      assert.match(message?.error?.message ?? '', /too long to be read/);
    }
    // Where it goes isn't known.
    assert.equal(
      read(`{"sessionId":"S","method":"Page.javascriptDialogOpening","params":{"type":[${nested}]}}`),
      undefined,
    );
    const short = nested.slice(0, 599_999);
    assert.ok(read(`{"sessionId":"S","id":1,"result":{"all":[${short}]}}`)?.message.result);
    const { connect, say } = silentBrowser();
    const { heard, root } = await connect();
    say(`{"method":"Target.attachedToTarget","params":{"sessionId":"T","x":[${nested}]},"sessionId":"${root}"}`);
    say(`{"method":"Page.frameNavigated","params":{},"sessionId":"T"}`);
    assert.equal(heard.length, 1);
  });

  it('remembers a limited number of worlds (BUD-11)', async () => {
    const { connect, say } = silentBrowser();
    const [own, other] = [await connect(), await connect()];
    const create = (worldName: string) =>
      other.client.receive({ id: 1, method: 'Page.createIsolatedWorld', params: { worldName } });
    say(`{"method":"Target.attachedToTarget","params":{"sessionId":"S"},"sessionId":"${own.root}"}`);
    own.heard.length = 0;
    const appears = (name: string) => {
      const context = JSON.stringify({ id: 1, name, auxData: { isDefault: false } });
      say(`{"method":"Runtime.executionContextCreated","params":{"context":${context}},"sessionId":"S"}`);
    };
    create('x'.repeat(2_000));
    for (let index = 0; index < 1_001; index++) create(`world ${index}`);
    appears('world 999');
    assert.equal(own.heard.length, 0);
    for (const name of ['world 1000', 'x'.repeat(2_000)]) appears(name);
    assert.equal(own.heard.length, 2);
  });
});
