import { join } from 'node:path';
import { parseAsModules } from './parse-as-modules.ts';
import { hasDeclarations, ProjectTypes } from './project-types.ts';
import { bindSessionNames } from './session-names.ts';
import { withoutFormatErrors } from './snippet-diagnostics.ts';
import { SnippetFiles } from './snippet-files.ts';
import type { Diagnostic, LanguageService, PluginInfo, Program, Project, SourceFile, TypeScript } from './tsserver.ts';

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
