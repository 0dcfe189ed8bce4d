import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { httpInstead } from '../../../../src/extension/ui/ask-url/http-instead.ts';
import { selfSigned } from '../../../harness/self-signed.ts';

describe('trying a site over http', () => {
  const servers: (Server | NetServer)[] = [];
  const listen = async (server: Server | NetServer) => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const http = (listener: RequestListener) => listen(createServer(listener));
  after(() => {
    for (const server of servers) server.close();
  });

  it("is offered if it responds there and doesn't speak TLS, whatever the response", async () => {
    const host = await http((_request, response) => response.writeHead(404).end());
    assert.equal(await httpInstead(`https://${host}/a?b`), `http://${host}/a?b`);
  });

  it("isn't offered if it redirects to https", async () => {
    const host = await http((_request, response) => response.writeHead(301, { location: 'https://a.test/' }).end());
    assert.equal(await httpInstead(`https://${host}/`), undefined);
  });

  it("isn't offered if it speaks TLS with an untrusted certificate", async () => {
    const host = await listen(createSecureServer(selfSigned, (_request, response) => response.end()));
    assert.equal(await httpInstead(`https://${host}/`), undefined);
  });

  it("isn't offered if nothing responds, or it is http already", async () => {
    assert.equal(await httpInstead('https://127.0.0.1:9/'), undefined);
    assert.equal(await httpInstead('http://127.0.0.1:9/'), undefined);
    assert.equal(await httpInstead('nonsense'), undefined);
  });
});
