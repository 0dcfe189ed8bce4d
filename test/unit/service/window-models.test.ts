import assert from 'node:assert/strict';
import type { FromService } from '../../../src/contract/embedded.ts';
import { createWindowModels } from '../../../src/service/platform/language-model/window-models.ts';
import type { WindowLink } from '../../../src/service/platform/link/link.ts';
import { silentLog } from '../../../src/service/platform/log.ts';

describe('language models of windows', () => {
  const window = (team: string) => {
    const sent: FromService[] = [];
    const link: WindowLink = { caller: { team, keyLabel: team }, send: (message) => sent.push(message) };
    return { link, sent };
  };
  const request = (signal = new AbortController().signal) => ({
    messages: [{ role: 'user' as const, content: 'hello' }],
    signal,
  });
  const asked = (sent: FromService[]) => {
    const message = sent.findLast(({ type }) => type === 'model-request');
    assert.ok(message?.type === 'model-request');
    return message;
  };

  it('are found only for their own team, and only while they are offered', () => {
    const models = createWindowModels(silentLog);
    const { link } = window('red');
    assert.equal(models.find('red'), undefined);
    models.heard(link, { type: 'window-model', name: 'GPT' });
    assert.equal(models.find('red')?.name, 'GPT');
    assert.equal(models.find('blue'), undefined);
    models.heard(link, { type: 'window-model', name: null });
    assert.equal(models.find('red'), undefined);
    models.heard(link, { type: 'model-endpoint', endpoint: { baseUrl: 'http://127.0.0.1:9/v1', model: 'local' } });
    assert.equal(models.find('red')?.name, 'local');
    models.gone(link);
    assert.equal(models.find('red'), undefined);
  });

  it('have no endpoints on a service whose callers are elsewhere', () => {
    const models = createWindowModels(silentLog, { endpoints: false });
    const { link } = window('red');
    models.heard(link, { type: 'model-endpoint', endpoint: { baseUrl: 'http://127.0.0.1:9/v1', model: 'local' } });
    assert.equal(models.find('red'), undefined);
    models.heard(link, { type: 'window-model', name: 'GPT' });
    assert.equal(models.find('red')?.name, 'GPT');
  });

  it('respond to requests of the service', async () => {
    const models = createWindowModels(silentLog);
    const { link, sent } = window('red');
    models.heard(link, { type: 'window-model', name: 'GPT' });
    const answer = models.find('red')?.complete(request());
    const { id, messages } = asked(sent);
    assert.deepEqual(messages, [{ role: 'user', content: 'hello' }]);
    models.heard(link, { type: 'model-answer', id, text: 'hi', toolCalls: [] });
    assert.equal((await answer)?.text, 'hi');
  });

  it('can fail, and only the requested window can respond', async () => {
    const models = createWindowModels(silentLog);
    const { link, sent } = window('red');
    const other = window('blue');
    models.heard(link, { type: 'window-model', name: 'GPT' });
    const answer = models.find('red')?.complete(request());
    const { id } = asked(sent);
    models.heard(other.link, { type: 'model-answer', id, text: 'forged', toolCalls: [] });
    models.heard(link, { type: 'model-error', id, message: 'no consent' });
    await assert.rejects(Promise.resolve(answer), /no consent/);
  });

  it('are told when nobody waits anymore, and fail when their window disconnects', async () => {
    const models = createWindowModels(silentLog);
    const { link, sent } = window('red');
    models.heard(link, { type: 'window-model', name: 'GPT' });
    const cancel = new AbortController();
    const first = models.find('red')?.complete(request(cancel.signal));
    cancel.abort(new Error('cancelled'));
    await assert.rejects(Promise.resolve(first), /cancelled/);
    assert.equal(sent.at(-1)?.type, 'model-cancel');
    const second = models.find('red')?.complete(request());
    models.gone(link);
    await assert.rejects(Promise.resolve(second), /window .* disconnected/);
  });

  it('ignore an invalid endpoint', () => {
    const models = createWindowModels(silentLog);
    const { link } = window('red');
    models.heard(link, { type: 'model-endpoint', endpoint: { baseUrl: 'ftp://x', model: 'm' } });
    assert.equal(models.find('red'), undefined);
  });
});
