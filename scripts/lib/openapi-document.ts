import { join } from 'node:path';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { limits } from '../../src/contract/limits.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { ROOT } from './repository.mjs';

/** Path of the document. */
export const openApiPath = join(ROOT, 'docs', 'openapi.json');

const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** Errors of any endpoint. */
const commonErrors: Readonly<Record<number, string>> = {
  400: 'The request is not valid; the message says why',
  401: 'The API key is missing or wrong',
  403: 'The request comes from a page of another site, or names another host',
  408: 'The request did not arrive in time',
  413: `The body is larger than ${limits.body / 1024 / 1024} MiB`,
  414: 'The URL is too long',
  415: 'The body is not application/json, or multipart/form-data with a file where one is taken',
  429: `The team already uses ${limits.connections.team} connections`,
  431: 'The URL and headers are too large',
  500: 'An internal error; the service log has the details',
  503: "The service is stopping, or its database can't be used; the message says why",
  507: 'The disk of the service is full',
};

/** The OpenAPI 3.1 document of the contract, as text. */
export function createOpenApiDocument(): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, entry] of Object.entries<Endpoint>(endpoints)) {
    for (const [index, path] of [entry.path, ...(entry.aliases ?? [])].entries()) {
      const template = path.replace(/:(\w+)/g, '{$1}');
      const operationId = index === 0 ? name : `${name}Alias${index > 1 ? index : ''}`;
      paths[template] = { ...paths[template], [entry.method.toLowerCase()]: createOperation(operationId, entry) };
    }
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Web data service API',
      version: '2',
      description: 'Text lengths are in Unicode code points. Requests with unknown fields are rejected.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: { baseUrl: { default: 'http://127.0.0.1:3002', description: 'Address of the server, without /v2' } },
      },
    ],
    security: [{ bearer: [] }],
    tags: tags.map(([name, , description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The API key' } },
      schemas: { Error: toJsonSchema(errorBody, 'output') },
      responses: Object.fromEntries(
        Object.entries(commonErrors).map(([status, description]) => [status, errorResponse(description)]),
      ),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Tags: name, paths, description. An endpoint has the first tag that matches its path. */
const tags: [name: string, paths: RegExp, description: string][] = [
  ['Browser sessions', /^\/v2\/(browser|interact)/, 'Create and control browser sessions'],
  ['Interact', /\/interact$/, 'Interact with the page of a scrape'],
  ['Crawl', /^\/v2\/(crawl|batch|map)/, 'Crawls and their parameters'],
  ['Team', /^\/v2\/(team|concurrency)/, 'Activity and usage of the team'],
  ['Support', /^\/v2\/support/, 'Questions about the service'],
  ['Scrape', /^\/v2\//, 'The content of web pages'],
];

function createOperation(operationId: string, entry: Endpoint) {
  const parameters = [...createParameters('path', entry.params), ...createParameters('query', entry.query)];
  const common = [400, 401, 403, 408, 429, 431, 500, 503, 507] as const;
  const statuses = [...common, ...(entry.params ? [414] : []), ...(entry.method === 'GET' ? [] : [413, 415])];
  const errors = {
    ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    ...Object.fromEntries(
      Object.entries(entry.errors).map(([status, description]) => [status, errorResponse(description)]),
    ),
  };
  return {
    operationId,
    tags: [tags.find(([, paths]) => paths.test(entry.path))?.[0] ?? 'Scrape'],
    summary: entry.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(entry.body && {
      requestBody: { required: true, content: bodiesOf(entry, toJsonSchema(entry.body, 'input')) },
    }),
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: toJsonSchema(entry.response, 'output') } } },
      ...errors,
    },
  };
}

/** The content types of a body; a file comes with the body as JSON in `options`. */
function bodiesOf({ takesFile }: Endpoint, schema: JsonSchema) {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const form = { type: 'object', properties: { file, options: schema }, required: ['file'] };
  return {
    'application/json': { schema },
    ...(takesFile && { 'multipart/form-data': { schema: form, encoding: { options: { contentType: 'text/plain' } } } }),
  };
}

function createParameters(place: 'path' | 'query', schema: Endpoint['params']) {
  if (!schema) return [];
  // A query is text on the wire; its schema describes the parsed value.
  const { properties = {}, required = [] } = toJsonSchema(schema, place === 'query' ? 'output' : 'input');
  return Object.entries(properties).map(([name, { description, ...rest }]: [string, JsonSchema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}
