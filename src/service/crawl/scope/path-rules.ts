import { Worker } from 'node:worker_threads';
import { type MatchResult, type MatchTask, matchPaths, verdicts } from './path-rules-thread.ts';

/** The path patterns of one crawl. */
export interface PathRules {
  /** Judges URLs, each by its pathname or as a whole. What no pattern could decide in time is not admitted. */
  judge(urls: readonly URL[]): Promise<Judged>;
  dispose(): void;
}

export interface Judged {
  admitted: boolean[];
  /** Patterns that took too long; the paths they were tried on are not admitted. */
  slow: string[];
}

export interface PathPatterns {
  includePaths?: string[] | undefined;
  excludePaths?: string[] | undefined;
  regexOnFullURL?: boolean | undefined;
}

/** Runs the path patterns of all crawls on a thread of its own, with a time limit. */
export interface PathMatcher {
  rules(patterns: PathPatterns): PathRules;
  close(): Promise<void>;
}

const everything: PathRules = {
  judge: async (urls) => ({ admitted: urls.map(() => true), slow: [] }),
  dispose: () => undefined,
};

export function createPathMatcher(): PathMatcher {
  let thread: Worker | undefined;
  let lastTask = 0;
  let lastRules = 0;
  const waiting = new Map<number, { resolve(result: MatchResult): void; reject(error: Error): void }>();
  /** Rules that the present thread has been given. */
  const given = new Set<number>();

  function start(): Worker {
    const worker = new Worker(`(${matchPaths.toString()})()`, { eval: true });
    worker.unref();
    const lost = (error: Error) => {
      if (thread === worker) thread = undefined;
      given.clear();
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    worker.on('message', (result: MatchResult) => {
      waiting.get(result.id)?.resolve(result);
      waiting.delete(result.id);
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The thread that matches paths ended.')));
    return worker;
  }

  function send(task: Omit<MatchTask, 'id'>): Promise<MatchResult> {
    thread ??= start();
    const id = ++lastTask;
    const { promise, resolve, reject } = Promise.withResolvers<MatchResult>();
    waiting.set(id, { resolve, reject });
    thread.postMessage({ ...task, id });
    return promise;
  }

  return {
    rules({ includePaths = [], excludePaths = [], regexOnFullURL = false }) {
      if (includePaths.length === 0 && excludePaths.length === 0) return everything;
      const rules = ++lastRules;
      const patterns = { include: includePaths, exclude: excludePaths };
      return {
        async judge(urls) {
          if (urls.length === 0) return { admitted: [], slow: [] };
          const texts = urls.map((url) => (regexOnFullURL ? url.href : url.pathname));
          const isNew = !given.has(rules);
          given.add(rules);
          const result = await send({ rules, texts, ...(isNew && { patterns }) });
          return {
            admitted: Array.from(result.verdicts, (verdict) => verdict === verdicts.admitted),
            slow: result.slow,
          };
        },
        dispose() {
          if (!given.delete(rules)) return;
          void send({ rules, texts: [], forget: true }).catch(() => undefined);
        },
      };
    },
    async close() {
      await thread?.terminate();
    },
  };
}
