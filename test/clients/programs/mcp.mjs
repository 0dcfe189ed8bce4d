// Calls every tool of firecrawl-mcp over its standard input and prints what each returns, one line of JSON a call.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parsed, print, unknown } from './report.mjs';

const { folder, baseUrl, apiKey, site, dead, files } = JSON.parse(process.env.CLIENT_INPUT);
const server = spawn(process.execPath, [join(folder, 'node_modules/firecrawl-mcp/dist/index.js')], {
  env: { ...process.env, FIRECRAWL_API_URL: baseUrl, ...(apiKey && { FIRECRAWL_API_KEY: apiKey }) },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = new Map();
createInterface({ input: server.stdout }).on('line', (text) => {
  const message = JSON.parse(text);
  answers.get(message.id)?.(message);
});
let last = 0;
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
function request(method, params) {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve, reject) =>
    answers.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result))),
  );
}

/** Reports what a tool answered, and returns it. */
async function call(method, shows, args) {
  try {
    const { content, isError } = await request('tools/call', { name: method, arguments: args });
    const text = content.map((part) => part.text).join('\n');
    if (isError) throw new Error(text);
    const value = parsed(text);
    print({ method, shows, value });
    return value;
  } catch (error) {
    print({ method, shows, error: { message: error.message } });
    return undefined;
  }
}

const url = `${site}/prices`;
const schema = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] };
const json = { formats: ['json'], jsonOptions: { prompt: 'the price of a night', schema } };

async function crawls() {
  const job = await call('firecrawl_crawl', 'a whole site', { url: site, limit: 10 });
  await call('firecrawl_check_crawl_status', 'a whole site', { id: job?.id ?? unknown });
}

async function interactions() {
  const { metadata } = await call('firecrawl_scrape', 'a page as Markdown', {
    url: `${site}/form`,
    formats: ['markdown'],
  });
  const scrapeId = metadata.scrapeId;
  const code = "await page.fill('#name', 'Ada'); await page.click('button'); await page.title()";
  await call('firecrawl_interact', 'a result of JavaScript', { scrapeId, code, language: 'node' });
  await call('firecrawl_interact', 'a prompt carried out', { scrapeId, prompt: 'What is the title?' });
  await call('firecrawl_interact_stop', 'the end of a session', { scrapeId });
}

async function agents() {
  const job = await call('firecrawl_agent', 'a job', { prompt: 'the price of a night', urls: [url], schema });
  await call('firecrawl_agent_status', 'the state of a job', { id: job?.id ?? unknown });
}

await request('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'web-data-tests', version: '1' },
});
send({ method: 'notifications/initialized' });
const { tools } = await request('tools/list', {});
print({ methods: tools.map(({ name }) => name) });

await Promise.all([
  crawls(),
  interactions(),
  agents(),
  call('firecrawl_scrape', 'every kind of content', {
    url: site,
    formats: ['markdown', 'html', 'rawHtml', 'links'],
    onlyMainContent: false,
  }),
  call('firecrawl_scrape', 'JSON by a schema', { url, ...json }),
  call('firecrawl_scrape', 'a summary', { url, formats: ['summary'] }),
  call('firecrawl_scrape', 'an answer to a query', {
    url,
    formats: ['query'],
    queryOptions: { prompt: 'What does a night cost?', mode: 'freeform' },
  }),
  call('firecrawl_scrape', 'what changed', { url, formats: ['markdown', 'changeTracking'] }),
  call('firecrawl_scrape', 'no branding', { url, formats: ['branding'] }),
  call('firecrawl_scrape', 'no redaction', { url, formats: ['markdown'], redactPII: true }),
  call('firecrawl_interact', 'a page by its address', { url, code: 'await page.title()' }),
  call('firecrawl_map', 'the URLs of a site', { url: site }),
  call('firecrawl_crawl', 'a site that cannot be reached', { url: dead }),
  call('firecrawl_search', 'results of the web', { query: 'tide prices', limit: 3 }),
  call('firecrawl_search', 'results with their pages', {
    query: 'night euros',
    limit: 1,
    scrapeOptions: { formats: ['markdown'] },
  }),
  call('firecrawl_extract', 'a tool that was withdrawn', { urls: [url], prompt: 'the price of a night', schema }),
  call('firecrawl_parse', 'a PDF', { filePath: files['report.pdf'], formats: ['markdown'], parsers: ['pdf'] }),
  call('firecrawl_parse', 'a Word document', { filePath: files['notes.docx'], formats: ['markdown', 'html'] }),
  call('firecrawl_search_feedback', 'an unknown job', {
    searchId: unknown,
    rating: 'good',
    valuableSources: [{ url }],
  }),
  call('firecrawl_feedback', 'an unknown job', { endpoint: 'scrape', jobId: unknown, rating: 'good' }),
  call('firecrawl_monitor_create', 'a monitor', { page: url, goal: 'news', scheduleText: 'daily' }),
  call('firecrawl_monitor_list', 'monitors', {}),
  ...['get', 'delete', 'run', 'checks'].map((name) =>
    call(`firecrawl_monitor_${name}`, 'an unknown monitor', { id: unknown }),
  ),
  call('firecrawl_monitor_update', 'an unknown monitor', { id: unknown, body: { name: 'b' } }),
  call('firecrawl_monitor_check', 'an unknown monitor', { id: unknown, checkId: unknown }),
  call('firecrawl_research_search_papers', 'no index of its own', { query: 'tide' }),
  call('firecrawl_research_inspect_paper', 'no index of its own', { paperId: 'arxiv:1706.03762' }),
  call('firecrawl_research_related_papers', 'no index of its own', { seed_ids: ['arxiv:1706.03762'], intent: 'tide' }),
  call('firecrawl_research_read_paper', 'no index of its own', { paperId: 'arxiv:1706.03762', question: 'tide' }),
  call('firecrawl_research_search_github', 'a tool that was withdrawn', { query: 'tide' }),
  call('firecrawl_developer_search', 'no index of its own', { query: 'tide' }),
  call('firecrawl_find_tools', 'no tools of providers', { query: 'tide' }),
  call('firecrawl_credit_usage', 'credits', { view: 'current' }),
]);
server.kill();
process.exit(0);
