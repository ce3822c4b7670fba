/** JSON Web Tokens by a stored credential: for the Webhook and the Respond to Webhook node. */
import { errors, importPKCS8, importSPKI, importX509, jwtVerify, SignJWT } from 'jose';
import { usualPem } from './jwt/pem.ts';

export interface JwtCredential {
  [key: string]: unknown;
  keyType?: 'passphrase' | 'pemKey';
  secret?: string;
  /** PEM. */
  privateKey?: string;
  publicKey?: string;
  /** `HS256` … `PS512`, `ES256` …; `none` is refused. */
  algorithm?: string;
}

const ALGORITHMS = /^(HS|RS|ES|PS)(256|384|512)$/;

/** A token that does not hold; the message is the documented one. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
}

/** The credential itself cannot be used. */
export class CredentialUnusable extends Error {
  override name = 'CredentialUnusable';
}

/** The payload. Throws `TokenRefused` or `CredentialUnusable`. `now`: milliseconds since 1970. */
export async function verifyJwt(
  token: string,
  credential: JwtCredential,
  now: number,
): Promise<Record<string, unknown>> {
  const algorithm = algorithmOf(credential);
  // Said of unsigned tokens whatever they claim to be signed by.
  if (/^[^.]+\.[^.]+\.$/.test(token)) throw new TokenRefused('jwt signature is required');
  const key = await keyOf(credential, algorithm, 'publicKey');
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    // Not the token's fault: a key that is too short, say.
    if (!(error instanceof errors.JOSEError)) throw new CredentialUnusable((error as Error).message);
    throw new TokenRefused(reasonOf(error), { cause: error });
  }
}

/** With `iat` added where the payload has none. */
export async function signJwt(
  payload: Record<string, unknown>,
  credential: JwtCredential,
  now: number,
): Promise<string> {
  const algorithm = algorithmOf(credential);
  const key = await keyOf(credential, algorithm, 'privateKey');
  return new SignJWT({ ...payload, ...(payload.iat === undefined && { iat: Math.floor(now / 1000) }) })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .sign(key);
}

function algorithmOf({ algorithm = 'HS256' }: JwtCredential): string {
  if (ALGORITHMS.test(algorithm)) return algorithm;
  throw new CredentialUnusable(`The algorithm "${algorithm}" of the JWT credential is not accepted`);
}

async function keyOf(credential: JwtCredential, algorithm: string, half: 'publicKey' | 'privateKey') {
  const symmetric = algorithm.startsWith('HS');
  if (symmetric !== (credential.keyType !== 'pemKey')) {
    throw new CredentialUnusable(
      symmetric
        ? `The algorithm ${algorithm} needs a secret, the JWT credential holds PEM keys`
        : `The algorithm ${algorithm} needs PEM keys, the JWT credential holds a secret`,
    );
  }
  if (symmetric) {
    if (!credential.secret) throw new CredentialUnusable('The JWT credential holds no secret');
    return new TextEncoder().encode(credential.secret);
  }
  const pem = credential[half];
  if (!pem) throw new CredentialUnusable(`The JWT credential holds no ${half}`);
  try {
    const text = usualPem(pem, algorithm);
    if (half === 'privateKey') return await importPKCS8(text, algorithm);
    return await (text.includes('BEGIN CERTIFICATE') ? importX509 : importSPKI)(text, algorithm);
  } catch (cause) {
    const form = half === 'publicKey' ? 'BEGIN PUBLIC KEY' : 'BEGIN PRIVATE KEY';
    throw new CredentialUnusable(
      `The ${half} of the JWT credential is not a PEM key (${form}) for ${algorithm}`,
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'jwt expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'nbf' ? 'jwt not active' : `jwt ${error.claim} invalid`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'invalid signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'invalid algorithm';
  return 'jwt malformed';
}
