import { rmSync } from 'node:fs';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { silentLog } from '../../src/service/platform/log.ts';
import { type Database, openStorage } from '../../src/service/platform/storage/storage.ts';
import { temporaryFolder } from './folders.ts';
import { createDatabase } from './postgres.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** A fresh database for a test. */
export interface TestDatabase {
  database: Database;
  close(): Promise<void>;
}

/** Defines tests twice: on SQLite, and on a PostgreSQL cluster of their own where one can be had. */
export function onBothDialects(define: (open: () => Promise<TestDatabase>) => void): void {
  describe('on SQLite', () => {
    define(() => open(undefined));
  });
  describe('on PostgreSQL', () => {
    let cluster: Cluster | undefined;
    before(async function () {
      if (whyNoPostgres() !== undefined) return this.skip();
      cluster = await startCluster();
    });
    after(async () => {
      await cluster?.stop();
      cluster?.remove();
    });
    define(async () => open(await createDatabase(cluster?.url ?? '')));
  });
}

async function open(url: string | undefined): Promise<TestDatabase> {
  const dataDir = temporaryFolder();
  const { database, close } = await openStorage({ dataDir, url }, silentLog, 0);
  return {
    database,
    async close() {
      await close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
