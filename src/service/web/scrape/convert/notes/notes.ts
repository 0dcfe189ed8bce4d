import { decodeHTMLAttribute } from 'entities';
import { frameAttribute } from '../../../../browsers/page/page-html.ts';
import { maxLinks } from '../page-tree/content-urls.ts';
import type { Attributes } from '../page-tree/page-tree.ts';
import { type PageUrls, refreshTarget } from '../page-tree/urls.ts';
import { watchByline, writingIn } from './byline.ts';
import { watchForms } from './choice-forms.ts';
import { documentsOfFrame, isFeedLink, isPageLink, targetOfClick } from './declared-links.ts';
import { watchDrawings } from './drawings.ts';
import { readMicrodata } from './microdata.ts';
import { watchButtons } from './more-buttons.ts';
import { collectMetadata, type PageMetadata } from './page-metadata.ts';
import { isInlineScript, watchScripts } from './page-scripts.ts';

/** What a page contains besides its content: links, metadata, scripts and buttons. */
export type PageNotes = ReturnType<typeof takeNotes>;

/** Elements whose content isn't part of the page while scripts run. */
const inert = new Set(['template', 'noscript']);
/** Elements in which names of HTML mean something else. */
const foreign = new Set(['svg', 'math']);
const maxLinkedData = 20;
const maxDeclared = 200;
const maxFeeds = 20;

/** Takes the notes of a page in the pass that reads it. */
export function takeNotes(urls: PageUrls) {
  const metadata = collectMetadata();
  const links = new Set<string>();
  /** Targets of `link` elements that are links to pages. */
  const declared: string[] = [];
  const feeds: string[] = [];
  /** The types that the page declares for itself, such as `Product`: of schema.org, and of Open Graph in lower case. */
  const types = new Set<string>();
  /** Its JSON-LD, as written. */
  const linkedData: string[] = [];
  let dataAt = 0;
  let data = '';
  let titleAt = 0;
  let title = '';
  /** Depths of the outermost such element around what is read; 0: none. */
  let inertAt = 0;
  let templateAt = 0;
  let foreignAt = 0;
  let refresh: string | undefined;
  let scriptAt = 0;
  let script = '';
  const scripts = watchScripts((url) => urls.resolve(url)?.href);
  const buttons = watchButtons();
  const forms = watchForms(urls, addLink);
  const microdata = readMicrodata();
  const byline = watchByline();
  const drawings = watchDrawings();

  function addLink(href: string | undefined): void {
    if (href === undefined || links.size >= maxLinks) return;
    const link = urls.link(href);
    if (link !== undefined) links.add(link);
  }

  function addFrame({ data, src = data, [frameAttribute]: address = src, type }: Attributes): void {
    const frame = templateAt === 0 && address ? urls.resolve(address) : undefined;
    for (const href of frame ? documentsOfFrame(frame, type) : []) addLink(href);
  }

  return {
    /** Absolute http(s) links of the whole page, without duplicates: those of forms and those that its head declares come last. */
    get links(): ReadonlySet<string> {
      for (const href of [...forms.pages, ...declared]) addLink(href);
      return links;
    },
    /** The feeds that its head declares. */
    get feeds(): string[] {
      return [...new Set(feeds.flatMap((href) => urls.link(href) ?? []))];
    },
    metadata: metadata.found,
    types: types as ReadonlySet<string>,
    linkedData: linkedData as readonly string[],
    microdata: microdata.items,
    /** Who wrote its text, and when, as far as it says so. */
    get writing(): PageMetadata {
      return { ...byline.found, ...writingIn(linkedData, microdata.items) };
    },
    /** Target of a meta refresh within a few seconds. */
    get refresh(): string | undefined {
      return refresh;
    },
    scripts,
    buttons,
    forms,
    drawings,
    open(name: string, attributes: Attributes, depth: number): void {
      if (inertAt === 0) {
        scripts.open(name, attributes);
        buttons.open(name, attributes, depth);
        forms.open(name, attributes, depth);
        byline.open(name, attributes, depth);
        drawings.open(name, attributes, depth);
      }
      // What scripts fill in has links that lead nowhere, but that of a shadow tree is shown.
      if (name === 'template' && attributes.shadowrootmode === undefined) templateAt ||= depth;
      if (inert.has(name)) inertAt ||= depth;
      else if (foreign.has(name)) foreignAt ||= depth;
      const isOfPage = inertAt === 0 && foreignAt === 0;
      microdata.open(name, attributes, depth);
      // What reacts to clicks as a link does.
      const { onclick, 'data-href': clicked = onclick && targetOfClick(decodeHTMLAttribute(onclick)) } = attributes;
      if (templateAt === 0 && clicked) addLink(clicked);
      if (attributes.itemtype !== undefined) types.add(attributes.itemtype.replace(/^.*\//, ''));
      switch (name) {
        case 'a':
        case 'area':
          // SVG images have another name for it, too.
          return templateAt === 0
            ? addLink(attributes.href ?? (foreignAt > 0 ? attributes['xlink:href'] : undefined))
            : undefined;
        case 'iframe':
        case 'frame':
        case 'embed':
        case 'object':
        case 'div':
          return addFrame(attributes);
        case 'html':
          return metadata.html(attributes);
        case 'base':
          if (isOfPage && attributes.href !== undefined) urls.setBase(attributes.href);
          return;
        case 'meta':
          if (attributes['http-equiv']?.toLowerCase() === 'refresh' && inertAt === 0) {
            const target = refreshTarget(attributes.content);
            if (target !== undefined) refresh ??= urls.link(target);
          }
          if (attributes.property === 'og:type' && attributes.content) types.add(attributes.content.toLowerCase());
          return metadata.meta(attributes);
        case 'link':
          if (isOfPage && isPageLink(attributes) && declared.length < maxDeclared) declared.push(attributes.href ?? '');
          if (isOfPage && isFeedLink(attributes) && feeds.length < maxFeeds) feeds.push(attributes.href ?? '');
          return metadata.link(attributes, urls.link);
        case 'title':
          // SVG images have their own titles.
          if (isOfPage) titleAt = depth;
          return;
        case 'script':
          if (isInlineScript(name, attributes)) scriptAt = depth;
          else if (/ld\+json/i.test(attributes.type ?? '')) dataAt = depth;
      }
    },
    close(depth: number): void {
      buttons.close(depth);
      forms.close(depth);
      byline.close(depth);
      drawings.close(depth);
      microdata.close(depth);
      if (depth === inertAt) inertAt = 0;
      if (depth === templateAt) templateAt = 0;
      if (depth === foreignAt) foreignAt = 0;
      if (depth === scriptAt) {
        if (inertAt === 0) scripts.inline(script);
        scriptAt = 0;
        script = '';
      }
      if (depth === dataAt) {
        dataAt = 0;
        if (linkedData.length < maxLinkedData) linkedData.push(data);
        for (const [, type = ''] of data.matchAll(/"@type"\s*:\s*\[?\s*"([\w:/.]+)"/g))
          types.add(type.replace(/^.*\//, ''));
        data = '';
      }
      if (depth !== titleAt) return;
      titleAt = 0;
      metadata.title(title);
    },
    text(text: string): void {
      if (titleAt > 0) title += text;
      else if (scriptAt > 0) script += text;
      else if (dataAt > 0) data += text;
      else {
        buttons.text(text);
        forms.text(text);
        byline.text(text);
        drawings.text(text);
        microdata.text(text);
      }
    },
  };
}
