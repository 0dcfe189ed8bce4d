import { imageFile, imageUrlOf, isShown } from './image-urls.ts';
import { elementOf, elementsIn, type PageElement } from './page-tree.ts';

/**
 * Gives images that load late, or that only a `noscript` or a `picture` names, the URL that a reader sees.
 * @param found the images and `noscript` elements of a page
 */
export function completeImages(found: readonly PageElement[]): void {
  for (const element of found) {
    if (element.name === 'noscript') showFallback(element);
    else if (element.name === 'amp-img' && !imagesIn(element).some((each) => !isInNoscript(each, element)))
      replace(element, elementOf('img', element.attributes, element.parent));
  }
  for (const image of found) {
    if (image.name !== 'img') continue;
    const own = imageUrlOf(image.attributes);
    const url = isShown(own) ? own : (sourceOf(image) ?? own);
    const { src, ...others } = image.attributes;
    if (url !== src) image.attributes = url === undefined ? others : { ...others, src: url };
  }
}

/** The largest image of the first source of a `picture` that names one. */
function sourceOf({ parent }: PageElement): string | undefined {
  const sources = parent?.name === 'picture' ? elementsIn(parent).filter(({ name }) => name === 'source') : [];
  return sources.map(({ attributes }) => imageUrlOf({ ...attributes, src: '' })).find((url) => url !== undefined);
}

/** What browsers without scripts show in place of an image: it completes the image beside it, or is shown itself. */
function showFallback(noscript: PageElement): void {
  const { parent } = noscript;
  const images = imagesIn(noscript).filter(isPicture);
  const [image] = images;
  if (!parent || !image || hasText(noscript)) return;
  const beside = images.length === 1 ? imageBeside(noscript, parent) : undefined;
  if (!beside || !standsFor(image, beside))
    return replace(noscript, { ...elementOf('span', {}, parent), children: noscript.children });
  const { src = '', alt, ...rest } = image.attributes;
  if (!isShown(imageUrlOf(beside.attributes)) && !isShown(sourceOf(beside)))
    beside.attributes = { alt: alt ?? '', ...rest, ...beside.attributes, src: imageUrlOf(image.attributes) ?? src };
  replace(noscript, elementOf('span', {}, parent));
}

/** Whether an image is for browsers that don't load the one beside it. */
function standsFor({ attributes: { src, alt = '' } }: PageElement, { attributes: beside }: PageElement): boolean {
  return !isShown(beside.src) || beside.src === src || (alt !== '' && beside.alt === alt);
}

/** The image before or after an element, with nothing else between them. */
function imageBeside(element: PageElement, { children }: PageElement): PageElement | undefined {
  const at = children.indexOf(element);
  const before = children.slice(0, at).findLast(isContent);
  const after = children.slice(at + 1).find(isContent);
  return imageOf(before)?.at(-1) ?? imageOf(after)?.[0];
}

const isContent = (child: PageElement | string) => typeof child !== 'string' || child.trim() !== '';

function imageOf(child: PageElement | string | undefined): PageElement[] | undefined {
  if (child === undefined || typeof child === 'string') return undefined;
  if (child.name === 'img') return [child];
  return hasText(child) ? undefined : imagesIn(child);
}

/** Unlike the pixels of trackers, pictures have a text or are files of images, and can be seen. */
function isPicture({ attributes }: PageElement): boolean {
  const { alt = '', width = '', height = '', style = '' } = attributes;
  const isHidden =
    [width, height].some((length) => /^[01](px)?$/.test(length.trim())) || /display\s*:\s*none/i.test(style);
  return !isHidden && (alt.trim() !== '' || imageFile.test(imageUrlOf(attributes) ?? ''));
}

function imagesIn(element: PageElement): PageElement[] {
  return elementsIn(element).flatMap((child) => (child.name === 'img' ? [child] : imagesIn(child)));
}

function isInNoscript(element: PageElement, within: PageElement): boolean {
  for (let each = element.parent; each && each !== within; each = each.parent)
    if (each.name === 'noscript') return true;
  return false;
}

function hasText({ children }: PageElement): boolean {
  return children.some((child) => (typeof child === 'string' ? child.trim() !== '' : hasText(child)));
}

function replace(element: PageElement, other: PageElement): void {
  const siblings = element.parent?.children;
  const at = siblings?.indexOf(element) ?? -1;
  if (at !== -1) siblings?.splice(at, 1, other);
}
