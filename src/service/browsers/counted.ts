import type { Metrics } from '../platform/metrics/metrics.ts';
import type { BrowserProvider } from './chrome/chrome.ts';
import type { RunnerFactory } from './sessions/host.ts';
import type { Sessions } from './sessions/sessions.ts';

/** Counts the browsers that a provider opens. */
export function countBrowsers(provider: BrowserProvider, { browsers }: Pick<Metrics, 'browsers'>): BrowserProvider {
  return {
    ...provider,
    async open(request) {
      try {
        const browser = await provider.open(request);
        browsers.opened();
        void browser.ended.then(browsers.ended);
        return browser;
      } catch (error) {
        browsers.failed();
        throw error;
      }
    },
  };
}

/** Counts the sessions that can't be created. */
export function countSessions(sessions: Sessions, metrics: Pick<Metrics, 'sessions'>): Sessions {
  const counted = async <Result>(start: Promise<Result>): Promise<Result> => {
    try {
      return await start;
    } catch (error) {
      metrics.sessions.failed();
      throw error;
    }
  };
  return {
    ...sessions,
    create: (...args) => counted(sessions.create(...args)),
    start: (...args) => counted(sessions.start(...args)),
  };
}

/** Counts the runs of code, by language. */
export function countRuns<Runners extends Readonly<Record<string, RunnerFactory>>>(
  runners: Runners,
  metrics: Pick<Metrics, 'run'>,
): Runners {
  const counted = Object.entries(runners).map(([language, create]) => {
    const factory: RunnerFactory = (options) => {
      const runner = create(options);
      return {
        ...runner,
        async run(request) {
          const outcome = await runner.run(request);
          const { killed, exitCode } = outcome;
          metrics.run({ language, outcome: killed ? 'killed' : exitCode === 0 ? 'ok' : 'failed' });
          return outcome;
        },
      };
    };
    return [language, factory] as const;
  });
  return Object.fromEntries(counted) as Runners;
}
