/** JSON Web Tokens with the key of a credential, for the nodes Webhook, Respond to Webhook and JWT. */
import { compactVerify, errors, importPKCS8, importSPKI, importX509, SignJWT } from 'jose';
import { isObject } from '#core/base';
import { decodeBase64Text } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { normalizePem } from './pem.ts';

export interface JwtCredential {
  [key: string]: unknown;
  keyType?: 'passphrase' | 'pemKey';
  secret?: string;
  /** A key in PEM. */
  privateKey?: string;
  publicKey?: string;
  /** `HS256` … `PS512`, `ES256` …; `none` is refused. */
  algorithm?: string;
}

const ALGORITHMS = /^(HS|RS|ES|PS)(256|384|512)$/;

/** The token is not valid. The message is that of n8n. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
}

/** The key or the algorithm of the credential is not valid. */
export class CredentialUnusable extends Error {
  override name = 'CredentialUnusable';
}

interface VerifyOptions {
  ignoreExpiration?: boolean;
  ignoreNotBefore?: boolean;
  /** Seconds by which the clocks of signer and reader may differ. */
  clockTolerance?: number;
}

interface DecodedToken {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  signature: string;
}

/**
 * Verifies a token and returns its payload.
 * @param now milliseconds since 1970
 * @throws TokenRefused, CredentialUnusable
 */
export async function verifyJwt(
  token: string,
  credential: JwtCredential,
  now: number,
  options: VerifyOptions = {},
): Promise<Record<string, unknown>> {
  const algorithm = algorithmOf(credential);
  // n8n's message for unsigned tokens, whatever algorithm they name.
  if (/^[^.]+\.[^.]+\.$/.test(token)) throw new TokenRefused('jwt signature is required');
  const key = await keyOf(credential, algorithm, 'publicKey');
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
  } catch (error) {
    // The key is at fault, not the token: it is too short, for example.
    if (!(error instanceof errors.JOSEError)) throw new CredentialUnusable((error as Error).message);
    throw new TokenRefused(refusalMessage(error), { cause: error });
  }
  const { payload } = decodeJwt(token);
  requireValidTime(payload, now / 1000, options);
  return payload;
}

/**
 * Decodes a token without verifying it.
 * @throws TokenRefused
 */
export function decodeJwt(token: string): DecodedToken {
  const [header, payload, signature, ...more] = token.split('.');
  const parts = [header, payload].map((part) => decodePart(part ?? ''));
  if (signature === undefined || more.length > 0 || !parts.every(isObject)) {
    throw new TokenRefused('jwt malformed');
  }
  return { header: parts[0] as JsonObject, payload: parts[1] as JsonObject, signature };
}

/**
 * Signs a payload. A missing `iat` is added.
 * @param now milliseconds since 1970
 * @param keyId the name of the key in the token's header
 * @throws CredentialUnusable
 */
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

function requireValidTime({ nbf, exp }: JsonObject, seconds: number, options: VerifyOptions): void {
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

function decodePart(part: string): unknown {
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

async function keyOf(
  credential: JwtCredential,
  algorithm: string,
  keyName: 'publicKey' | 'privateKey',
): Promise<Uint8Array | CryptoKey> {
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
  const pem = credential[keyName];
  if (!pem) throw new CredentialUnusable(`The JWT credential holds no ${keyName}`);
  try {
    const text = normalizePem(pem, algorithm);
    if (keyName === 'privateKey') return await importPKCS8(text, algorithm);
    return await (text.includes('BEGIN CERTIFICATE') ? importX509 : importSPKI)(text, algorithm);
  } catch (cause) {
    const form = keyName === 'publicKey' ? 'BEGIN PUBLIC KEY' : 'BEGIN PRIVATE KEY';
    throw new CredentialUnusable(
      `The ${keyName} of the JWT credential is not a PEM key (${form}) for ${algorithm}`,
      { cause },
    );
  }
}

function refusalMessage(error: unknown): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'invalid signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'invalid algorithm';
  return 'jwt malformed';
}
