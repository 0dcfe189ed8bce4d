import assert from 'node:assert/strict';
import { linking } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { ScriptedAgent } from '../../harness/mcp-agent.ts';
import { startTestService, type TestService, testKey } from '../../harness/service.ts';

describe('the tool that updates docs', () => {
  let service: TestService;
  let site: FaultySite;
  let agent: ScriptedAgent;
  before(async () => {
    service = await startTestService({});
    site = await startFaultySite();
    agent = await ScriptedAgent.connect(service.baseUrl, testKey, 'Cursor');
  });
  after(async () => {
    await agent.close();
    await service.close();
    await site.close();
  });

  async function crawled(): Promise<string> {
    const { body } = await service.call('POST', '/v2/crawl', { url: `${site.baseUrl}/` });
    await eventually(async () => {
      assert.equal((await service.call('GET', `/v2/crawl/${body.id}`)).body.status, 'completed');
    });
    return body.id;
  }
  const sources = async () => (await service.call('GET', '/embedded/docs-sources')).body.sources;

  it('crawls a source again, answers from what it says now, and keeps one source', async () => {
    assert.match(await agent.call('docs_update', {}), /added no docs/);
    site.answer('/', linking('Lamp manual', '/wick'));
    site.answer('/wick', linking('Trim the wick weekly'));
    const added = await service.call('POST', '/embedded/docs-sources', { crawlId: await crawled(), name: 'Lamps' });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    site.answer('/wick', linking('Replace the wick yearly'));
    assert.match(await agent.call('docs_update', {}), /Lamps · crawl/);
    assert.match(
      await agent.call('docs_update', { source: 'Lamps' }),
      /Updated: 2 pages\. 0 new, 1 changed and 0 removed/,
    );
    assert.equal((await sources()).length, 1);
    assert.match(
      await agent.call('docs_answer', { question: 'How often do I replace the wick?' }),
      /Replace the wick yearly/,
    );
  });

  it('takes no crawl of another site, and says what to do about an unknown source', async () => {
    const [before] = await sources();
    site.answer('/other', linking('Other'));
    const { body } = await service.call('POST', '/v2/crawl', { url: `${site.baseUrl}/other` });
    await assert.rejects(agent.call('docs_update', { source: 'Lamps', job: body.id }), /not a crawl of this source/);
    assert.deepEqual(
      (await sources()).map(({ id }: { id: string }) => id),
      [before.id],
    );
    await assert.rejects(agent.call('docs_update', { source: 'Nothing' }), /without "source"/);
  });
});
