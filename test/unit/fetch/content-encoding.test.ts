import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as zlib from 'node:zlib';
import {
  BodyTooLarge,
  codingsOf,
  decodeBody,
  UndecodableBody,
} from '../../../src/service/platform/network/content-encoding.ts';

const megabyte = 1024 * 1024;
const cap = 10 * megabyte;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('content encodings', () => {
  it('are read from the header, regardless of case and spaces', () => {
    assert.deepEqual(codingsOf(' GZIP ,x-gzip, identity,, br'), ['gzip', 'gzip', 'br']);
    assert.deepEqual(codingsOf(undefined), []);
  });

  it('are decoded up to three levels', async () => {
    const body = zlib.gzipSync(zlib.gzipSync(zlib.gzipSync('words')));
    assert.equal(
      String((await decodeBody(body, 'gzip, gzip, gzip', { maxBytes: cap, truncate: false })).body),
      'words',
    );
    await assert.rejects(
      decodeBody(body, 'gzip, gzip, gzip, gzip', { maxBytes: cap, truncate: false }),
      UndecodableBody,
    );
  });

  for (const [coding, encode] of Object.entries({
    gzip: (body: Buffer) => zlib.gzipSync(body, { level: 1 }),
    deflate: (body: Buffer) => zlib.deflateSync(body, { level: 1 }),
    br: (body: Buffer) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: (body: Buffer) => zlib.zstdCompressSync(body),
  })) {
    it(`in a ${coding} bomb use no more memory than a page may (CRW-06)`, async () => {
      const bomb = encode(Buffer.alloc(160 * megabyte));
      assert.ok(bomb.length < megabyte);
      const used = () => process.memoryUsage().arrayBuffers;
      // What is freed in between would hide what is used.
      for (let round = 0; round < 3; round++) {
        collectGarbage();
        await new Promise(setImmediate);
      }
      const before = used();
      let most = 0;
      let over = false;
      const watch = () => {
        most = Math.max(most, used() - before);
        if (!over) setImmediate(watch);
      };
      watch();
      await assert.rejects(decodeBody(bomb, coding, { maxBytes: cap, truncate: false }), BodyTooLarge).finally(() => {
        over = true;
      });
      assert.ok(most < 50 * megabyte, `${Math.round(most / megabyte)} MB`);
      const { body, truncated } = await decodeBody(bomb, coding, { maxBytes: 1000, truncate: true });
      assert.deepEqual([body.length, truncated], [1000, true]);
    });
  }
});
