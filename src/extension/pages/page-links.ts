import { pageScheme } from '../ui/ids.ts';
import { relativeLink, type SavedLinks } from './page-paths.ts';

interface Token {
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
interface Renderer {
  renderToken(tokens: Token[], index: number, options: unknown): string;
}
type Rule = (tokens: Token[], index: number, options: unknown, env: unknown, renderer: Renderer) => string;

/** The parts of markdown-it that are used. */
export interface MarkdownIt {
  renderer: { rules: Record<string, Rule | undefined> };
}

/**
 * Makes links between pages of a job relative in VS Code's markdown preview, so that they open the crawled page.
 * `linksOf` returns the links of a document that lead to such pages. Others stay as they are, and open in the browser.
 */
export function extendMarkdownIt<Engine extends MarkdownIt>(
  engine: Engine,
  linksOf: (documentPath: string) => SavedLinks,
): Engine {
  const { rules } = engine.renderer;
  const inner = rules.link_open;
  rules.link_open = (tokens, index, options, env, renderer) => {
    const path = pathOfDocument(env);
    const token = tokens[index];
    const link = path === undefined ? undefined : relativeLink(path, token?.attrGet('href') ?? '', linksOf(path));
    if (link !== undefined) {
      token?.attrSet('href', link);
      // The preview follows this one.
      token?.attrSet('data-href', link);
    }
    return inner ? inner(tokens, index, options, env, renderer) : renderer.renderToken(tokens, index, options);
  };
  return engine;
}

function pathOfDocument(env: unknown): string | undefined {
  const document =
    typeof env === 'object' && env !== null && 'currentDocument' in env ? env.currentDocument : undefined;
  if (typeof document !== 'object' || document === null) return undefined;
  const { scheme, path } = document as { scheme?: unknown; path?: unknown };
  return scheme === pageScheme && typeof path === 'string' ? path : undefined;
}
