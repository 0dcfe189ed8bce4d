import { isHeading } from '../page-tree/measure.ts';
import { all, elementsIn, type PageElement, textOf } from '../page-tree/page-tree.ts';

/** Items of a list at least, and links and different addresses in each at most: parts of a layout have more. */
const leastItems = 3;
const most = { links: 24, addresses: 6 };
/** Items of a page that are returned. */
const mostItems = 1_000;
/** Shares of the content that is in lists, and of an item's text beside its paragraphs that is linked. */
const minListShare = 0.5;
const minLinkedShare = 0.4;
/** Characters of prose that an item has at most. */
const maxProse = 500;

/** Returns where the items of a page's lists lead, as written, if its content is mostly these: each to what it is about. */
export function listedLinks(content: readonly PageElement[]): string[] {
  const found: string[] = [];
  let listed = 0;
  let text = 0;
  function visit(element: PageElement): void {
    const children = elementsIn(element);
    const items = new Set(
      [...Map.groupBy(children.filter(isItem), ({ name }) => name).values()].flatMap((alike) =>
        alike.length >= leastItems ? alike : [],
      ),
    );
    for (const child of children) {
      if (items.has(child)) {
        listed += child.has.text;
        found.push(subjectOf(child));
      } else visit(child);
    }
  }
  for (const each of content) {
    text += each.has.text;
    visit(each);
  }
  return listed > 0 && listed >= text * minListShare ? found.slice(0, mostItems) : [];
}

function isItem(element: PageElement): boolean {
  const { text, linked, prose, links: count } = element.has;
  if (linked === 0 || count > most.links || prose > maxProse || linked < (text - prose) * minLinkedShare) return false;
  const links = new Set(linksOf(element).map(hrefOf));
  return links.size > 0 && links.size <= most.addresses;
}

/** Where an item leads: by its heading, or by the longest of its links. */
function subjectOf(item: PageElement): string {
  const links = linksOf(item);
  const inHeadings = links.filter(({ parent }) => parent && isHeading(parent.name));
  const headed = links.filter(({ has }) => has.headings > 0);
  const [subject] = [...inHeadings, ...headed, ...links.toSorted((one, other) => length(other) - length(one))];
  return subject ? hrefOf(subject) : '';
}

const length = (link: PageElement) => textOf(link).trim().length;
const hrefOf = ({ attributes: { href = '' } }: PageElement) => href;

function linksOf(element: PageElement): PageElement[] {
  return element.name === 'a' ? [element] : all(element, ({ name }) => name === 'a');
}
