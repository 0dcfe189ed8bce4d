import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { Jobs } from '../../web/crawl/jobs.ts';
import { mostPassages } from './index/source-files.ts';
import type { Indexes } from './thread/indexes.ts';
import type { IndexSize } from './thread/thread.ts';

const batchSize = 50;
const batchBytes = 4 * 1024 * 1024;

/**
 * Indexes the documents of a finished crawl. Rejects with 404 or 403 when the caller has no such crawl, 409 while it is
 * running or if it failed without a page.
 */
export async function indexCrawl(
  { jobs, indexes }: { jobs: Pick<Jobs, 'find' | 'documents'>; indexes: Indexes },
  caller: Caller,
  crawlId: string,
  path: string,
): Promise<{ url: string; size: IndexSize }> {
  const job = await jobs.find(caller, 'crawl', crawlId);
  if (job.options.zeroDataRetention)
    throw new ServiceError(409, 'The crawl has zeroDataRetention, so its pages are not indexed.');
  if (job.status === 'scraping')
    throw new ServiceError(409, 'The crawl is still running. Add it again when it has finished.');
  if (job.status === 'failed' && job.completed === 0) {
    const message = `The crawl failed and has no pages. ${job.error ?? ''}`.trim();
    throw new ServiceError(409, message, { code: 'CRAWL_FAILED' });
  }
  const adding = randomUUID();
  try {
    for (let after = 0; ; ) {
      const documents = await jobs.documents(job, after, batchSize, batchBytes);
      if (documents.length === 0) break;
      after += documents.length;
      const pages = documents.flatMap(({ markdown, metadata, changeTracking }) => {
        const address = metadata?.url ?? metadata?.sourceURL;
        // The site doesn't have what was removed anymore.
        if (!markdown || !address || changeTracking?.changeStatus === 'removed') return [];
        return [{ address, title: metadata?.title ?? undefined, markdown }];
      });
      if ((await indexes.run('addPages', adding, pages)).passages > mostPassages) break;
    }
    return { url: job.url, size: await indexes.run('indexPages', path, adding) };
  } finally {
    indexes.run('dropPages', adding).catch(() => undefined);
  }
}
