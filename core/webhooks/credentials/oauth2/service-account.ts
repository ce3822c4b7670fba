import type { CredentialType, JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { OAuth2Tokens } from '../credential-source.ts';
import { CredentialUnusable, signJwt } from '../jwt.ts';
import { requestTokens, resolveSettings, type TokenParts } from './token-request.ts';

/** Seconds. Longer than the server's own limit is refused. */
const LIFETIME = 3600;

/**
 * Requests a token with the key of a service account (RFC 7523).
 * @param scope default: the credential's own
 * @throws NodeError for a key that cannot sign, and with the server's reason
 */
export async function requestAccountTokens(
  type: CredentialType,
  data: JsonObject,
  scope: string | undefined,
  parts: TokenParts,
  signal: AbortSignal,
): Promise<OAuth2Tokens> {
  const settings = resolveSettings(type, data);
  const { email, privateKey, inpersonate, delegatedEmail, scopes } = data;
  const now = parts.clock.now();
  const payload = {
    iss: email,
    sub: inpersonate === true ? delegatedEmail : email,
    scope: scope ?? scopes ?? '',
    aud: settings.accessTokenUrl,
    exp: Math.floor(now / 1000) + LIFETIME,
  };
  const credential = { keyType: 'pemKey' as const, privateKey: String(privateKey ?? ''), algorithm: 'RS256' };
  const assertion = await signJwt(payload, credential, now).catch((cause: unknown) => {
    if (!(cause instanceof CredentialUnusable)) throw cause;
    throw new NodeError('The private key of the service account is not valid', {
      description: cause.message,
      cause,
    });
  });
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  return requestTokens(settings, grant, parts, signal);
}
