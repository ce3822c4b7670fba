/** Requests of tokens of OAuth 2.0 (RFC 6749). */
import { isObject } from '#core/base';
import type { Clock, Network } from '#core/host';
import { type CredentialType, getPath, type JsonObject, type OAuth2Settings } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { basicAuthorization } from '../../outgoing/basic-authorization.ts';
import { send } from '../../outgoing/send.ts';
import type { OAuth2Tokens } from '../credential-source.ts';
import { fillFields } from '../fill-fields.ts';

/** The settings of one credential: its own values, else those of its type. */
export interface ResolvedSettings extends Required<Omit<OAuth2Settings, 'tokenPath'>> {
  clientId: string;
  clientSecret: string;
  tokenPath: string;
}

export interface TokenParts {
  network: Network;
  clock: Pick<Clock, 'now' | 'after'>;
}

/** Milliseconds. */
const TIMEOUT = 30_000;

export function resolveSettings({ oauth2 = {} }: CredentialType, data: JsonObject): ResolvedSettings {
  const text = (name: string, fallback = '') =>
    fillFields(String(data[name] || oauth2[name as keyof OAuth2Settings] || fallback), data);
  return {
    grantType: text('grantType', 'authorizationCode') as ResolvedSettings['grantType'],
    authUrl: text('authUrl'),
    accessTokenUrl: text('accessTokenUrl'),
    scope: text('scope'),
    authQueryParameters: text('authQueryParameters'),
    authentication: text('authentication', 'header') as ResolvedSettings['authentication'],
    clientId: text('clientId'),
    clientSecret: text('clientSecret'),
    tokenPath: oauth2.tokenPath ?? 'access_token',
  };
}

/**
 * Requests tokens.
 * @param grant the parameters of the grant, without the client
 * @throws NodeError with the server's reason, RequestError when it does not answer
 */
export async function requestTokens(
  settings: ResolvedSettings,
  grant: Record<string, string>,
  { network, clock }: TokenParts,
  signal: AbortSignal,
): Promise<OAuth2Tokens> {
  const { accessTokenUrl, authentication, clientId, clientSecret, tokenPath } = settings;
  if (!URL.canParse(accessTokenUrl)) throw new NodeError('The Access Token URL of the credential is not set');
  const inHeader = authentication === 'header' && clientSecret !== '';
  const form = new URLSearchParams(grant);
  if (!inHeader && clientId !== '') {
    form.set('client_id', clientId);
    if (clientSecret !== '') form.set('client_secret', clientSecret);
  }
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(inHeader && { authorization: basicAuthorization(clientId, clientSecret) }),
  });
  const sent = await send(
    {
      method: 'POST',
      url: accessTokenUrl,
      headers,
      body: form.toString(),
      followRedirects: false,
      maxRedirects: 0,
      timeout: TIMEOUT,
      secretHeaders: [],
    },
    { network, clock },
    signal,
  );
  const text = await sent.read((response) => response.text());
  const answer = readAnswer(text);
  const token = getPath(answer, tokenPath) ?? answer.access_token;
  if (!sent.response.ok || typeof token !== 'string' || token === '') {
    throw new NodeError('The server refused to issue an access token', {
      name: 'NodeApiError',
      httpCode: String(sent.response.status),
      description: reasonOf(answer) ?? (text.slice(0, 300) || `Status ${sent.response.status}`),
    });
  }
  const seconds = Number(answer.expires_in);
  return {
    ...answer,
    access_token: token,
    ...(seconds > 0 && { expires_at: clock.now() + seconds * 1000 }),
  };
}

/** JSON, or a form as older servers send it. */
function readAnswer(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

function reasonOf({ error, error_description: description }: JsonObject): string | undefined {
  const parts = [error, description].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(': ') : undefined;
}
