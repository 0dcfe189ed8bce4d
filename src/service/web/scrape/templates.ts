import { routeOf } from '../../../contract/addresses.ts';
import { orAborted } from '../../platform/async.ts';
import { keepLast } from '../../platform/maps.ts';

/** What tells a fetched page that has scripts or frames from others. */
export interface PageTraits {
  url: string;
  /** Identifies its scripts. */
  scripts: string;
  /** Where scripts may put content. */
  places: readonly string[];
  /** Characters of text in its content. */
  length: number;
}

/** What a job learns about the pages of its sites: whether those alike need a browser. */
export type Templates = ReturnType<typeof createTemplates>;

/** Pages alike that are compared before the others follow. */
const samples = 3;
/** Afterwards, one of so many pages alike is compared again. */
const checkedEvery = 50;
/** How many folders in a folder, and pages at the top of a site and below, are told apart by name; more are items. */
const maxNames = { folders: 50, top: 10, below: 3 };
/** How many sets of scripts are told apart among pages with similar URLs. */
const maxScripts = 10;
/** Templates and folders that are remembered; the oldest are forgotten. */
const maxRemembered = 2000;
/** Checks of places that may change nothing: so many, and one of so many pages. */
const vainChecks = { least: 3, perPages: 20 };
/** How long a page waits for samples, in milliseconds, before it becomes one itself. */
const maxWaitMs = 10_000;

/** Pages with similar URLs. */
interface Shape {
  pages: number;
  /** Pages that were fetched and then had to be rendered. */
  rendered: number;
  /** Whether the next page is to be compared again. */
  due: boolean;
  /** Whether some of them need no browser. */
  plain: boolean;
  /** By their scripts; those beyond the first sets share one. */
  templates: Map<string, Template>;
}

interface Template {
  verdict: 'fetch' | 'render' | undefined;
  /** Samples in a row that were the same without scripts. */
  same: number;
  /** Samples that could not be compared. */
  unknown: number;
  comparing: number;
  waiting: Set<() => void>;
  /** What is known of places: whether scripts filled them. */
  places: Map<string, 'same' | 'different' | 'comparing'>;
  pages: number;
  /** Checks that found nothing since the last one that did. */
  vain: number;
  /** Characters of text in the shortest sample that was the same without scripts: much emptier pages may be filled by them. */
  shortest: number;
}

/** Creates what a run of a job knows of templates. A later run learns again. */
export function createTemplates() {
  const shapes = new Map<string, Shape>();
  const folders = new Map<string, Set<string>>();

  function shapeOf(url: string): Shape {
    const key = keyOf(new URL(url), isItem);
    const shape = shapes.get(key) ?? { pages: 0, rendered: 0, due: false, plain: false, templates: new Map() };
    keepLast(shapes, key, shape, maxRemembered);
    return shape;
  }

  /** Whether a name in a folder is one of many. */
  function isItem(folder: string, name: string, most: number): boolean {
    const names = folders.get(folder) ?? new Set();
    keepLast(folders, folder, names, maxRemembered);
    if (names.size < most) names.add(name);
    return !names.has(name);
  }

  return {
    /** How to begin: pages whose alike all needed a browser aren't fetched first. To be called once for each page. */
    begin(url: string): 'fetch' | 'render' {
      const shape = shapeOf(url);
      const known = [...shape.templates.values()];
      if (++shape.pages % checkedEvery === 0) shape.due = known.some(({ verdict }) => verdict !== undefined);
      const allDiffer = shape.rendered >= samples && known.every(({ verdict }) => verdict === 'render');
      return allDiffer && !shape.plain && !shape.due ? 'render' : 'fetch';
    },
    /**
     * How to go on with a fetched page: `compare` a sample, or `check` a page with places that the samples don't have. Waits
     * while enough pages alike are being compared.
     */
    async decide(page: PageTraits, signal: AbortSignal): Promise<'fetch' | 'render' | 'compare' | 'check'> {
      const shape = shapeOf(page.url);
      const { template, places } = templateOf(shape, page);
      template.pages++;
      const until = performance.now() + maxWaitMs;
      while ((awaitsSamples(template) || awaitsCheck(template, places)) && performance.now() < until) {
        await next(template.waiting, until - performance.now(), signal);
      }
      if (template.verdict === 'fetch') {
        if (places.some((place) => template.places.get(place) === 'different')) return 'render';
        const fresh = places.filter((place) => !template.places.has(place));
        if (fresh.length > 0 && mayCheck(template)) {
          for (const place of fresh) template.places.set(place, 'comparing');
          return 'check';
        }
      }
      if (template.verdict !== undefined && !shape.due) {
        if (template.verdict === 'render') shape.rendered++;
        return template.verdict;
      }
      shape.due = false;
      template.comparing++;
      return 'compare';
    },
    /** Notes what became of a page for which `decide` returned `compare` or `check`. */
    compared(page: PageTraits, result: 'same' | 'different' | 'unknown'): void {
      const shape = shapeOf(page.url);
      const { template, places } = templateOf(shape, page);
      const checked = places.filter((place) => template.places.get(place) === 'comparing');
      if (checked.length > 0) {
        template.vain = result === 'different' ? 0 : template.vain + 1;
        for (const place of checked) {
          if (result === 'unknown') template.places.delete(place);
          else template.places.set(place, result);
        }
        for (const resume of [...template.waiting]) resume();
        return;
      }
      if (result === 'same') for (const place of places) template.places.set(place, 'same');
      template.comparing = Math.max(0, template.comparing - 1);
      if (result === 'unknown') template.unknown++;
      else if (result === 'same') {
        template.same++;
        if (template.verdict === undefined)
          template.shortest = template.same === 1 ? page.length : Math.min(template.shortest, page.length);
      } else {
        shape.rendered++;
        template.same = 0;
        template.verdict = 'render';
      }
      if (template.same >= samples) template.verdict = 'fetch';
      for (const resume of [...template.waiting]) resume();
    },
    /** Notes that a page needs no browser, because it has no scripts that matter. */
    plain(url: string): void {
      shapeOf(url).plain = true;
    },
  };
}

