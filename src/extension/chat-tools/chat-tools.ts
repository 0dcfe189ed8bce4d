import * as vscode from 'vscode';
import type { ShownRun } from '../../webviews/run-results/messages.ts';
import type { Access, Connection } from '../connection/connection.ts';
import { chatTools } from '../ui/ids.ts';
import { takeOver } from '../ui/stand-ins/stand-ins.ts';
import type { Tool } from './tool-stand-ins.ts';

/** Code that a tool runs. */
export interface CodeToRun {
  text: string;
  language: 'node' | 'python' | 'bash';
  /** Seconds. */
  timeout: number;
  /** Its name in Run Results; its first line by default. */
  title?: string;
}

/** How code that a tool ran has ended. */
export interface RanCode
  extends Pick<
    ShownRun,
    'id' | 'sessionId' | 'state' | 'result' | 'stdout' | 'stderr' | 'error' | 'truncated' | 'notice'
  > {
  killed?: boolean;
  /** Why the code couldn't run, if that isn't its own error. */
  failure?: unknown;
}

/** What the tools need from the window. */
export interface ChatToolParts {
  connection: Pick<Connection, 'target' | 'knownKeys'> & { access(): Promise<Access> };
  /** Runs code in the session that the window uses, listed in Run Results. Rejects only when the signal aborts. */
  runCode(code: CodeToRun, signal: AbortSignal): Promise<RanCode>;
  /** Crawls. */
  crawls: {
    started(id: string, url: string, options: Readonly<Record<string, unknown>>): Promise<void>;
    cancelled(id: string): void;
  };
  /** Answers a question from the docs, with sources, as text. */
  answerFromDocs(question: string, signal: AbortSignal): Promise<string>;
}

/** Takes over the tools of VS Code's chat. Their code is loaded when one is first called. */
export function registerChatTools(parts: ChatToolParts): vscode.Disposable {
  let loading: Promise<ReturnType<typeof import('./tools/tools.ts').createTools>> | undefined;
  const tools = () => {
    loading ??= import('./tools/tools.ts').then(({ createTools }) => createTools(parts));
    return loading;
  };
  return vscode.Disposable.from(
    ...Object.values(chatTools).map((name) =>
      takeOver<Tool>(name, {
        prepareInvocation: async (...asked) => (await tools())[name].prepareInvocation(...asked),
        invoke: async (...asked) => (await tools())[name].invoke(...asked),
      }),
    ),
  );
}
