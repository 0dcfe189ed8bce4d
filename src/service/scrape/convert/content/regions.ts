import type { ContentWriter } from './content-writer.ts';

/** The range of a `main` or `article` element in the kept content. */
export interface Region {
  isMain: boolean;
  /** Whether it isn't inside another region. */
  outer: boolean;
  depth: number;
  start: number;
  end: number;
  /** Characters of text. */
  text: number;
  links: readonly [from: number, to: number];
  images: readonly [from: number, to: number];
}

/** Tracks the `main` and `article` elements of a page. */
export interface Regions {
  readonly inside: boolean;
  open(isMain: boolean, depth: number, keptText: number): void;
  close(depth: number, keptText: number): void;
  /** Returns the page's `main`, or its only article, if it contains most of the text. */
  main(keptText: number): Region | undefined;
}

/** Share of the text that an element must contain to count as the whole content. */
const minShare = { main: 0.4, article: 0.6 };

export function trackRegions(writer: ContentWriter): Regions {
  const closed: Region[] = [];
  const open: Region[] = [];
  return {
    get inside() {
      return open.length > 0;
    },
    open(isMain, depth, keptText) {
      const { length } = writer;
      open.push({
        isMain,
        outer: open.length === 0,
        depth,
        start: length,
        end: length,
        text: keptText,
        links: [writer.links.length, 0],
        images: [writer.images.length, 0],
      });
    },
    close(depth, keptText) {
      const region = open.at(-1);
      if (region?.depth !== depth) return;
      open.pop();
      closed.push({
        ...region,
        end: writer.length,
        text: keptText - region.text,
        links: [region.links[0], writer.links.length],
        images: [region.images[0], writer.images.length],
      });
    },
    main(keptText) {
      const [main] = closed.filter(({ isMain }) => isMain).sort((one, other) => other.text - one.text);
      if (main) return main.text >= keptText * minShare.main ? main : undefined;
      const articles = closed.filter(({ outer }) => outer);
      const [article] = articles;
      return article && articles.length === 1 && article.text >= keptText * minShare.article ? article : undefined;
    },
  };
}
