import type { Rows, Statement } from './connection.ts';
import type { FilePlace } from './file-place.ts';

/** What a storage thread is started with. */
export interface ThreadData {
  path: string;
  setUp: string;
  readOnly: boolean;
  /** Place of the file, if statements have to fail while it isn't there. */
  place: FilePlace | undefined;
}

export type Request = Statement | 'roll back' | 'close';

/** The answer to a request. The fields of SQLite's errors are sent separately, because errors lose them when they are sent. */
export type Reply =
  | (Rows & { changes: number | bigint })
  | {
      error: { message: string; code: string | undefined; errcode: number | undefined; errstr: string | undefined };
    };
