import assert from 'node:assert/strict';
import { ConversionError, createConverters } from '../../src/service/web/scrape/convert/convert.ts';
import type { ConvertTask } from '../../src/service/web/scrape/convert/tasks.ts';
import { kindOfFile } from '../../src/service/web/scrape/file-kind.ts';
import { costlyDocuments } from '../harness/costly-documents.ts';
import { isWhole, sampleOf } from '../harness/sample.ts';

const sum = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
/**
 * Processor time of a conversion, in milliseconds: the limit, and what starting a thread and collecting garbage beside it
 * take. A processor that others use, too, counts more for the same work; `npm run faults` allows none of that.
 */
const mostMs = isWhole ? 2000 + 1500 : 10_000;
const mostBytes = 500 * 1024 * 1024;

describe('a costly document', () => {
  for (const [name, create] of sampleOf(Object.entries(costlyDocuments), 5)) {
    it(`CON-01: of ${name} is converted within the limits, or refused with the reason`, async () => {
      const { contentType, body, isRead } = create();
      const converters = createConverters({ threads: 1, reserve: 0 });
      const task: ConvertTask = {
        kind: kindOfFile(contentType, body) ?? 'html',
        body,
        contentType,
        raw: false,
        maxPages: 10_000,
        lists: { links: true, contentLinks: true, images: true },
        options: {
          url: 'https://site.test/',
          onlyMainContent: true,
          onlyCleanContent: false,
          removeBase64Images: true,
          markdown: true,
          html: false,
        },
      };
      const { signal } = new AbortController();
      const before = { memory: process.memoryUsage().rss, all: process.cpuUsage(), own: process.threadCpuUsage() };
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 10);
      try {
        const { markdown } = await converters.convert(task, {
          team: 'red',
          timeoutMs: 170_000,
          deadlineMs: 170_000,
          keepsBody: false,
          signal,
        });
        assert.equal(typeof markdown, 'string');
        const threads = sum(process.cpuUsage(before.all)) - sum(process.threadCpuUsage(before.own));
        assert.ok(threads < mostMs, `${Math.round(threads)} ms`);
      } catch (error) {
        assert.ok(error instanceof ConversionError, String(error));
        assert.match(error.message, /too complex/);
        assert.ok(!isWhole || !isRead, error.message);
      } finally {
        clearInterval(watch);
        await converters.close();
      }
      assert.ok(peak - before.memory < mostBytes, `${Math.round((peak - before.memory) / 1e6)} MB`);
    });
  }
});
