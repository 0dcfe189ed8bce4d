import * as z from 'zod';
import { limits } from '../../../../contract/limits.ts';
import { searchCategories, searchSources } from '../../../../contract/search.ts';
import type { Api } from '../api.ts';
import { working } from './progress.ts';
import { readsWeb, type Tool, tool } from './tool.ts';

/** The tool that searches the web. */
export function searchTool(api: Api): Tool {
  return tool({
    title: 'Search the web',
    description: 'Search the web and get titles, URLs and excerpts. Read a result with scrape.',
    schema: z.strictObject({
      query: z.string().min(1).max(limits.searchQuery.max),
      limit: z.int().min(1).max(50).optional().describe('default 10'),
      source: z.enum(searchSources).optional().describe('default web'),
      category: z.enum(searchCategories).optional().describe('Only results of this kind'),
      domains: z.array(z.string().min(1).max(253)).max(20).optional().describe('Only results of these hosts'),
      since: z.enum(['day', 'week', 'month', 'year']).optional().describe('How recent'),
    }),
    example: { query: 'playwright locator best practices' },
    hints: readsWeb,
    async run({ query, limit = 10, source = 'web', category, domains, since }, call) {
      const body = {
        query,
        limit,
        sources: [source],
        ...(category && { categories: [category] }),
        ...(domains && { includeDomains: domains }),
        ...(since && { tbs: `qdr:${since[0]}` }),
      };
      const { data, warning } = await working(call, 'Searching', api('searchWeb', { body }, call));
      const results = [
        ...(data.web ?? []).map(({ url, title, description }) => [title, url, description]),
        ...(data.news ?? []).map(({ url, title, date, snippet }) => [
          title,
          url,
          [date, snippet].filter(Boolean).join(': '),
        ]),
        ...(data.images ?? []).map(({ url, title, imageUrl }) => [title, url, imageUrl]),
      ];
      if (results.length === 0) {
        return {
          text: 'No results.',
          ...(warning && { content: { name: 'problems', text: warning } }),
          next: 'Next: search with other words.',
        };
      }
      const lines = results.map(([title, url, more]) =>
        [
          [title, url].filter(Boolean).join(' · '),
          ...(more ? [`  ${more.replaceAll(/\s+/g, ' ').slice(0, 300)}`] : []),
        ].join('\n'),
      );
      return {
        content: { name: 'results', text: [...lines, ...(warning ? [`(${warning})`] : [])].join('\n') },
        next: 'Next: scrape the URL of a result.',
      };
    },
  });
}
