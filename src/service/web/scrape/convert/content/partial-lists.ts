import { decodeHTML } from 'entities';
import { nextLabel } from '../../../../browsers/page/next-rows.ts';
import { moreLabels } from '../notes/more-buttons.ts';
import { all, elementsIn, type PageElement, textOf } from '../page-tree/page-tree.ts';
import { isConcealed } from './boilerplate.ts';
import { leads } from './openable.ts';

/** How many rows of a list a page shows, as it says itself. */
export interface PartialList {
  shown: number;
  all: number;
}

const number = String.raw`\d{1,3}(?:[.,’'\s]\d{3})+|\d{1,7}`;
const names = 'results?|items|products|ergebnisse|treffer|résultats|resultados|risultati|resultaten';
/** What counts of rows begin with in common languages. */
const showing = `(?:showing|shown|displaying|viewing|you(?:[’']| ha)?ve (?:viewed|seen)|zeige|angezeigt|sie haben|affichage|vous avez vu|mostrando|exibindo|mostrati|toont)(?: (?:de|da|${names}))?|${names}`;
const count = new RegExp(
  String.raw`^(?<showing>${showing})?[\s:]*(?<from>1\s*(?:-|–|—|to|bis|à|a|al|tot)\s*)?(?<shown>${number})` +
    String.raw`\s*(?:of|out of|von|sur|de|di|van|av|af|z|из|/)\s*(?:over |about )?(?<all>${number})(?<words>(?:\s*[\p{L}-]+){0,3})\s*[.:]?$`,
  'iu',
);
/** Characters of such a count at most. */
const longest = 60;
/** Rows at least; more where only their name tells a count from a mark, as in "24 of 132 homes". */
const least = { said: 3, named: 10 };
const noRows = /^(nav|header|footer|aside|select|button)$/;
const allOf =
  /^(?:(?:see|view|show|browse) )?all\b|^alle\b|\ball[ae]\b|^(?:voir )?tou(?:te)?s\b|\btod[oa]s\b|\btutt[ie]\b/i;

/**
 * Returns how many rows a page shows if it says that its list has more: as many stand in one of its lists, and none of its other
 * links may lead to the rest.
 * @param isOtherPart whether a link, as written, leads to the same page by another number
 */
export function partialListOf(root: PageElement, isOtherPart: (href: string) => boolean): PartialList | undefined {
  const counts: PartialList[] = [];
  /** Lists by how many rows they show. */
  const lists = new Map<number, PageElement>();
  (function visit(element: PageElement) {
    if (element.leftOut !== '' || noRows.test(element.name) || isConcealed(element)) return;
    const children = elementsIn(element);
    if (element.has.text <= longest) counts.push(...countIn(element));
    const rows = children.filter((child) => child.has.text > 0 && child.leftOut === '' && !isConcealed(child));
    for (const [name, alike] of Map.groupBy(rows, (row) => row.name))
      lists.set(name === 'tr' ? alike.filter(hasCells).length : alike.length, element);
    for (const child of children) visit(child);
  })(root);
  return counts.find(({ shown, all: total }) => {
    const list = lists.get(shown);
    if (!list) return false;
    const inList = new Set(all(list, leads));
    return !all(root, leads).some((link) => !inList.has(link) && mayLeadOn(link, total));
  });

  function mayLeadOn(link: PageElement, total: number): boolean {
    const { href = '', rel, 'aria-label': called } = link.attributes;
    const label = (called ?? decodeHTML(textOf(link))).replace(/[\s‹›«»←→<>]+/g, ' ').trim();
    if (rel === 'next' || isOtherPart(href)) return true;
    return (
      /^([2-9]|\d\d+)$/.test(label) ||
      label.replace(/\D/g, '') === String(total) ||
      [nextLabel, moreLabels, allOf].some((leadsOn) => leadsOn.test(label))
    );
  }
}

const hasCells = (row: PageElement) => elementsIn(row).some(({ name }) => name === 'td');

function countIn(element: PageElement): PartialList[] {
  const found = count.exec(decodeHTML(textOf(element)).replace(/\s+/g, ' ').trim())?.groups;
  if (!found) return [];
  const [shown = 0, total = 0] = [found.shown, found.all].map((written) => Number(written?.replace(/\D/g, '')));
  const words = found.words?.trim().split(' ').filter(Boolean).length ?? 0;
  const isSaid = found.showing !== undefined || (found.from !== undefined && words <= 1);
  if (shown >= total || shown < (isSaid ? least.said : least.named)) return [];
  return isSaid || words === 1 ? [{ shown, all: total }] : [];
}
