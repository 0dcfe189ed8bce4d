import type * as z from 'zod';
import { ServiceError } from '../../../platform/errors.ts';

/** Encodes where a list continues. */
export function cursorOf(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Decodes a cursor. Throws 400 if it isn't one of this list. */
export function readCursor<Schema extends z.ZodType>(
  schema: Schema,
  cursor: string | undefined,
): z.output<Schema> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (error) {
    throw new ServiceError(400, "cursor: isn't a cursor of this list. Leave it out to start over.", { cause: error });
  }
}
