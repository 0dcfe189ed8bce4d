import type { OutputSizes } from '../../../contract/embedded.ts';
import type { CutPart } from '../../../contract/sessions/execution.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Isolate } from '../isolation/isolation.ts';
import type { RunPlace } from './place.ts';
import type { RunnerChild } from './runner-process.ts';

export type OutputStream = 'stdout' | 'stderr';

export interface RunRequest {
  code: string;
  /** Milliseconds after which the running code is killed. Infinity for no limit. */
  timeoutMs: number;
  /** Whether to return the whole result and output too, if they have to be cut. */
  keepWhole?: boolean;
  /** Where the code is from. Absent if it isn't from a file that the service can read. */
  place?: RunPlace;
  /** Target ID of the tab that becomes `page`. Absent if none was chosen. */
  tab?: string | undefined;
  /** Stops the run early, as its timeout would. If the reason is an Error, its message becomes the outcome's `error`. */
  signal?: AbortSignal;
  /** Called with output as it arrives, up to the same limit as in the outcome. */
  onOutput?: (stream: OutputStream, text: string) => void;
  /** Called with messages for the user during the run, such as the progress of an install. */
  onNotice?: (text: string) => void;
}

/** Texts of a run that its outcome has only the beginning of. */
export type WholeParts = Partial<Record<CutPart, string>>;

/** The outcome of a run: the fields of the contract's execution result, and more of it. */
export interface RunOutcome extends Record<CutPart, string> {
  /** Present and true when there is a last value, and its text is empty. */
  emptyValue?: true;
  /** 0 on success, 1 when the code threw, 137 when it was killed, else the exit code of the process. */
  exitCode: number;
  killed: boolean;
  error?: string;
  truncated?: true;
  /** Present when something was cut: the bytes of each part before that. */
  sizes?: OutputSizes;
  /** The parts that were cut, before that, if they were asked for. */
  whole?: WholeParts;
}

/** A warm process that runs snippets of one language in one session. The caller queues runs: one at a time is allowed. */
export interface Runner {
  /** Starts the process and connects it to the browser, unless that is done already. Rejects if either fails. */
  warm(): Promise<void>;
  /** Runs code. Rejects with RunnerUnavailableError if the language isn't available. All other failures are outcomes. */
  run(request: RunRequest): Promise<RunOutcome>;
  /** Replaces the process. The next run starts without variables. */
  reset(): Promise<void>;
  /** Kills the process and everything it started. */
  dispose(): Promise<void>;
}

export interface RunnerOptions {
  /** WebSocket URL of the session's browser for the service's own clients, once it is open. Its use doesn't count as activity. */
  cdpUrl: string | Promise<string>;
  /** Private, empty working directory of the session's snippets. */
  directory: string;
  /** Folder of the browser's downloads, regardless of client settings. Playwright looks for them there. */
  downloads?: string;
  /** Starts the processes in a sandbox. */
  isolate?: Isolate;
  /** Environment variable (name, value) that marks every process of the session, so that strays can be found. */
  marker: readonly [name: string, value: string];
  /** The first process, if it was started already. */
  started?: RunnerChild | undefined;
}

export type RunnerErrorCode = 'RUNNER_UNAVAILABLE' | 'NO_PYTHON' | 'NO_PYTHON_VENV' | 'NO_NPM';

/** The language can't be run: an interpreter or package is missing, is being installed, or doesn't start. */
export class RunnerUnavailableError extends ServiceError {
  /** @param code says what is missing, where installing it helps */
  constructor(message: string, cause?: unknown, code: RunnerErrorCode = 'RUNNER_UNAVAILABLE') {
    super(503, message, { code, cause });
    this.name = 'RunnerUnavailableError';
  }
}
