import assert from 'node:assert/strict';
import { UnexpectedResponseError } from '../../../src/client/errors.ts';
import { startFaultyServer } from '../../harness/faulty-server.ts';
import { connect, failureOf } from './setup.ts';

describe('client redirects (CLI-10)', () => {
  for (const status of [301, 302, 303, 307, 308, 304]) {
    it(`are never followed: ${status}, to any host, with any method`, async () => {
      const elsewhere = await startFaultyServer((_, exchange) => exchange.json({ id: 'stolen', sessions: [] }));
      const locations = [
        `http://user:secret@127.0.0.1:${elsewhere.port}/take?token=secret#secret`,
        `//user:secret@127.0.0.1:${elsewhere.port}/take`,
        '/v3/browser?secret',
        'javascript:alert(1)',
      ];
      const server = await startFaultyServer(({ method }, exchange) => {
        exchange.answer(status, '', {
          location: locations[exchange.index % locations.length] ?? '',
          'x-method': method,
        });
      });
      try {
        const client = connect(server.baseUrl);
        for (let index = 0; index < locations.length; index++) {
          const call =
            index % 2
              ? client.listBrowserSessions()
              : client.createBrowserSession({ body: { profile: { name: 'p' } } });
          const error = await failureOf(call, UnexpectedResponseError);
          assert.equal(error.status, status);
          assert.doesNotMatch(error.message, /secret|user/);
          if (index === 0)
            assert.match(error.message, new RegExp(`redirects to http://127.0.0.1:${elsewhere.port}/take`));
          assert.equal(error.outcomeUnknown, false);
        }
        assert.equal(server.arrivals.length, locations.length);
        assert.equal(elsewhere.arrivals.length, 0);
      } finally {
        await server.close();
        await elsewhere.close();
      }
    });
  }
});
