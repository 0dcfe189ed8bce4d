import assert from 'node:assert/strict';
import { connectionProblem } from '../../../src/service/platform/network/connection-problems.ts';

describe('connection problems', () => {
  for (const [code, expected] of [
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /^tls: The certificate of a\.test is self-signed\./],
    ['CERT_HAS_EXPIRED', /^tls: The certificate of a\.test has expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /^tls: .* is for a different host name/],
    ['net::ERR_CERT_COMMON_NAME_INVALID', /^tls: .* is for a different host name/],
    ['net::ERR_CERT_AUTHORITY_INVALID', /^tls: .* isn't trusted/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /^tls: .* isn't trusted/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /^tls: a\.test doesn't offer HTTPS on port 8443\.$/],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', /doesn't offer HTTPS on port 8443\.$/],
    ['net::ERR_SSL_PROTOCOL_ERROR', /doesn't offer HTTPS on port 8443\.$/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /TLS versions or ciphers/],
    ['net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH', /TLS versions or ciphers/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /client certificate/],
    ['EPROTO', /^tls: Couldn't establish a secure connection to a\.test\.$/],
    ['ECONNREFUSED', /^unreachable: a\.test refused the connection on port 8443\.$/],
    ['net::ERR_CONNECTION_REFUSED', /^unreachable: /],
    ['ECONNRESET', /^connection: /],
    ['UND_ERR_CONNECT_TIMEOUT', /^timeout: /],
  ] as const) {
    it(`explain ${code}`, () => {
      const problem = connectionProblem(code, 'https://a.test:8443/x');
      assert.match(`${problem?.reason}: ${problem?.message}`, expected);
    });
  }

  it('name the port, and leave unknown errors unchanged', () => {
    assert.match(connectionProblem('ECONNREFUSED', 'http://a.test/')?.message ?? '', /port 80\.$/);
    assert.match(connectionProblem('EPROTO', 'https://a.test/')?.message ?? '', /a\.test/);
    assert.equal(connectionProblem('HPE_INVALID_CONSTANT', 'https://a.test/'), undefined);
    assert.equal(connectionProblem('Z_DATA_ERROR', 'https://a.test/'), undefined);
  });
});
