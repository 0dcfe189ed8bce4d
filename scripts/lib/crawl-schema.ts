import { startCrawlBody } from '../../src/contract/crawl/crawl-jobs.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

const defaults: Readonly<Record<string, unknown>> = { sitemap: 'include', deduplicateSimilarURLs: true };

/** Creates the JSON Schema of crawl parameters, for completion and validation in the editor. */
export function createCrawlSchema(): string {
  const schema = toJsonSchema(startCrawlBody, 'input');
  const { origin: _, integration: __, ...properties } = schema.properties ?? {};
  for (const [name, value] of Object.entries(defaults)) {
    const property = properties[name];
    if (property) property.default = value;
  }
  const described: JsonSchema & { $schema: string; title: string } = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Crawl parameters',
    ...schema,
    properties,
  };
  return `${JSON.stringify(described, undefined, 2)}\n`;
}
