import { afterCommit } from '../../../storage/storage.ts';
import type { JobEvents } from '../job-events.ts';
import type { Metrics } from './metrics.ts';

/** Counts the jobs that start and end, once that is stored. */
export function countJobs(events: JobEvents, metrics: Pick<Metrics, 'job'>): JobEvents {
  return {
    async emit(occurred, tx) {
      await events.emit(occurred, tx);
      const changes = occurred.flatMap(({ type }) => {
        const [kind = '', state = ''] = type.split('.');
        return state === 'page' || state === 'action' || kind === 'monitor' ? [] : [{ kind, state }];
      });
      if (changes.length > 0) afterCommit(tx, () => changes.forEach(metrics.job));
    },
  };
}
