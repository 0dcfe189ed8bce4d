import { shorten } from '../../../contract/shorten.ts';
import type { ChoiceForm } from '../scrape/convert/notes/choice-forms.ts';
import { parseLink } from './scope/urls.ts';

const maxPages = 1_000;
/** A form whose choices are pages. */
export interface FoundForm {
  /** The page with the form. */
  on: string;
  form: ChoiceForm;
  /** Whether its pages may be lists of pages of the crawl, as the page with the form is. */
  isList: boolean;
}

/** A choice of a form, and the page with the form. */
export interface Choice {
  url: URL;
  name: string;
  on: string;
  isList: boolean;
  /** Whether it is known which of the choices is the page itself: this isn't. */
  isOther: boolean;
}

/** Collects the choices of forms, each once: only when a site was read is it known which of them nothing else leads to. */
export function createChoicePages() {
  const choices = new Map<string, Choice>();
  const shown = new Set<string>();
  return {
    /** Returns whether it has choices that were not known, or says of one that it is a page itself. */
    add({ on, form: { name, pages, shown: own }, isList }: FoundForm): boolean {
      const before = choices.size + shown.size;
      // Once there are as many choices as are kept, a page that is none of them says nothing.
      if (own !== undefined && (choices.has(own) || choices.size < maxPages) && shown.size < maxPages) shown.add(own);
      for (const page of pages) {
        const url = choices.has(page) || choices.size >= maxPages ? undefined : parseLink(page);
        if (url) choices.set(page, { url, name, on, isList, isOther: own !== undefined });
      }
      return choices.size + shown.size > before;
    },
    /**
     * Says how many pages only forms lead to, and the URL of one.
     * @param areMissing tells of which pages that belong to the site it isn't known
     */
    async text(areMissing: (choices: readonly Choice[]) => Promise<readonly boolean[]>): Promise<string | undefined> {
      const all = [...choices].flatMap(([page, choice]) => (shown.has(page) ? [] : choice));
      if (all.length === 0) return undefined;
      const missing = await areMissing(all);
      const left = all.filter((_, index) => missing[index]);
      const [first] = left;
      // One alone may be the page itself, under another URL.
      if (!first || (left.length === 1 && !first.isOther)) return undefined;
      const { name, on } = first;
      const example = left.findLast((each) => each.name === name && each.on === on) ?? first;
      const [where, url] = [`"${shorten(name, 60)}" on ${shorten(on)}`, shorten(example.url.href)];
      if (left.length === 1)
        return `Only a form leads to 1 page, which wasn't followed: a choice of ${where}. To get it, use its URL: ${url}`;
      const count = `${choices.size >= maxPages ? 'at least ' : ''}${left.length}`;
      return `Only a form leads to ${count} pages, which weren't followed, such as the choices of ${where}. To get them, use their URLs, such as ${url}`;
    },
  };
}
