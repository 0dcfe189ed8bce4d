import type { FastifyInstance } from 'fastify';
import { livenessPath, metricsPath, readinessPath } from '../../../contract/operations.ts';
import { within } from '../async.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** The health and the metrics of a service. */
export interface Operations {
  metrics: Pick<Metrics, 'request' | 'text' | 'contentType'>;
  /** Returns why requests should go to another node, without secrets; undefined if they needn't. Never rejects. */
  notReady(): Promise<string | undefined>;
}

/** How long the database may take, in milliseconds. */
const databaseMs = 3_000;

/** Paths that need no key: they say nothing about what the service does. */
export const keylessPaths: readonly string[] = [livenessPath, readinessPath];

/** Binds the paths of health and metrics. */
export function bindOperations(app: FastifyInstance, { metrics, notReady }: Operations): void {
  app.get(livenessPath, () => ({ status: 'live' }));
  app.get(readinessPath, async (_request, reply) => {
    const reason = await notReady();
    return reason === undefined ? { status: 'ready' } : reply.code(503).send({ status: 'not ready', reason });
  });
  app.get(metricsPath, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}

/**
 * Returns the check of readiness. Probes that come together share one check of the database.
 * @param check resolves when the database has answered
 * @param busy returns why the service takes no requests, if so
 */
export function createReadiness(check: () => Promise<unknown>, busy: () => string | undefined): Operations['notReady'] {
  let checking: Promise<boolean> | undefined;
  return async () => {
    const reason = busy();
    if (reason !== undefined) return reason;
    checking ??= within(databaseMs, check())
      .catch(() => false)
      .finally(() => {
        checking = undefined;
      });
    return (await checking) ? undefined : "The database doesn't answer.";
  };
}
