import { join } from 'node:path';
import { parseAsModules } from './parse-as-modules.ts';
import { hasDeclarations, ProjectTypes } from './project-types.ts';
import { SnippetFiles } from './snippet-files.ts';
import type {
  Diagnostic,
  LanguageService,
  PluginInfo,
  Program,
  Project,
  SourceFile,
  TypeScript,
  TypeScriptSymbol,
} from './tsserver.ts';

/** Methods that don't look at the program, or that end it. */
const untouched = new Set(['dispose', 'cleanupSemanticCache', 'clearSourceMapperCache', 'getCurrentProgram']);
const diagnosticMethods = new Set([
  'getSyntacticDiagnostics',
  'getSemanticDiagnostics',
  'getSuggestionDiagnostics',
  'getRegionSemanticDiagnostics',
]);

type Methods = Record<string, (...args: unknown[]) => unknown>;

/**
 * The factory of the TypeScript server plugin: `page`, `context` and `browser` in snippets, which are parsed as modules.
 * Its configuration is `{ snippets: string[] }`, the paths of the files that were run.
 */
export function createPlugin({ typescript: ts }: { typescript: TypeScript }) {
  const files = new SnippetFiles(ts);
  const projects = new Set<Project>();
  return {
    create({ config, project, languageService }: PluginInfo): LanguageService {
      files.configure(config);
      const folder = join(__dirname, 'declarations');
      if (!hasDeclarations(folder)) {
        project.projectService.logger.info(`Web Data: ${folder} is missing, so snippets have no types.`);
        return languageService;
      }
      parseAsModules(project.projectService.documentRegistry, files);
      projects.add(project);
      const types = new ProjectTypes(folder, project, files, ts);
      return withSnippets({ service: languageService, project, types, files, ts }, () => projects.delete(project));
    },
    onConfigurationChanged(config: unknown): void {
      if (!files.configure(config)) return;
      for (const project of projects) {
        project.markAsDirty();
        project.refreshDiagnostics();
      }
    },
  };
}

interface Parts {
  service: LanguageService;
  project: Project;
  types: ProjectTypes;
  files: SnippetFiles;
  ts: TypeScript;
}

/** Returns a service that brings the project's types up to date before it is asked, and filters diagnostics of snippets. */
function withSnippets(parts: Parts, onDispose: () => void): LanguageService {
  const { service, files } = parts;
  const original = service as LanguageService & Methods;
  const proxy: Methods & Partial<LanguageService> = Object.create(null);
  for (const name of Object.keys(original)) {
    const method = original[name];
    if (typeof method !== 'function') continue;
    proxy[name] = (...args) => {
      if (untouched.has(name)) return method.apply(service, args);
      const program = upToDate(parts);
      const result = method.apply(service, args);
      const file = diagnosticMethods.has(name) && program?.getSourceFile(String(args[0]));
      return file && files.isSnippet(file) ? filtered(result, file) : result;
    };
  }
  // The project calls this one while it makes a program, and can't start another one then.
  proxy.getProgram = () => withNames(service.getProgram(), parts);
  proxy.dispose = () => {
    onDispose();
    service.dispose();
  };
  return proxy as Methods & LanguageService;
}

function upToDate(parts: Parts): Program | undefined {
  const { service, project, types } = parts;
  let program = service.getProgram();
  // A change may bring in types of the project that replace ours.
  for (let round = 0; round < 3 && program && types.update(program); round++) {
    project.markAsDirty();
    project.updateGraph();
    program = service.getProgram();
  }
  return withNames(program, parts);
}

const named = new WeakSet<Program>();

function withNames(program: Program | undefined, { types, files, ts, project }: Parts): Program | undefined {
  if (!program || named.has(program)) return program;
  named.add(program);
  try {
    bindSessionNames(program, types.session, files, ts);
  } catch (error) {
    project.projectService.logger.info(`Web Data: no types for snippets: ${error}`);
  }
  return program;
}

function filtered(result: unknown, file: SourceFile): unknown {
  if (Array.isArray(result)) return withoutFormatErrors(result as Diagnostic[], file);
  const region = result as { diagnostics?: Diagnostic[] } | undefined;
  if (!region?.diagnostics) return result;
  return { ...region, diagnostics: withoutFormatErrors(region.diagnostics, file) };
}

const added = new WeakSet<TypeScriptSymbol>();

/**
 * Declares `page`, `context` and `browser` in each snippet of a program that doesn't declare them itself. Other files of the
 * project don't see them. The top-level names of a snippet count as used: later runs can use them.
 */
function bindSessionNames(program: Program, declarations: string, files: SnippetFiles, ts: TypeScript): void {
  const session = program.getSourceFile(declarations)?.symbol?.exports?.get('session')?.exports;
  if (!session) return;
  for (const file of program.getSourceFiles()) if (files.isSnippet(file)) bind(file, session, ts);
}

function bind({ locals }: SourceFile, session: Map<string, TypeScriptSymbol>, ts: TypeScript): void {
  if (!locals) return;
  for (const symbol of locals.values()) if (!(symbol.flags & ts.SymbolFlags.Alias)) symbol.isReferenced = -1;
  for (const [name, symbol] of session) {
    const known = locals.get(name);
    if (known && !added.has(known)) continue;
    symbol.isReferenced = -1;
    added.add(symbol);
    locals.set(name, symbol);
  }
}

/** Errors about the project's module format and target, which don't apply to how a snippet runs. */
const formatErrors = new Set([
  1286, 1287, 1295, 1309, 1343, 1375, 1378, 1431, 1432, 1470, 1479, 2852, 2853, 2854, 5097,
]);
/** "Cannot find name …", with and without advice to install types. */
const unknownNames = new Set([2304, 2580, 2584, 2591]);
/** What a snippet has besides the global names of Node.js. */
const provided = new Set(['require', '__dirname', '__filename', 'document', 'window']);
const nodeSpecifier = /^(['"])(?:node:)?[a-z_/]+\1$/;

/** Removes the errors that are wrong for a snippet: its session has Node.js, its modules, and the page's DOM in callbacks. */
function withoutFormatErrors<Found extends Diagnostic>(diagnostics: readonly Found[], file: SourceFile): Found[] {
  return diagnostics.filter((found) => {
    // What is reported about a name that the session declares is not about this file.
    if (found.file && found.file.fileName !== file.fileName) return false;
    if (formatErrors.has(found.code)) return false;
    const { code, start = 0, length = 0 } = found;
    return !unknownNames.has(code) || !isProvided(file.text.slice(start, start + length), code);
  });
}

function isProvided(name: string, code: number): boolean {
  if (nodeSpecifier.test(name)) return code !== 2304;
  return provided.has(name) || name in globalThis;
}
