/** What a path may turn out to be. */
export const verdicts = { rejected: 0, admitted: 1, undecided: 2 } as const;

export interface MatchTask {
  id: number;
  /** Names the patterns; they come along when it is new. */
  rules: number;
  patterns?: { include: string[]; exclude: string[] };
  /** The rules will not be used again. */
  forget?: boolean;
  texts: string[];
}

export interface MatchResult {
  id: number;
  verdicts: Uint8Array;
  /** Patterns that took too long on some text. */
  slow: string[];
}

/**
 * The body of the thread that runs patterns, self-contained: it is started from its source text.
 * A regex may backtrack for longer than the universe lasts; `vm` interrupts it, which only a thread other than the
 * service's own can afford to wait for.
 */
export function matchPaths(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const vm = process.getBuiltinModule('node:vm');
  const limitMs = 100;
  const chunk = 500;
  const strikes = 3;
  interface Pattern {
    source: string;
    regex: RegExp;
    struck: number;
  }
  const known = new Map<number, { include: Pattern[]; exclude: Pattern[] }>();

  let work: () => void = () => undefined;
  const context = vm.createContext({ run: () => work() });
  const script = new vm.Script('run()');
  /** Whether `task` ended within the limit. */
  const limited = (task: () => void): boolean => {
    work = task;
    try {
      script.runInContext(context, { timeout: limitMs });
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
      throw error;
    }
  };

  const compile = (source: string): Pattern => ({ source, regex: new RegExp(source), struck: 0 });

  const judgeAll = ({ texts, rules }: MatchTask): { verdicts: Uint8Array; slow: Set<string> } => {
    const { include, exclude } = known.get(rules) ?? { include: [], exclude: [] };
    const slow = new Set<string>();
    const results = new Uint8Array(texts.length);
    let running: Pattern | undefined;
    const matches = (pattern: Pattern, text: string): boolean => {
      if (pattern.struck >= strikes) throw pattern;
      running = pattern;
      return pattern.regex.test(text);
    };
    const judge = (text: string): number => {
      try {
        if (exclude.some((pattern) => matches(pattern, text))) return 0;
        return include.length === 0 || include.some((pattern) => matches(pattern, text)) ? 1 : 0;
      } catch (given) {
        slow.add((given as Pattern).source);
        return 2;
      }
    };
    for (let index = 0; index < texts.length; ) {
      const end = Math.min(index + chunk, texts.length);
      const done = limited(() => {
        for (; index < end; index++) results[index] = judge(texts[index] ?? '');
      });
      if (done) continue;
      // Perhaps the machine stood still: the text that was at hand gets a limit of its own before anything is blamed.
      const alone = limited(() => {
        results[index] = judge(texts[index] ?? '');
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
    return { verdicts: results, slow };
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
