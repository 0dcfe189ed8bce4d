import { Worker } from 'node:worker_threads';
import { type MatchResult, type MatchTask, matchPaths, type Verdict, verdicts } from './path-rules-thread.ts';
import { isForEscapes, readPath, readPattern, readUrl } from './read-form.ts';
import type { PageUrl } from './urls.ts';

/** The path patterns of one crawl. */
export interface PathRules {
  /** Matches URLs as a person reads them, each by its pathname or as a whole. Those that could not be matched in time are undecided. */
  judge(urls: readonly PageUrl[]): Promise<Judged>;
  dispose(): void;
}

export interface Judged {
  verdicts: Verdict[];
  /** Patterns that took too long; the paths they were tried on are undecided. */
  slow: string[];
}

export interface PathPatterns {
  includePaths?: string[] | undefined;
  excludePaths?: string[] | undefined;
  regexOnFullURL?: boolean | undefined;
}

const admitAll: PathRules = {
  judge: async (urls) => ({ verdicts: urls.map(() => verdicts.admitted), slow: [] }),
  dispose: () => undefined,
};

export type PathMatcher = ReturnType<typeof createPathMatcher>;

/** Matches the path patterns of all crawls on a separate thread, with a time limit. */
export function createPathMatcher() {
  let thread: Worker | undefined;
  let lastTask = 0;
  let lastRules = 0;
  const waiting = new Map<number, { resolve(result: MatchResult): void; reject(error: Error): void }>();
  /** Rules that the current thread has received. */
  const sentRules = new Set<number>();

  function start(): Worker {
    const worker = new Worker(`(${matchPaths.toString()})()`, { eval: true });
    worker.unref();
    const lost = (error: Error) => {
      if (thread === worker) thread = undefined;
      sentRules.clear();
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    worker.on('message', (result: MatchResult) => {
      waiting.get(result.id)?.resolve(result);
      waiting.delete(result.id);
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The path matching thread stopped unexpectedly.')));
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
    rules({ includePaths = [], excludePaths = [], regexOnFullURL = false }: PathPatterns): PathRules {
      if (includePaths.length === 0 && excludePaths.length === 0) return admitAll;
      const rules = ++lastRules;
      const extent = regexOnFullURL ? 'url' : 'path';
      const read = (source: string) => ({
        source,
        pattern: readPattern(source, extent),
        isForEscapes: isForEscapes(source),
      });
      const patterns = { include: includePaths.map(read), exclude: excludePaths.map(read) };
      const asWritten = [...patterns.include, ...patterns.exclude].some((pattern) => pattern.isForEscapes);
      return {
        async judge(urls) {
          if (urls.length === 0) return { verdicts: [], slow: [] };
          const texts = urls.map((url) => (regexOnFullURL ? readUrl(url) : readPath(url.pathname)));
          const written = asWritten ? urls.map((url) => (regexOnFullURL ? url.href : url.pathname)) : texts;
          const isNew = !sentRules.has(rules);
          sentRules.add(rules);
          const result = await send({ rules, texts, written, ...(isNew && { patterns }) });
          return { verdicts: Array.from(result.verdicts) as Verdict[], slow: result.slow };
        },
        dispose() {
          if (!sentRules.delete(rules)) return;
          void send({ rules, texts: [], written: [], forget: true }).catch(() => undefined);
        },
      };
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}
