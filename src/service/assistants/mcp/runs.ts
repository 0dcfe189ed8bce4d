import type { ExecutionResult, Language } from '../../../contract/sessions/execution.ts';

/** A run of an agent's code, kept so that its result can be read again. */
export interface KeptRun {
  id: string;
  language: Language;
  code: string;
  result: ExecutionResult;
}

/** The latest runs of an agent. */
export type KeptRuns = ReturnType<typeof createKeptRuns>;

/** Maximum number of runs that are kept, and of characters of all together. */
const [maxRuns, maxLength] = [50, 16 * 1024 * 1024];

export function createKeptRuns() {
  const runs = new Map<string, KeptRun>();
  let last = 0;
  let size = 0;
  const sizeOf = ({ code, result: { stdout, stderr, result } }: KeptRun) =>
    [code, stdout, stderr, result].reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return {
    add(run: Omit<KeptRun, 'id'>): string {
      const id = `r${++last}`;
      const kept = { id, ...run };
      runs.set(id, kept);
      size += sizeOf(kept);
      for (const oldest of runs.values()) {
        if (oldest.id === id || (runs.size <= maxRuns && size <= maxLength)) break;
        runs.delete(oldest.id);
        size -= sizeOf(oldest);
      }
      return id;
    },
    /** Characters that are kept. */
    get length(): number {
      return size;
    },
    /** Forgets all that is kept. */
    forget(): void {
      runs.clear();
      size = 0;
    },
    find: (id: string): KeptRun | undefined => runs.get(id),
    list: (): readonly KeptRun[] => [...runs.values()].reverse(),
  };
}
