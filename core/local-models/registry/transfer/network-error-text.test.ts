import { expect, test } from 'vitest';
import { networkErrorText } from './network-error-text.ts';

const url = 'https://models.test/v2/a';
const failure = (cause?: object) => Object.assign(new TypeError('fetch failed'), cause && { cause });

test.each<[string, object, string]>([
  ['a refusal', { code: 'ECONNREFUSED' }, 'dial tcp models.test:443: connect: connection refused'],
  [
    'a refusal with its address',
    { code: 'ECONNREFUSED', address: '10.0.0.7', port: 8443 },
    'dial tcp 10.0.0.7:8443: connect: connection refused',
  ],
  [
    'refusals of several addresses',
    { errors: [{ code: 'ECONNREFUSED', address: '10.0.0.7', port: 1 }, { code: 'ETIMEDOUT' }] },
    'dial tcp 10.0.0.7:1: connect: connection refused',
  ],
  ['an unknown name', { code: 'ENOTFOUND' }, 'dial tcp: lookup models.test: no such host'],
  [
    'an unknown name of a proxy',
    { code: 'ENOTFOUND', hostname: 'proxy.test' },
    'dial tcp: lookup proxy.test: no such host',
  ],
  [
    'a name server without an answer',
    { code: 'EAI_AGAIN' },
    'dial tcp: lookup models.test: no answer from the name server',
  ],
  ['no route', { code: 'ENETUNREACH' }, 'dial tcp models.test:443: connect: network is unreachable'],
  ['a timeout', { code: 'ETIMEDOUT' }, 'dial tcp models.test:443: i/o timeout'],
  ['a timeout of undici', { code: 'UND_ERR_CONNECT_TIMEOUT' }, 'dial tcp models.test:443: i/o timeout'],
  ['a reset', { code: 'ECONNRESET' }, 'read tcp models.test:443: connection reset by peer'],
  ['a closed socket', { code: 'UND_ERR_SOCKET' }, 'EOF'],
  [
    'a port that fetch refuses',
    { message: 'bad port' },
    'dial tcp models.test:443: connect: connection refused',
  ],
  [
    'another code',
    { code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' },
    'certificate has expired',
  ],
])('%s', (_, cause, text) => {
  expect(networkErrorText('Get', url, failure(cause))).toBe(`Get "${url}": ${text}`);
});

test.each([
  ['http://models.test/', 'models.test:80'],
  ['https://models.test:444/', 'models.test:444'],
  ['http://[::1]:5000/', '[::1]:5000'],
])('%s is dialed as %s', (address, place) => {
  expect(networkErrorText('Head', address, failure({ code: 'ETIMEDOUT' }))).toBe(
    `Head "${address}": dial tcp ${place}: i/o timeout`,
  );
});

test.each([
  ['the message of a browser', failure(), 'fetch failed'],
  ['a value that is no error', 'broken', 'broken'],
])('without a cause it prints %s', (_, error, text) => {
  expect(networkErrorText('Get', url, error)).toBe(`Get "${url}": ${text}`);
});
