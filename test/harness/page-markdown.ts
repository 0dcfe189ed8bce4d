import {
  type ConvertedPage,
  type ConvertOptions,
  convertPage,
} from '../../src/service/web/scrape/convert/convert-page.ts';

const usual: ConvertOptions = {
  url: 'https://site.test/page',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};

/** Converts a page with the defaults, unless options say otherwise. */
export function converted(html: string, options: Partial<ConvertOptions> = {}): ConvertedPage {
  return convertPage(html, { ...usual, ...options });
}

/** Returns the Markdown of a page's main content. */
export function markdown(html: string, options: Partial<ConvertOptions> = {}): string {
  return converted(html, options).markdown ?? '';
}
