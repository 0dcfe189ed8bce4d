import type { Language } from '../../contract/execution.ts';
import { ServiceError } from '../errors.ts';

export type OutputStream = 'stdout' | 'stderr';

/** One run of a snippet. */
export interface RunRequest {
  code: string;
  /** Milliseconds from the moment the code starts until it is killed. */
  timeoutMs: number;
  /** Ends the run early, as a timeout does. A reason that is an Error of the caller's own gives the outcome's `error`. */
  signal?: AbortSignal;
  /** Output as it comes, cut at the same limit as the answer's. */
  onOutput?: (stream: OutputStream, text: string) => void;
  /** Something the person should know while it goes on, such as an install. */
  onNotice?: (text: string) => void;
}

/** What a run came to; the fields of the contract's execution result. */
export interface RunOutcome {
  stdout: string;
  stderr: string;
  /** Last value as text, else trimmed stdout. */
  result: string;
  /** 0 on success, 1 when the code threw, 137 when it was killed, else the exit code of the process. */
  exitCode: number;
  killed: boolean;
  /** Present when the run failed. */
  error?: string;
  /** Present and true when a stream or the result was cut. */
  truncated?: true;
}

/** A warm process that runs snippets of one language in one session, one at a time: its caller queues. */
export interface Runner {
  readonly language: Language;
  /** Starts the process and connects it to the browser, if that is not done. Rejects when either fails. */
  warm(): Promise<void>;
  /** Runs code. Rejects with RunnerUnavailableError when there is nothing to run it with; all else is an outcome. */
  run(request: RunRequest): Promise<RunOutcome>;
  /** Ends the process; the next run starts with nothing defined. */
  reset(): Promise<void>;
  /** Ends the process for good, with all that it started. */
  dispose(): Promise<void>;
}

/** What a runner is made with. */
export interface RunnerOptions {
  /** WebSocket URL of this session's browser, for the service's own clients: its use is not counted as activity. */
  cdpUrl: string;
  /** Private, empty working directory of the session's snippets. */
  directory: string;
  /** Folder that the browser's downloads go to, whatever a client asks for: Playwright is to look for them there. */
  downloads?: string;
  /** Environment variable (NAME, value) that marks every process of the session, so that strays can be found. */
  marker: readonly [name: string, value: string];
}

/** The language cannot be run here and now: an interpreter or a package is missing, being installed, or does not start. */
export class RunnerUnavailableError extends ServiceError {
  constructor(message: string, cause?: unknown) {
    super(503, message, { code: 'RUNNER_UNAVAILABLE', cause });
    this.name = 'RunnerUnavailableError';
  }
}
