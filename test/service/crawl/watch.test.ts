import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { ended, linking, pathOf, startBatch, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService, testKey } from '../../harness/service.ts';

interface Message {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of messages that they wait for
  data: any;
}

describe('watching a job', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
    site = await startFaultySite();
  });
  after(async () => {
    await site.close();
    await service.close();
  });
  const open = (path: string, protocols: string[] = [testKey], headers: Record<string, string> = {}) =>
    new WebSocket(service.baseUrl.replace('http', 'ws') + path, protocols, { headers });
  /** Everything that a socket says, to its end. */
  async function read(socket: WebSocket): Promise<{ messages: Message[]; code: number; reason: string }> {
    const messages: Message[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    return { messages, code, reason: String(reason) };
  }
  const pathsIn = (documents: { metadata: { sourceURL: string } }[]) =>
    documents.map(({ metadata }) => pathOf(metadata.sourceURL)).sort();

  it('sends the pages so far, each new document, and the end', async () => {
    let release: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      site.answer('/late', (_request, response) => {
        release = () => response.writeHead(200, { 'content-type': 'text/html' }).end(linking('Late', '/last'));
        resolve();
      });
    });
    site.answer('/', linking('Home', '/late'));
    site.answer('/last', linking('Last'));
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
    await asked;
    const socket = open(`/v2/crawl/${id}`);
    const reading = read(socket);
    await once(socket, 'message');
    assert.equal(socket.protocol, testKey);
    release();
    const { messages, code, reason } = await reading;
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['catchup', 'document', 'document', 'done'],
    );
    assert.equal(messages[0]?.data.status, 'scraping');
    assert.deepEqual(pathsIn(messages[0]?.data.data), ['/']);
    assert.deepEqual(pathsIn(messages.slice(1, 3).map(({ data }) => data)), ['/last', '/late']);
    assert.equal(messages[3]?.data.completed, 3);
    assert.equal(code, 1000);
    assert.deepEqual(JSON.parse(reason), { type: 'done' });
  });

  it('sends everything for a finished job, batches included', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `/n${index}`);
    for (const name of names) site.answer(name, linking(name));
    const id = await startBatch(service, { urls: names.map((name) => site.baseUrl + name) });
    await ended(service, id, '/v2/batch/scrape');
    const { messages } = await read(open(`/v2/batch/scrape/${id}`, [], { authorization: `Bearer ${testKey}` }));
    const [catchup, ...others] = messages;
    // Clients treat a catch-up with the status completed as the last message.
    assert.equal(catchup?.data.status, 'scraping');
    // A state, as of a request: without documents, which were sent before.
    assert.deepEqual([others.at(-1)?.type, others.at(-1)?.data.data], ['done', []]);
    const documents = [...(catchup?.data.data ?? []), ...others.slice(0, -1).map(({ data }) => data)];
    assert.deepEqual(pathsIn(documents), [...names].sort());
  });

  it('reports that a job was canceled', async () => {
    site.answer('/', () => undefined);
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
    const socket = open(`/v2/crawl/${id}`);
    const reading = read(socket);
    await once(socket, 'message');
    await service.call('DELETE', `/v2/crawl/${id}`);
    const { messages, reason } = await reading;
    assert.equal(messages.at(-1)?.data.status, 'cancelled');
    assert.equal(JSON.parse(reason).type, 'error');
  });

  it('is refused without a key, with a wrong key, to other teams, and for unknown jobs', async () => {
    site.answer('/', () => undefined);
    const id = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
    const statusOf = async (path: string, ...protocols: string[]) => {
      const socket = open(path, protocols);
      socket.on('error', () => undefined);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      socket.terminate();
      return response.statusCode;
    };
    assert.equal(await statusOf(`/v2/crawl/${id}`), 401);
    assert.equal(await statusOf(`/v2/crawl/${id}`, 'wrong'), 401);
    assert.equal(await statusOf(`/v2/crawl/${id}`, 'other-team-key-0123456789'), 403);
    assert.equal(await statusOf('/v2/crawl/01890a5d-ac96-774b-bcce-b302099a8057', testKey), 404);
    assert.equal(await statusOf('/v2/crawl/nonsense', testKey), 400);
    assert.equal(await statusOf(`/v2/batch/scrape/${id}`, testKey), 404);
    assert.equal(await statusOf('/v2/elsewhere', testKey), 401);
    await service.call('DELETE', `/v2/crawl/${id}`);
  });
});
