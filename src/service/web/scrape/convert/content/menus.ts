import { all, type PageElement, textOf } from './page-tree.ts';

/** Parts of names of lists of languages. */
const languageNames = /(^|[\s_-])(lang(uage)?s?|interlanguage|interwiki|locales?|translations?)([\s_-]|$)/i;
/** Text beside the links of a menu, such as its label, in characters. */
const longestLabel = 30;
const longestName = 15;
/** Languages whose own names are known; the names of others are known by where their links lead. */
const codes =
  'ar bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko lt lv mk ms nb nl no pl pt ro ru sk sl sq sr sv ta te th tr uk ur uz vi zh'.split(
    ' ',
  );
let known: ReadonlySet<string> | undefined;

/** Whether an element only leads to the same page in other languages. */
export function isLanguageMenu(element: PageElement): boolean {
  if (!isMenuLike(element)) return false;
  const { class: classes = '', id = '' } = element.attributes;
  if (languageNames.test(`${classes} ${id}`)) return true;
  const links = linksIn(element);
  const languages = new Set(links.map(({ attributes: { hreflang, lang } }) => hreflang ?? lang));
  const isShort = element.has.linked <= links.length * longestName;
  if (!languages.has(undefined) && languages.size > 1 && isShort) return true;
  known ??= new Set(
    codes.map((code) => new Intl.DisplayNames([code], { type: 'language' }).of(code)?.toLowerCase() ?? ''),
  );
  return links.every((link) => known?.has(textOf(link).trim().toLowerCase()));
}

/** Links, with no more than a label. */
function isMenuLike({ name, has }: PageElement): boolean {
  return (
    has.links > 1 &&
    has.prose === 0 &&
    has.headings === 0 &&
    has.marks === 0 &&
    has.text - has.linked <= longestLabel &&
    !/^(a|table|t[hdr]|tbody|thead)$/.test(name)
  );
}

function linksIn(element: PageElement): PageElement[] {
  return all(element, ({ name }) => name === 'a');
}
