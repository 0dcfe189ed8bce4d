import { pageScheme } from '../ui/ids.ts';
import { relativeLink } from './page-paths.ts';

interface Token {
  type: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** The parts of markdown-it that are used. */
export interface MarkdownIt {
  core: { ruler: { push(name: string, rule: (state: { tokens: Token[]; env: unknown }) => void): void } };
}

/** Makes links between pages of a job relative in VS Code's markdown preview, so that they open the crawled page. */
export function extendMarkdownIt<Engine extends MarkdownIt>(engine: Engine): Engine {
  engine.core.ruler.push('webdata-page-links', ({ tokens, env }) => {
    const path = pathOfDocument(env);
    if (path === undefined) return;
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'link_open') continue;
        const link = relativeLink(path, token.attrGet('href') ?? '');
        if (link !== undefined) token.attrSet('href', link);
      }
    }
  });
  return engine;
}

function pathOfDocument(env: unknown): string | undefined {
  const document =
    typeof env === 'object' && env !== null && 'currentDocument' in env ? env.currentDocument : undefined;
  if (typeof document !== 'object' || document === null) return undefined;
  const { scheme, path } = document as { scheme?: unknown; path?: unknown };
  return scheme === pageScheme && typeof path === 'string' ? path : undefined;
}
