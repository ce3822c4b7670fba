import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { digestAuthorization } from './digest-authorization.ts';

const REQUEST = { method: 'GET', url: 'http://www.example.org/dir/index.html?a=1' };
const LOGIN = { user: 'Mufasa', password: 'Circle of Life' };

/** The fields of the header, or undefined. */
async function answer(challenge: string | null, login = LOGIN) {
  const header = await digestAuthorization(challenge, REQUEST, login);
  const fields = header?.match(/^Digest (.*)$/)?.[1]?.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))/g);
  return fields && Object.fromEntries([...fields].map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}

it.each([
  ['realm="r", nonce="n", qop="auth"', 'md5'],
  ['realm="r", nonce="n", qop="auth-int, auth", algorithm=MD5', 'md5'],
  ['realm="r", nonce="n", qop=auth, algorithm="SHA-256"', 'sha256'],
  ['realm="r", nonce="n", algorithm=MD5-sess, qop="auth"', 'md5'],
  ['realm="r", nonce="n", algorithm=SHA-256-sess', 'sha256'],
  ['realm="r", nonce="n"', 'md5'],
  ['nonce=n', 'md5'],
])('answers `%s` by %s', async (challenge, algorithm) => {
  const hash = (text: string) => createHash(algorithm).update(text).digest('hex');
  const { response, cnonce, qop, nc, uri, realm } = (await answer(`Digest ${challenge}`))!;
  let first = hash(`Mufasa:${challenge.includes('realm') ? 'r' : ''}:Circle of Life`);
  if (challenge.includes('-sess')) first = hash(`${first}:n:${cnonce}`);
  const middle = challenge.includes('qop') ? `n:00000001:${cnonce}:auth` : 'n';
  expect(response).toBe(hash(`${first}:${middle}:${hash('GET:/dir/index.html?a=1')}`));
  expect([uri, qop, nc]).toEqual([
    '/dir/index.html?a=1',
    ...(challenge.includes('qop') ? ['auth', '00000001'] : [undefined, undefined]),
  ]);
  expect(realm).toBe(challenge.includes('realm') ? 'r' : '');
});

it('returns the opaque text, and takes names in any case', async () => {
  const fields = await answer('DIGEST Realm="a, b", NONCE="n", Opaque="o=\\"1\\""');
  expect(fields).toMatchObject({ realm: 'a, b', nonce: 'n', opaque: 'o=\\"1\\"' });
});

it('escapes quotes of the user name', async () => {
  expect(await answer('Digest nonce="n"', { user: 'a"b\\', password: '' })).toMatchObject({
    username: 'a\\"b\\\\',
  });
});

it('chooses another client nonce each time', async () => {
  const [a, b] = await Promise.all([1, 2].map(() => answer('Digest nonce="n", qop=auth')));
  expect(a!.cnonce).not.toBe(b!.cnonce);
});

it.each([
  null,
  '',
  'Basic realm="r"',
  'Digest',
  'Digest realm="r"',
  'Digest nonce="n", algorithm=SHA-512-256',
  'Digest nonce="n", qop="auth-int"',
  'Digest nonce="n", qop=""',
])('does not answer %j', async (challenge) => expect(await answer(challenge)).toBeUndefined());
