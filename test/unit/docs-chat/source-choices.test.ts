import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import { finishedCrawls } from '../../../src/extension/docs-chat/sources/source-choices.ts';

describe('crawls that can become a docs source', () => {
  it('have ended, still exist and have pages', async () => {
    const states: Record<string, { status: string; completed: number }> = {
      good: { status: 'completed', completed: 12 },
      failed: { status: 'failed', completed: 0 },
      cut: { status: 'cancelled', completed: 1 },
    };
    const client = {
      listActivity: async () => ({
        data: ['good', 'failed', 'running', 'expired', 'cut'].map((id) => ({ id, target: `https://${id}.test/` })),
      }),
      listActiveCrawls: async () => ({ crawls: [{ id: 'running' }] }),
      getCrawl: async ({ params: { jobId } }: { params: { jobId: string } }) => {
        const state = states[jobId];
        if (!state) throw new Error('Job expired.');
        return state;
      },
    } as unknown as Client;
    const choices = await finishedCrawls(client, Date.now(), new AbortController().signal);
    assert.deepEqual(
      choices.map(({ crawlId }) => crawlId),
      ['good', 'cut'],
    );
    assert.match(choices[0]?.description ?? '', /^12 pages/);
    assert.match(choices[1]?.description ?? '', /^1 page ·/);
  });
});
