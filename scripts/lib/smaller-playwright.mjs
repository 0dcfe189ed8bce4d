// @ts-check
// Leaves out of Playwright what runners of snippets never reach, so that they start faster: its command line, and its server and
// tools for agents with the packages of their protocol.

/** What the entry point of Playwright prepares besides what `require('playwright-core')` returns. */
const unreachedParts = ['program3', 'programWithTestStub', 'outofprocess', 'tools2'];

/** Packages that only the tools for agents use, and that take as long to evaluate as all others together. */
const unreachedPackages =
  /^node_modules\/(zod|zod-to-json-schema|@modelcontextprotocol|eventsource|eventsource-parser|pkce-challenge|@hono|hono)\//;

/** The files of playwright-core/lib that have its code. */
export const bundlesOfPlaywright = ['coreBundle.js', 'utilsBundle.js'];

/**
 * @param {string} name of one of these files
 * @param {string} text
 * @returns {string}
 */
export function withoutUnreached(name, text) {
  return name === 'coreBundle.js' ? withoutParts(text) : withoutPackages(text);
}

/** @param {string} text */
function withoutParts(text) {
  const start = text.lastIndexOf('var init_coreBundle = ');
  const entry = text.slice(start);
  const kept = unreachedParts.reduce((left, part) => {
    const call = `    init_${part}();\n`;
    if (start < 0 || !left.includes(call)) throw new Error(`coreBundle.js of Playwright has no ${call.trim()}.`);
    return left.replace(call, '');
  }, entry);
  return text.slice(0, start) + kept;
}

/** @param {string} text */
function withoutPackages(text) {
  // The build of Playwright names the file of each section. Those of CommonJS modules are evaluated only when they are required.
  const first = text.indexOf('module.exports = __toCommonJS(utilsBundle_exports);');
  const sections = text.slice(first).split(/^(?=\/\/ (?:node_modules|packages|utils)\/)/m);
  const kept = sections.filter((section) => !unreachedPackages.test(section.slice('// '.length)));
  if (first < 0 || kept.length === sections.length)
    throw new Error('utilsBundle.js of Playwright has no sections of packages.');
  return text.slice(0, first) + kept.join('');
}
