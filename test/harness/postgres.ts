import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';

/** URL of the maintenance database of a cluster for tests, if the suite runs on one. */
export const clusterVariable = 'WEBDATA_TEST_CLUSTER';

/**
 * Returns the URL of the database that belongs to a data dir, and creates it if needed: a service that starts again in
 * its data dir finds its data. Undefined if the suite runs on SQLite.
 */
export async function databaseOf(dataDir: string): Promise<string | undefined> {
  const cluster = process.env[clusterVariable];
  if (!cluster) return undefined;
  return await createDatabase(cluster, `test_${createHash('sha256').update(dataDir).digest('hex').slice(0, 24)}`);
}

/** Creates a database in a cluster, unless it exists, and returns its URL. */
export async function createDatabase(
  cluster: string,
  name = `test_${randomBytes(8).toString('hex')}`,
): Promise<string> {
  const client = new pg.Client({ connectionString: cluster });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  } catch (error) {
    // Already there.
    if ((error as { code?: string }).code !== '42P04') throw error;
  } finally {
    await client.end();
  }
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}
