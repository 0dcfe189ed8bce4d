import { imageFile, imageUrlOf, isShown } from './image-urls.ts';
import { all, elementOf, elementsIn, isBlank, type PageElement } from './page-tree.ts';

/**
 * Gives images that load late, or that only a `noscript` or a `picture` names, the URL that a reader sees.
 * @param found the images and `noscript` elements of a page
 */
export function completeImages(found: readonly PageElement[]): void {
  const around = found.flatMap(({ name, parent }) => (name === 'img' || !parent ? [] : [parent]));
  for (const parent of new Set(around)) showFallbacks(parent);
  const sources = new Map<PageElement, string | undefined>();
  for (const image of found) {
    if (image.name !== 'img') continue;
    const url = shownUrl(image, sources);
    const { src, ...others } = image.attributes;
    if (url !== src) image.attributes = url === undefined ? others : { ...others, src: url };
  }
}

/** @param sources those of pictures that were looked at before */
function shownUrl({ attributes, parent }: PageElement, sources = new Map<PageElement, string | undefined>()) {
  const own = imageUrlOf(attributes);
  if (isShown(own) || parent?.name !== 'picture') return own;
  if (!sources.has(parent)) sources.set(parent, sourceOf(parent));
  return sources.get(parent) ?? own;
}

/** The largest image of the first source of a `picture` that names one. */
function sourceOf(picture: PageElement): string | undefined {
  for (const { name, attributes } of elementsIn(picture)) {
    const url = name === 'source' ? imageUrlOf({ ...attributes, src: '' }) : undefined;
    if (url !== undefined) return url;
  }
  return undefined;
}

/** What browsers without scripts show in place of an image: it completes the image beside it, or is shown itself. */
function showFallbacks(parent: PageElement): void {
  const { children } = parent;
  for (const [at, child] of children.entries()) {
    if (typeof child === 'string') continue;
    if (child.name === 'noscript') children[at] = fallback(child, children, at);
    else if (child.name === 'amp-img' && !elementsIn(child).some(isImage))
      children[at] = elementOf('img', child.attributes, parent);
  }
}

const isImage = ({ name }: PageElement) => name === 'img';

/** Returns what is shown of a `noscript`. */
function fallback(noscript: PageElement, siblings: PageElement['children'], at: number): PageElement {
  const { children, parent } = noscript;
  const images = hasText(noscript) ? [] : all(noscript, isImage).filter(isPicture);
  const [image] = images;
  if (!image) return noscript;
  const span = elementOf('span', {}, parent);
  const beside = images.length === 1 ? (imageBeside(siblings, at, -1) ?? imageBeside(siblings, at, 1)) : undefined;
  if (!beside || !standsFor(image, beside)) return { ...span, children };
  const { alt = '', ...rest } = image.attributes;
  if (!isShown(shownUrl(beside)))
    beside.attributes = { ...rest, alt, ...beside.attributes, src: shownUrl(image) ?? rest.src ?? '' };
  return span;
}

/** The image next to an element, before (-1) or after it (1), with no text between them. */
function imageBeside(siblings: PageElement['children'], at: number, step: -1 | 1): PageElement | undefined {
  let next = at + step;
  while (isBlank(siblings[next])) next += step;
  const beside = siblings[next];
  if (typeof beside !== 'object') return undefined;
  if (isImage(beside)) return beside;
  return hasText(beside) ? undefined : all(beside, isImage).at(step === 1 ? 0 : -1);
}

/** Whether an image is for browsers that don't load the one beside it. */
function standsFor({ attributes: { src, alt = '' } }: PageElement, { attributes: beside }: PageElement): boolean {
  return !isShown(beside.src) || beside.src === src || (alt !== '' && beside.alt === alt);
}

/** Unlike the pixels of trackers, pictures have a text or are files of images, and can be seen. */
function isPicture({ attributes }: PageElement): boolean {
  const { alt = '', width = '', height = '', style = '' } = attributes;
  const isHidden =
    [width, height].some((length) => /^[01](px)?$/.test(length.trim())) || /display\s*:\s*none/i.test(style);
  return !isHidden && (alt.trim() !== '' || imageFile.test(imageUrlOf(attributes) ?? ''));
}

function hasText({ children }: PageElement): boolean {
  return children.some((child) => (typeof child === 'string' ? child.trim() !== '' : hasText(child)));
}
