import * as z from 'zod';
import { responseBody } from '../fields.ts';

/** Why pages that a crawl found are missing from its documents. */
export const leftOutReasons = [
  'limit',
  'depth',
  'include',
  'exclude',
  'robots',
  'login',
  'section',
  'host',
  'duplicate',
  'query',
  'notFound',
  'file',
  'trap',
  'failure',
  'unread',
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

/** How many pages are counted for a reason, and how many of them are named. */
export const leftOutLimits = { counted: 1000, examples: 3 } as const;

const meanings = [
  'limit: found, but the limit was reached; a count of 0 says that pages may lead to more which were not read because of it',
  'depth: beyond maxDepth or maxDiscoveryDepth',
  'include: no pattern of includePaths matches',
  'exclude: a pattern of excludePaths matches',
  'robots: robots.txt disallows it',
  'login: the site shows its login page instead, so a profile that is logged in gets it',
  'section: outside the path of the start URL',
  'host: on another website',
  'duplicate: the same page as another one',
  'query: only its query differs from that of another page, which ignoreQueryParameters ignores; parts of lists are read for their links instead',
  'notFound: the site shows, with status 200, what it shows for a URL that does not exist',
  'file: a file by its name, such as an archive or a film',
  'trap: one of an endless number of URLs that add nothing new',
  'failure: could not be read',
  'unread: not read for its links',
];

/** The pages that a crawl left out for one reason. */
export const leftOutPages = responseBody({
  reason: z.string().describe(`One of ${leftOutReasons.join(', ')}. ${meanings.join('; ')}`),
  count: z.int().describe(`Number of pages, counted up to ${leftOutLimits.counted}`),
  atLeast: z.boolean().nullish().describe('Whether there may be more than were counted'),
  examples: z.array(z.string()).describe(`URLs of at most ${leftOutLimits.examples} of them`),
});
export type LeftOutPages = z.output<typeof leftOutPages>;
