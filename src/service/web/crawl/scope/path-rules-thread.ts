/** Possible verdicts on a path. */
export const verdicts = { excluded: 0, admitted: 1, undecided: 2, notIncluded: 3 } as const;
export type Verdict = (typeof verdicts)[keyof typeof verdicts];

/** A pattern as it was given, and as it is matched with what a person reads. */
export interface ReadPattern {
  source: string;
  pattern: string;
  /** Whether it is matched with what is written in a URL too. */
  isForEscapes: boolean;
}

export interface MatchTask {
  id: number;
  /** Id of the patterns, which are sent along with a new id. */
  rules: number;
  patterns?: { include: ReadPattern[]; exclude: ReadPattern[] };
  /** Whether the thread can drop the rules after this task. */
  forget?: boolean;
  texts: string[];
  /** The same URLs as they are written. */
  written: string[];
  /** The paths of those with a route; empty texts for others. */
  routes?: string[];
}

export interface MatchResult {
  id: number;
  /** Of the first texts: the others are for another turn. */
  verdicts: Uint8Array;
  /** Patterns that took too long to match some text. */
  slow: string[];
}

/**
 * The body of the thread that matches patterns. It is started from its source text, so it must be self-contained.
 * A regular expression can backtrack practically forever. `vm` can interrupt it, but blocks its thread until then, so
 * this must not run on the service's main thread.
 */
export function matchPaths(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const vm = process.getBuiltinModule('node:vm');
  const limitMs = 100;
  const chunk = 500;
  const strikes = 3;
  /** Processor time of a task, but for its last text: others wait. */
  const turnMs = 250;
  interface Pattern {
    source: string;
    regex: RegExp;
    /** For URLs as they are written. */
    plain: RegExp | undefined;
    struck: number;
  }
  const known = new Map<number, { include: Pattern[]; exclude: Pattern[] }>();

  let work: () => void = () => undefined;
  const context = vm.createContext({ run: () => work() });
  const script = new vm.Script('run()');
  /**
   * Runs `task` and returns whether it finished before it had taken the limit of the processor. If a busy machine left it
   * without the processor, it gets another turn, of twice the time.
   */
  const limited = (task: () => void): boolean => {
    work = task;
    for (let turnMs = limitMs; ; turnMs *= 2) {
      const before = process.threadCpuUsage();
      try {
        script.runInContext(context, { timeout: turnMs });
        return true;
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        const { user, system } = process.threadCpuUsage(before);
        if ((user + system) / 1000 >= limitMs / 2) return false;
      }
    }
  };

  /** Matches characters rather than their halves, and `\\p{…}`, unless the pattern is valid only without that. */
  const compiled = ({ source, pattern }: ReadPattern): RegExp => {
    for (const flags of ['u', '']) {
      try {
        return new RegExp(pattern, flags);
      } catch {
        // The pattern as it was given is valid.
      }
    }
    return new RegExp(source);
  };
  const compile = (pattern: ReadPattern): Pattern => ({
    source: pattern.source,
    regex: compiled(pattern),
    plain: pattern.isForEscapes ? new RegExp(pattern.source) : undefined,
    struck: 0,
  });

  const judgeAll = ({ texts, written, routes = [], rules }: MatchTask): { verdicts: Uint8Array; slow: Set<string> } => {
    const { include, exclude } = known.get(rules) ?? { include: [], exclude: [] };
    const slow = new Set<string>();
    const results = new Uint8Array(texts.length);
    let running: Pattern | undefined;
    const matches = (pattern: Pattern, index: number): boolean => {
      if (pattern.struck >= strikes) throw pattern;
      running = pattern;
      const route = routes[index] ?? '';
      return (
        pattern.regex.test(texts[index] ?? '') ||
        pattern.plain?.test(written[index] ?? '') === true ||
        (route !== '' && pattern.regex.test(route))
      );
    };
    const judge = (index: number): number => {
      try {
        if (exclude.some((pattern) => matches(pattern, index))) return 0;
        return include.length === 0 || include.some((pattern) => matches(pattern, index)) ? 1 : 3;
      } catch (pattern) {
        slow.add((pattern as Pattern).source);
        return 2;
      }
    };
    const usedMs = () => {
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    };
    const before = process.threadCpuUsage();
    let index = 0;
    while (index < texts.length && usedMs() < turnMs) {
      const end = Math.min(index + chunk, texts.length);
      const done = limited(() => {
        for (; index < end; index++) results[index] = judge(index);
      });
      if (done) continue;
      // Many texts may take long together: the current one gets its own limit before a pattern is blamed.
      const alone = limited(() => {
        results[index] = judge(index);
      });
      if (!alone) {
        results[index] = 2;
        if (running) {
          running.struck++;
          slow.add(running.source);
        }
      }
      index++;
    }
    return { verdicts: results.subarray(0, index), slow };
  };

  parentPort?.on('message', (task: MatchTask) => {
    if (task.patterns) {
      known.set(task.rules, {
        include: task.patterns.include.map(compile),
        exclude: task.patterns.exclude.map(compile),
      });
    }
    const judged = judgeAll(task);
    if (task.forget) known.delete(task.rules);
    parentPort.postMessage({ id: task.id, verdicts: judged.verdicts, slow: [...judged.slow] });
  });
}
