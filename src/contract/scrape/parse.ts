import { requestBody } from '../fields.ts';
import {
  checkRetention,
  checkTimes,
  type ScrapeOptions,
  scrapeOptionsShape,
  webUrl,
  zeroDataRetention,
} from './scrape.ts';

/** Options that need a page in a browser or on the web, and how to tell that a request uses them. */
const onlyForPages: [name: string, isUsed: (options: Partial<ScrapeOptions>) => boolean][] = [
  ['actions', ({ actions = [] }) => actions.length > 0],
  ['waitFor', ({ waitFor = 0 }) => waitFor > 0],
  ['mobile', ({ mobile = false }) => mobile],
  ['location', ({ location }) => location !== undefined],
  ['headers', ({ headers = {} }) => Object.keys(headers).length > 0],
  ['profile', ({ profile }) => profile !== undefined],
  ['minAge', ({ minAge }) => minAge !== undefined],
  ['lockdown', ({ lockdown = false }) => lockdown],
  ['the screenshot format', ({ formats = [] }) => formats.some(({ type }) => type === 'screenshot')],
  ['the changeTracking format', ({ formats = [] }) => formats.some(({ type }) => type === 'changeTracking')],
];

/**
 * Body of POST /v2/parse: as JSON with the `url` of a file, or as multipart/form-data with a `file` and this as JSON in
 * `options`, without `url`.
 */
export const parseBody = requestBody({
  url: webUrl.optional().describe('URL of the file to fetch and parse, unless a file is uploaded'),
  ...scrapeOptionsShape,
  zeroDataRetention,
}).superRefine((body, context) => {
  checkTimes(body, context);
  checkRetention(body.zeroDataRetention, body, context);
  if (body.url !== undefined) return;
  for (const [name, isUsed] of onlyForPages) {
    if (!isUsed(body)) continue;
    context.addIssue({ code: 'custom', path: [], message: `${name} can't be used with an uploaded file` });
  }
});

/** A file in a multipart request. */
export interface UploadedFile {
  /** Name without folders. */
  name: string;
  contentType: string | undefined;
  content: Uint8Array;
}
