import assert from 'node:assert/strict';
import { livenessPath, metricsPath, readinessPath, requestIdHeader } from '../../../src/contract/operations.ts';
import { keysCommand } from '../../../src/service/keys-command.ts';
import { variables } from '../../../src/service/variables.ts';
import { eventually } from '../../harness/eventually.ts';
import { databaseOf } from '../../harness/postgres.ts';
import { sendRaw, statusOf } from '../../harness/raw-http.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { type SmallSite, startSmallSite } from '../../harness/small-site.ts';

describe('operators of a service', () => {
  let service: TestService;
  let site: SmallSite;
  let metricsKey: string;
  before(async () => {
    [service, site] = [await startTestService({ maxSessions: 1 }), await startSmallSite(['one', 'two'])];
    const printed: string[] = [];
    const database = await databaseOf(service.dataDir);
    await keysCommand(
      ['create', '--metrics', '--data-dir', service.dataDir],
      database ? { [variables.database]: database } : {},
      { out: (line) => printed.push(line), note: () => undefined },
      Date.now(),
    );
    metricsKey = printed[0] ?? '';
  });
  after(async () => {
    await service.close();
    await site.close();
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(service.baseUrl + path, { headers });
  /** Reads the metrics: values by name and labels. */
  const read = async () => {
    const response = await get(metricsPath, { authorization: `Bearer ${metricsKey}` });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))] as const;
      }),
    );
  };

  it('learn whether it lives and is ready, without a key', async () => {
    for (const [path, status] of [
      [livenessPath, 'live'],
      [readinessPath, 'ready'],
    ] as const) {
      const response = await get(path);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { status });
    }
  });

  it('reach a path that has keys of its own only as it is written', async () => {
    const ofTeam = { authorization: `Bearer ${service.apiKey}` };
    for (const path of ['/%6Detrics', '/%6detrics?a=b', '/metrics#a', '/metrics;a']) {
      const target = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close`;
      const answer = await sendRaw(service.port, `${target}\r\nAuthorization: ${ofTeam.authorization}\r\n\r\n`);
      assert.equal(statusOf(answer), 404, `${path}: ${answer}`);
    }
    assert.equal((await get(metricsPath, ofTeam)).status, 403);
  });

  it('read its metrics with a key for them, and with no other', async () => {
    await eventually(read);
    assert.equal((await service.call('GET', metricsPath)).status, 403);
    assert.equal((await get(metricsPath)).status, 401);
    const other = await get('/v2/browser', { authorization: `Bearer ${metricsKey}` });
    assert.equal(other.status, 403);
    assert.match(await other.text(), /This is a metrics key, which opens only \/metrics/);
  });

  it('see in them what it has done', async () => {
    const { body: session } = await service.call('POST', '/v2/browser', {});
    assert.equal((await service.call('POST', '/v2/browser', {})).status, 429);
    const execute = (code: string) => service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    await execute('1');
    await execute('throw new Error("no")');
    await service.call('POST', '/v2/scrape', { url: site.url });
    await service.call('POST', '/v2/scrape', { url: 'http://127.0.0.1:1/' });
    const { body: crawl } = await service.call('POST', '/v2/crawl', { url: site.url, limit: 3 });
    await eventually(async () => {
      assert.equal((await service.call('GET', `/v2/crawl/${crawl.id}`)).body.status, 'completed');
    });
    const during = await eventually(async () => {
      const values = await read();
      const crawls = 'webdata_jobs_total{kind="crawl",state="completed"}';
      assert.equal(values.get(crawls), 1);
      assert.equal(values.get('webdata_sessions_open'), 1);
      return values;
    });
    const expected: [name: string, value: number][] = [
      ['webdata_sessions_created_total', 1],
      ['webdata_sessions_failed_total', 1],
      ['webdata_runs_total{language="node",outcome="ok"}', 1],
      ['webdata_runs_total{language="node",outcome="failed"}', 1],
      ['webdata_jobs_total{kind="crawl",state="started"}', 1],
      ['webdata_pages_total{result="failed"}', 1],
      ['webdata_browsers_open', 1],
      ['webdata_browsers_opened_total', 1],
      ['webdata_webhook_deliveries_waiting', 0],
      ['webdata_database_up', 1],
      ['webdata_http_request_duration_seconds_count{method="POST",route="/v2/browser",status="429"}', 1],
    ];
    for (const [name, value] of expected) assert.equal(during.get(name), value, name);
    assert.equal(during.get('webdata_pages_total{result="fetched"}'), 4, 'a page, and three of the crawl');
    const refused = 'webdata_http_request_duration_seconds_count{method="GET",route="refused",status="401"}';
    assert.ok((during.get(refused) ?? 0) >= 1);
    assert.ok((during.get('webdata_credits_charged_total') ?? 0) >= 4);
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
    ])
      assert.ok((during.get(name) ?? 0) >= 0, name);
    const all = [...during.keys()].join('\n');
    for (const secret of [site.url, 'default', session.id, crawl.id]) assert.ok(!all.includes(secret), secret);
    await service.call('DELETE', `/v2/browser/${session.id}`);
    await eventually(async () => assert.equal((await read()).get('webdata_sessions_open'), 0));
  });

  it('find a request by its ID', async () => {
    const idOf = async (given?: string, path = livenessPath) => {
      const response = await get(path, given === undefined ? {} : { [requestIdHeader]: given });
      return response.headers.get(requestIdHeader);
    };
    assert.equal(await idOf('trace-1:2.3_4'), 'trace-1:2.3_4');
    assert.equal(await idOf('refused', '/v2/browser'), 'refused');
    for (const given of [undefined, 'two words', 'x'.repeat(129), '{"a":1}'])
      assert.match((await idOf(given)) ?? '', uuid);
    assert.notEqual(await idOf(), await idOf());
  });
});

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
