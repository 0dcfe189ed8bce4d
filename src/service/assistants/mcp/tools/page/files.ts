import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { shorten } from '../../../../../contract/shorten.ts';
import { ServiceError } from '../../../../platform/errors.ts';

/** Returns the real paths of files that an agent wants to give to a page. Throws a ServiceError about one that it can't. */
export async function checkedFiles(paths: readonly string[], readsFiles: boolean): Promise<string[]> {
  if (!readsFiles) throw new ServiceError(403, 'This service gives no files of its machine to agents.');
  return await Promise.all(
    paths.map(async (path) => {
      if (!isAbsolute(path)) throw new ServiceError(400, '"paths" must be absolute, such as "/home/ada/report.pdf".');
      const real = await realpath(path).catch(() => undefined);
      const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
      if (real === undefined || !found?.isFile()) throw new ServiceError(404, `There is no file ${shorten(path)}.`);
      return real;
    }),
  );
}
