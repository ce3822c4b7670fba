/** JSON Web Tokens. */
import { createHmac } from 'node:crypto';
import { signJwt, TokenRefused, verifyJwt } from '#core/webhooks/credentials/jwt.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

const SECRET = 'a secret of thirty-two characters';
const NOW = 1_700_000_000_000;

export default fuzzTarget({
  invariant: 'an accepted token has the signature of its content',
  seeds: async () => [
    await signJwt({ sub: 'x', exp: 2_000_000_000 }, { secret: SECRET }, NOW),
    await signJwt({ nbf: 2_000_000_000 }, { secret: SECRET }, NOW, 'key'),
    'eyJhbGciOiJub25lIn0.e30.',
  ],
  words: ['eyJhbGciOiJub25lIn0', '.', '=', 'e30'],
  refusals: [TokenRefused],
  measured: ['jose'],
  async run(input) {
    const token = textOf(input);
    await verifyJwt(token, { secret: SECRET }, NOW);
    const [header, payload, signature] = token.split('.');
    const expected = createHmac('sha256', SECRET).update(`${header}.${payload}`).digest();
    check(Buffer.from(signature!, 'base64url').equals(expected), 'the signature is right', token);
  },
});
