import { Worker } from 'node:worker_threads';
import { pathOfRoute } from '../../../../contract/addresses.ts';
import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { currentAsker } from '../../../platform/asker.ts';
import { createTurns } from '../../../platform/turns.ts';
import { type MatchResult, type MatchTask, matchPaths, type Verdict, verdicts } from './path-rules-thread.ts';
import { isForEscapes, readPath, readPattern, readUrl } from './read-form.ts';
import type { PageUrl } from './urls.ts';

export interface Judged {
  verdicts: Verdict[];
  /** Patterns that took too long; the paths they were tried on are undecided. */
  slow: string[];
}

const admitAll = {
  judge: async (urls: readonly PageUrl[]): Promise<Judged> => ({
    verdicts: urls.map(() => verdicts.admitted),
    slow: [],
  }),
  dispose: (): void => undefined,
};

type PathPatterns = Pick<CrawlOptions, 'includePaths' | 'excludePaths' | 'regexOnFullURL'>;
export type PathMatcher = ReturnType<typeof createPathMatcher>;

interface Rules {
  id: number;
  patterns: NonNullable<MatchTask['patterns']>;
  isDisposed: boolean;
}

/** URLs that are matched, and what is known of them. */
interface Asked extends PromiseWithResolvers<Judged>, Judged {
  team: string;
  rules: Rules;
  texts: string[];
  written: string[];
  routes: string[];
}

/** URLs that are sent to the thread at a time. */
const sentAtATime = 500;

/** Matches the path patterns of all crawls on a separate thread, with a time limit. Teams take turns, and so do the crawls of a team. */
export function createPathMatcher() {
  let thread: Worker | undefined;
  let lastTask = 0;
  let lastRules = 0;
  /** What the thread works on, and the task of it. */
  let current: Asked | undefined;
  let currentTask = 0;
  const waiting = createTurns<Asked>();
  /** Rules that the current thread has received. */
  const sentRules = new Set<number>();

  function start(): Worker {
    const worker = new Worker(`(${matchPaths.toString()})()`, { eval: true });
    worker.unref();
    const lost = (error: Error) => {
      // The end of a thread that was lost before says nothing of the next one.
      if (thread !== worker) return;
      thread = undefined;
      fail(error);
    };
    worker.on('message', ({ id, verdicts, slow }: MatchResult) => {
      if (!current || id !== currentTask) return;
      const asked = current;
      current = undefined;
      for (const verdict of verdicts) asked.verdicts.push(verdict as Verdict);
      asked.slow = [...new Set([...asked.slow, ...slow])];
      if (asked.verdicts.length < asked.texts.length) waiting.add(asked.team, asked);
      else asked.resolve({ verdicts: asked.verdicts, slow: asked.slow });
      next();
    });
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('The path matching thread stopped unexpectedly.')));
    return worker;
  }

  /** Ends what waits for a thread that doesn't work. */
  function fail(error: unknown): void {
    sentRules.clear();
    for (const { reject } of [...(current ? [current] : []), ...waiting.clear()]) reject(error);
    current = undefined;
  }

  function next(): void {
    if (current) return;
    current = waiting.take();
    if (!current) return;
    const { rules, texts, written, routes, verdicts } = current;
    const { id, patterns, isDisposed } = rules;
    const isNew = !sentRules.has(id);
    if (isDisposed) sentRules.delete(id);
    else sentRules.add(id);
    const [first, end] = [verdicts.length, verdicts.length + sentAtATime];
    const sent = {
      texts: texts.slice(first, end),
      written: written.slice(first, end),
      routes: routes.slice(first, end),
    };
    try {
      currentTask = send({ rules: id, ...sent, ...(isNew && { patterns }), ...(isDisposed && { forget: true }) });
    } catch (error) {
      fail(error);
    }
  }

  function send(task: Omit<MatchTask, 'id'>): number {
    thread ??= start();
    const id = ++lastTask;
    thread.postMessage({ ...task, id } satisfies MatchTask);
    return id;
  }

  return {
    /** Returns the path patterns of one crawl. */
    rules({ includePaths = [], excludePaths = [], regexOnFullURL = false }: PathPatterns) {
      if (includePaths.length === 0 && excludePaths.length === 0) return admitAll;
      const extent = regexOnFullURL ? 'url' : 'path';
      const read = (source: string) => ({
        source,
        pattern: readPattern(source, extent),
        isForEscapes: isForEscapes(source),
      });
      const patterns = { include: includePaths.map(read), exclude: excludePaths.map(read) };
      const rules: Rules = { id: ++lastRules, patterns, isDisposed: false };
      const asWritten = [...patterns.include, ...patterns.exclude].some((pattern) => pattern.isForEscapes);
      return {
        /** Matches URLs as a person reads them, each by its pathname, or that with its route, or as a whole. Those that could not be matched in time are undecided. */
        async judge(urls: readonly PageUrl[]): Promise<Judged> {
          if (urls.length === 0) return { verdicts: [], slow: [] };
          const texts = urls.map((url) => (regexOnFullURL ? readUrl(url) : readPath(url.pathname)));
          const written = asWritten ? urls.map((url) => (regexOnFullURL ? url.href : url.pathname)) : texts;
          const isRouted = !regexOnFullURL && urls.some(({ hash }) => hash !== '');
          const routes = isRouted ? urls.map((url) => readPath(pathOfRoute(url) ?? '')) : [];
          const { team = '' } = currentAsker() ?? {};
          const given = Promise.withResolvers<Judged>();
          waiting.add(team, { ...given, team, rules, texts, written, routes, verdicts: [], slow: [] });
          next();
          return await given.promise;
        },
        dispose(): void {
          rules.isDisposed = true;
          if (sentRules.delete(rules.id)) send({ rules: rules.id, texts: [], written: [], forget: true });
        },
      };
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}
