import { decodeHTML } from 'entities';
import type { Attributes } from '../page-tree/page-tree.ts';
import { type Data, isData, isType, parsed, subjectsIn, textOf } from './linked-data.ts';
import type { Item } from './microdata.ts';
import type { PageMetadata } from './page-metadata.ts';

/** What visitors wrote has authors and dates of its own. */
const ofVisitors = ['Comment', 'UserComments', 'Answer', 'Review'];
const maxLength = 200;
/** Characters after a title that may be a byline and what is beside it, such as a category. */
const maxByline = 300;
/** Names of elements, as in microformats and in most themes: of a name, and of the day on which a text appeared. */
const authorName = /(^|(?<!comment|review)[-_])author([-_]*(name|link))*$/i;
const dateName = /(^|[-_])(published|dateline|(post|entry|article|publish)([-_]+meta)?[-_]+(date|time))$/i;

/** Returns who wrote the text of a page, and when, as its structured data says it: nothing where that says several things. */
export function writingIn(linkedData: readonly string[], microdata: readonly Item[]): PageMetadata {
  const data = linkedData.flatMap((each) => subjectsIn(parsed(each)));
  const names = new Map(data.map((each) => [textOf(each['@id']), textOf(each.name)]));
  names.delete(undefined);
  const namesOf = (value: unknown): string =>
    [value]
      .flat()
      .map((each) => (isData(each) ? (textOf(each.name) ?? names.get(textOf(each['@id']))) : textOf(each)))
      .filter((name) => name && !/^https?:/.test(name))
      .join(', ');
  const all = [...data, ...microdata].filter((each) => !ofVisitors.some((type) => isType(each, type)));
  // Those with a headline are texts, and others that have an author may be, such as recipes. The rest is what they are in.
  const [texts = all] = ['headline', 'author']
    .map((name) => all.filter((each) => each[name] !== undefined))
    .filter((some) => some.length > 0);
  const one = (valueIn: (each: Data) => string | undefined): string => {
    const [value = '', ...others] = new Set(texts.map(valueIn).filter(Boolean));
    return others.length > 0 || value.length > maxLength ? '' : value;
  };
  const author = one((each) => namesOf(each.author));
  const publishedTime = one((each) => textOf(each.datePublished));
  const modifiedTime = one((each) => textOf(each.dateModified));
  return { ...(author && { author }), ...(publishedTime && { publishedTime }), ...(modifiedTime && { modifiedTime }) };
}

/** What is before a name in a byline. */
const by = /(^|\s)(by|von|par|por|di|door)\s*:?$/i;

/**
 * Finds the byline between the title of a page and its text: a name or a time that the page calls its author's or its date, or a name
 * after "by" with the time behind it.
 */
export function watchByline() {
  const found: PageMetadata = {};
  /** Characters that may still come before the text; 0: no title was read yet, or its text began. */
  let left = 0;
  let datedAt = 0;
  let authorAt = 0;
  let author = '';
  let isAfterBy = false;
  return {
    found,
    open(name: string, { class: classes = '', rel = '', datetime }: Attributes, depth: number): void {
      if (/^h[1-6]$/.test(name)) left = name === 'h1' ? maxByline : 0;
      if (left === 0) return;
      const isNamed = (names: RegExp) => classes.split(/\s+/).some((each) => names.test(each));
      if (isNamed(dateName)) datedAt ||= depth;
      const isDated = datedAt > 0 || found.author !== undefined;
      if (isDated && name === 'time' && datetime) found.publishedTime ??= datetime.trim();
      const isAuthor = isAfterBy && /^(a|span|b|strong|em|i)$/.test(name);
      if (authorAt === 0 && (isAuthor || isNamed(authorName) || /(^|\s)author(\s|$)/i.test(rel))) {
        authorAt = depth;
        author = '';
      }
    },
    close(depth: number): void {
      if (depth === datedAt) datedAt = 0;
      if (depth !== authorAt) return;
      authorAt = 0;
      const name = decodeHTML(author)
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/^((written |posted )?by|posted on)(:\s*|\s+|$)/i, '');
      if (/^\p{L}.{1,60}$/u.test(name) && !/\d{4}|\d[/.:]\d/.test(name)) found.author ??= name;
    },
    text(text: string): void {
      if (left > 0 && text.trim() !== '') isAfterBy = by.test(text.trim());
      left = Math.max(0, left - text.trim().length);
      if (authorAt > 0 && author.length < maxLength) author += text;
    },
  };
}
