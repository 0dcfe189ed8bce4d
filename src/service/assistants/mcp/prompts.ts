import { shorten } from '../../../contract/shorten.ts';

interface Prompt {
  title: string;
  description: string;
  arguments: ReturnType<typeof required>[];
  /** Writes the prompt. */
  text(values: Record<string, string>): string;
}

const required = (name: string, description: string) => ({ name, description, required: true });

/** Prompts for common work. What people fill in is passed on as it is. */
const prompts: Readonly<Record<string, Prompt>> = {
  extract_table: {
    title: 'Extract a table from pages',
    description: 'Collect the same fields from a page, and from the pages that follow it',
    arguments: [required('url', 'The first page'), required('fields', 'The fields, such as: name, price')],
    text: ({ url, fields }) =>
      `Collect these fields from ${url} and the pages that follow it: ${fields}. Look at the first page with page_navigate, then write one run_code in node that collects the rows of all pages as an array of objects. Check the first and last rows against the page. Give me the number of rows, the first five as a table, and the code.`,
  },
  research_site: {
    title: 'Answer a question from a site',
    description: 'Crawl a site, search its pages and answer with sources',
    arguments: [required('url', 'The site'), required('question', 'The question')],
    text: ({ url, question }) =>
      `Answer from ${url}: ${question}\nFind likely pages with map and its "search". Scrape one or two pages, or crawl_start with a limit of 100 and crawl_pages with "search" if the answer is spread out. Quote the sentences that the answer rests on, each with its URL. If the site doesn't say, tell me so.`,
  },
  test_page: {
    title: 'Test a page',
    description: 'Try what a person would do on a page, and report what goes wrong',
    arguments: [required('url', 'The page'), required('goal', 'What a person wants to do there')],
    text: ({ url, goal }) =>
      `Test ${url} as a person who wants to: ${goal}. Use page_navigate, page_snapshot, page_click and page_type. Try empty and wrong input too. Report each problem with the steps to see it, what you expected and what happened, with a page_screenshot where it shows.`,
  },
  write_script: {
    title: 'Write a Playwright script',
    description: 'Do a task once in a session, then write it as a script that runs again',
    arguments: [required('url', 'Where the task starts'), required('task', 'The task')],
    text: ({ url, task }) =>
      `Write a Playwright script for: ${task}, starting at ${url}. Do it once with the page tools to learn how the page works. Then write it in JavaScript with getByRole and getByLabel locators, run it with run_code in a new session (session_create), and fix it until it works twice in a row. Give me the script.`,
  },
};

/** Returns the prompts as the protocol lists them. */
export function listPrompts() {
  return Object.entries(prompts).map(([name, { text: _, ...prompt }]) => ({ name, ...prompt }));
}

/** Fills a prompt in. Throws an Error that names what is missing. */
export function fillPrompt(name: string, values: Record<string, string> = {}) {
  const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined;
  if (!prompt)
    throw new Error(`There is no prompt "${shorten(name, 60)}". The prompts are: ${Object.keys(prompts).join(', ')}.`);
  const missing = prompt.arguments.filter((argument) => !values[argument.name]).map((argument) => argument.name);
  if (missing.length > 0) throw new Error(`The prompt ${name} needs ${missing.join(' and ')}.`);
  return { description: prompt.description, text: prompt.text(values) };
}
