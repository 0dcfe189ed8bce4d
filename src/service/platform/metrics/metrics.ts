import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import packageJson from '../../../../package.json' with { type: 'json' };

/** What the service counts and measures about itself. No label names a team, a URL or a key. */
export type Metrics = ReturnType<typeof createMetrics>;

/** What is measured when the metrics are read. */
export interface MetricSources {
  requestsInProgress(): number;
  /** Jobs that run on all nodes, by kind. Rejects if the database can't be read. */
  runningJobs(): Promise<ReadonlyMap<string, number>>;
  /** Webhook deliveries that wait in the database. Rejects if it can't be read. */
  waitingDeliveries(): Promise<number>;
  /** Connections to PostgreSQL; undefined on SQLite. */
  databaseConnections(): { used: number; idle: number; waiting: number } | undefined;
}

/** Upper limits of the durations' buckets, in seconds. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `webdata_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `webdata_${name}`, help, labelNames, registers });

  gauge('build_info', 'The version that runs; always 1', ['version']).set({ version: packageJson.version }, 1);
  const requests = new Histogram({
    name: 'webdata_http_request_duration_seconds',
    help: 'Requests that were answered, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const requestsInProgress = gauge('http_requests_in_progress', 'Requests in progress');
  const sessionsOpen = gauge('sessions_open', 'Browser sessions that are open on this node');
  const sessionsCreated = counter('sessions_created_total', 'Browser sessions that were created');
  const sessionsFailed = counter('sessions_failed_total', 'Browser sessions that could not be created');
  const runs = counter('runs_total', 'Runs of code', ['language', 'outcome']);
  const jobs = counter('jobs_total', 'Jobs that this node has started or ended', ['kind', 'state']);
  const jobsRunning = gauge('jobs_running', 'Jobs that run on all nodes', ['kind']);
  const pages = counter('pages_total', 'Pages of scrapes and crawls', ['result']);
  const attempts = counter('webhook_attempts_total', 'Attempts to deliver webhooks', ['outcome']);
  const deliveries = gauge('webhook_deliveries_waiting', 'Webhook deliveries that wait in the database');
  const credits = counter('credits_charged_total', 'Credits that were charged');
  const browsersOpen = gauge('browsers_open', 'Browsers that this node uses');
  const browsersOpened = counter('browsers_opened_total', 'Browsers that were opened');
  const browsersFailed = counter('browsers_failed_total', 'Browsers that could not be opened');
  const connections = gauge('database_connections', 'Connections to PostgreSQL', ['state']);
  const queriesWaiting = gauge('database_queries_waiting', 'Queries that wait for a connection to PostgreSQL');
  const databaseUp = gauge('database_up', 'Whether the database answered when the metrics were read');
  let sources: MetricSources | undefined;
  let collectsProcess = false;

  async function readSources({
    requestsInProgress: inProgress,
    runningJobs,
    waitingDeliveries,
    databaseConnections,
  }: MetricSources): Promise<void> {
    requestsInProgress.set(inProgress());
    const pool = databaseConnections();
    if (pool) {
      connections.set({ state: 'used' }, pool.used);
      connections.set({ state: 'idle' }, pool.idle);
      queriesWaiting.set(pool.waiting);
    }
    try {
      const [running, waiting] = await Promise.all([runningJobs(), waitingDeliveries()]);
      jobsRunning.reset();
      for (const [kind, count] of running) jobsRunning.set({ kind }, count);
      deliveries.set(waiting);
      databaseUp.set(1);
    } catch {
      // The last numbers would look as if they were current.
      jobsRunning.reset();
      deliveries.remove();
      databaseUp.set(0);
    }
  }

  return {
    /** A request was answered. `route` is the path with `:name` parameters; seconds. */
    request: ({ method, route, status }: { method: string; route: string; status: number }, seconds: number): void =>
      requests.observe({ method, route, status: String(status) }, seconds),
    sessions: {
      created() {
        sessionsCreated.inc();
        sessionsOpen.inc();
      },
      failed: () => sessionsFailed.inc(),
      ended: () => sessionsOpen.dec(),
    },
    run: (labels: { language: string; outcome: 'ok' | 'failed' | 'killed' }): void => runs.inc(labels),
    /** A job has started or ended. */
    job: (labels: { kind: string; state: string }): void => jobs.inc(labels),
    page: (result: 'fetched' | 'rendered' | 'cached' | 'failed'): void => pages.inc({ result }),
    /** An attempt to deliver a webhook was acknowledged, will be repeated, or was the last one. */
    webhookAttempt: (outcome: 'acknowledged' | 'retried' | 'given_up'): void => attempts.inc({ outcome }),
    credits: (amount: number): void => credits.inc(amount),
    browsers: {
      opened() {
        browsersOpened.inc();
        browsersOpen.inc();
      },
      failed: () => browsersFailed.inc(),
      ended: () => browsersOpen.dec(),
    },
    /** Sets what is read whenever the metrics are. */
    read(given: MetricSources): void {
      sources = given;
    },
    /** Returns all metrics in the text format of Prometheus. */
    async text(): Promise<string> {
      // Observing the event loop takes a timer: it starts with the first read.
      if (!collectsProcess) collectDefaultMetrics({ register: registry });
      collectsProcess = true;
      if (sources) await readSources(sources);
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}
