/** JSON Web Tokens by a stored credential: for the nodes Webhook, Respond to Webhook and JWT. */
import { compactVerify, errors, importPKCS8, importSPKI, importX509, SignJWT } from 'jose';
import { isObject } from '#core/base';
import { decodeBase64Text } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { usualPem } from './pem.ts';

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

export interface VerifyOptions {
  ignoreExpiration?: boolean;
  ignoreNotBefore?: boolean;
  /** Seconds that the clocks of signer and reader may differ. */
  clockTolerance?: number;
}

export interface ReadToken {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  signature: string;
}

/** The payload. Throws `TokenRefused` or `CredentialUnusable`. `now`: milliseconds since 1970. */
export async function verifyJwt(
  token: string,
  credential: JwtCredential,
  now: number,
  options: VerifyOptions = {},
): Promise<Record<string, unknown>> {
  const algorithm = algorithmOf(credential);
  // Said of unsigned tokens whatever they claim to be signed by.
  if (/^[^.]+\.[^.]+\.$/.test(token)) throw new TokenRefused('jwt signature is required');
  const key = await keyOf(credential, algorithm, 'publicKey');
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
  } catch (error) {
    // Not the token's fault: a key that is too short, say.
    if (!(error instanceof errors.JOSEError)) throw new CredentialUnusable((error as Error).message);
    throw new TokenRefused(reasonOf(error), { cause: error });
  }
  const { payload } = decodeJwt(token);
  requireTime(payload, now / 1000, options);
  return payload;
}

/** What a token says, unverified. Throws `TokenRefused`. */
export function decodeJwt(token: string): ReadToken {
  const [header, payload, signature, ...more] = token.split('.');
  const parts = [header, payload].map((part) => decoded(part ?? ''));
  if (signature === undefined || more.length > 0 || !parts.every(isObject)) {
    throw new TokenRefused('jwt malformed');
  }
  return { header: parts[0] as JsonObject, payload: parts[1] as JsonObject, signature };
}

/** With `iat` added where the payload has none. `keyId` names the key in the token's header. */
export async function signJwt(
  payload: Record<string, unknown>,
  credential: JwtCredential,
  now: number,
  keyId?: string,
): Promise<string> {
  const algorithm = algorithmOf(credential);
  const key = await keyOf(credential, algorithm, 'privateKey');
  return new SignJWT({ ...payload, ...(payload.iat === undefined && { iat: Math.floor(now / 1000) }) })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId && { kid: keyId }) })
    .sign(key);
}

function requireTime({ nbf, exp }: JsonObject, seconds: number, options: VerifyOptions): void {
  const { clockTolerance = 0, ignoreExpiration, ignoreNotBefore } = options;
  if (nbf !== undefined && !ignoreNotBefore) {
    if (typeof nbf !== 'number') throw new TokenRefused('invalid nbf value');
    if (nbf > seconds + clockTolerance) throw new TokenRefused('jwt not active');
  }
  if (exp !== undefined && !ignoreExpiration) {
    if (typeof exp !== 'number') throw new TokenRefused('invalid exp value');
    if (seconds >= exp + clockTolerance) throw new TokenRefused('jwt expired');
  }
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(decodeBase64Text(part) ?? '');
  } catch {
    return undefined;
  }
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
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'invalid signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'invalid algorithm';
  return 'jwt malformed';
}
