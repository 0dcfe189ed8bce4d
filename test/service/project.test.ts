import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePlace, type Place, placeHeader } from '../../src/contract/embedded.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('runs in a project', () => {
  let service: TestService;
  let folder: string;
  let id: string;
  before(async () => {
    process.env.WEBDATA_LLM_API_KEY = 'secret-of-the-service';
    service = await startTestService();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata project é ')));
    writeFileSync(join(folder, 'helper.ts'), 'export const tea: number = 3;');
    id = (await service.call('POST', '/v2/browser', {})).body.id;
  });
  after(async () => {
    delete process.env.WEBDATA_LLM_API_KEY;
    await service?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const place = (more: Partial<Place> = {}): Place => ({ file: join(folder, 'main.ts'), directory: folder, ...more });
  const send = (code: string, header: string, path = `/v2/browser/${id}/execute`) =>
    service.call(
      'POST',
      path,
      { code },
      {
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          'content-type': 'application/json',
          [placeHeader]: header,
        },
      },
    );
  async function result(code: string, from: Place): Promise<string> {
    const { status, body } = await send(code, encodePlace(from));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.error, undefined);
    return body.result;
  }

  it('import files from the folder in the header, and run in it', async () => {
    assert.equal(
      await result("import { tea } from './helper'; [tea, process.cwd()]", place()),
      JSON.stringify([3, folder]),
    );
  });

  it('are refused with 400 if the header is malformed', async () => {
    for (const header of ['{', '%', '%7B%7D', encodePlace(place({ file: 'main.ts' })), `${encodePlace(place())}1`]) {
      const { status, body } = await send('1', header);
      assert.equal(status, 400, header);
      assert.match(body.error, /^The header x-webdata-place is malformed: /);
    }
    assert.equal((await send('1', '{', '/v2/scrape/00000000-0000-4000-8000-000000000000/interact')).status, 400);
  });

  it("read the env file at each run, and don't see the keys of the service", async () => {
    const envFile = join(folder, '.env');
    const code =
      '[process.env.SHOP, process.env.WEBDATA_LLM_API_KEY, process.env.WEBDATA_HOST?.length > 0].map(String)';
    writeFileSync(envFile, '# the shop\nSHOP="tea & milk"\nWEBDATA_HOST=');
    assert.equal(await result(code, place({ envFile })), '["tea & milk","undefined","true"]');
    writeFileSync(envFile, 'SHOP=coffee');
    assert.equal(await result(code, place({ envFile })), '["coffee","undefined","true"]');
    writeFileSync(envFile, '');
    assert.equal(await result(code, place({ envFile })), '["undefined","undefined","true"]');
  });

  it("fail with advice if the env file can't be read", async () => {
    const missing = await send('1', encodePlace(place({ envFile: join(folder, '.missing') })));
    assert.equal(missing.status, 400);
    assert.equal(
      missing.body.error,
      `The env file ${join(folder, '.missing')} doesn't exist. Create the file or change the setting "webdata.run.envFile".`,
    );
    const directory = await send('1', encodePlace(place({ envFile: folder })));
    assert.match(
      directory.body.error,
      /^Can't read the env file .*\. It is a folder\. Check the file or change the setting /,
    );
    writeFileSync(join(folder, 'binary.env'), 'A=\0');
    const binary = await send('1', encodePlace(place({ envFile: join(folder, 'binary.env') })));
    assert.match(binary.body.error, /isn't a text file/);
  });

  it('use the folder of the file if the working directory no longer exists, and say so', async () => {
    const gone = join(folder, 'gone');
    mkdirSync(gone);
    assert.equal(await result('process.cwd()', place({ directory: gone })), gone);
    rmSync(gone, { recursive: true });
    assert.equal(await result('process.cwd()', place({ directory: gone })), folder);
    const own = await result('process.cwd()', { file: join(gone, 'main.ts'), directory: gone });
    assert.ok(own.includes(service.dataDir) || own.endsWith('work'), own);
    const { body } = await send("import './helper'", encodePlace({ file: join(gone, 'main.ts'), directory: gone }));
    assert.match(body.error, /^Error: Cannot find module '\.\/helper', imported from .*gone/);
  });
});