function templateOf(
  { templates }: Shape,
  { scripts, places, length }: PageTraits,
): { template: Template; places: readonly string[] } {
  const isOwn = templates.has(scripts) || templates.size < maxScripts;
  const key = isOwn ? scripts : 'others';
  const fresh: Template = {
    verdict: undefined,
    same: 0,
    unknown: 0,
    comparing: 0,
    waiting: new Set(),
    places: new Map(),
    pages: 0,
    vain: 0,
    shortest: 0,
  };
  const template = templates.get(key) ?? fresh;
  templates.set(key, template);
  // Where templates share one, scripts are told apart as places are.
  const own = isOwn ? places : [...places, scripts];
  const emptiness = Math.floor(Math.log2(template.shortest / Math.max(1, length)));
  return { template, places: emptiness >= 1 ? [...own, `text of 1/${2 ** emptiness}`] : own };
}

/** Whether places that a page has are being checked. */
function awaitsCheck({ verdict, places }: Template, own: readonly string[]): boolean {
  return verdict === 'fetch' && own.some((place) => places.get(place) === 'comparing');
}

function mayCheck({ vain, pages }: Template): boolean {
  return vain < Math.max(vainChecks.least, pages / vainChecks.perPages);
}

/** Where samples can't be compared, such as without a browser, nobody waits for them. */
function awaitsSamples({ verdict, same, unknown, comparing }: Template): boolean {
  return verdict === undefined && comparing > 0 && same + comparing >= samples && unknown < samples;
}

/** Waits until the next sample was compared, the time is over, or the signal aborts. */
async function next(waiting: Set<() => void>, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  waiting.add(resolve);
  await orAborted(promise, signal).finally(() => {
    clearTimeout(timer);
    waiting.delete(resolve);
  });
}

/** Names with numbers or other encodings, and those of three words or more, such as titles, are names of items. */
const itemName = /\d|%[\da-f]{2}|^[^-_]+([-_][^-_]+){2,}/i;

/** Returns what similar URLs have in common: origin, folders, the first part of a route, and the names of their parameters. */
function keyOf(
  { origin, pathname, searchParams, hash }: URL,
  isItem: (folder: string, name: string, most: number) => boolean,
): string {
  const parts = pathname.slice(1).split('/');
  let key = origin;
  for (const [index, part] of parts.entries()) {
    const [extension = ''] = /\.[a-z]{2,5}$/i.exec(part) ?? [];
    const name = part.slice(0, part.length - extension.length);
    const isLast = index === parts.length - 1;
    const most = isLast ? (index === 0 ? maxNames.top : maxNames.below) : maxNames.folders;
    const isOneOfMany = name !== '' && (itemName.test(name) || isItem(isLast ? `${key}/` : key, name, most));
    key += `/${isOneOfMany ? '*' : name}${extension}`;
  }
  // Scripts that leave a page as it is may write another one at a route.
  const [, mark, part] = /^(#!?\/?)([^/?]+)/.exec(routeOf(hash)) ?? [];
  if (mark && part) key += mark + (itemName.test(part) || isItem(key + mark, part, maxNames.top) ? '*' : part);
  const names = [...new Set(searchParams.keys())].sort().slice(0, 10);
  return names.length > 0 ? `${key}?${names.join('&')}` : key;
}
