import { isObject, KeyedMutex } from '#core/base';
import type { CredentialType, JsonObject } from '#core/workflow-format';
import type { AccessTokenOptions } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import {
  type CredentialReference,
  type CredentialSource,
  type OAuth2Tokens,
  TOKEN_FIELD,
} from '../credential-source.ts';
import { credentialType } from '../credential-types.ts';
import { requestAccountTokens } from './service-account.ts';
import { requestTokens, resolveSettings, type TokenParts } from './token-request.ts';

/** A token that expires within this time (in milliseconds) is renewed before its use. */
const MARGIN = 20_000;

/** The access tokens of credentials, which are renewed when they expire. */
export class AccessTokens {
  /** Several nodes may need a new token at once: many servers accept a refresh token only once. */
  readonly #mutex = new KeyedMutex();
  /** Tokens of service accounts, which no login issued: new ones can be had at any time. */
  readonly #accountTokens = new Map<string, OAuth2Tokens>();

  constructor(private readonly parts: TokenParts & { credentials: CredentialSource }) {}

  /**
   * @throws NodeError if the credential does not exist, is not connected, or cannot be renewed
   */
  async get(
    typeName: string,
    reference: CredentialReference,
    { refused, scope, signal }: AccessTokenOptions & { signal: AbortSignal },
  ): Promise<string> {
    const isUsable = (tokens: OAuth2Tokens | undefined): tokens is OAuth2Tokens =>
      tokens !== undefined &&
      tokens.access_token !== refused &&
      !(tokens.expires_at !== undefined && tokens.expires_at - MARGIN <= this.parts.clock.now());
    const key = `${typeName} ${reference.id ?? reference.name}`;
    const account = `${key} ${scope ?? ''}`;
    const stored = (data: JsonObject) => this.#accountTokens.get(account) ?? readTokens(data);
    const current = stored(await this.#data(typeName, reference));
    if (isUsable(current)) return current.access_token;
    const release = await this.#mutex.acquire(key, signal);
    try {
      const data = await this.#data(typeName, reference);
      const tokens = stored(data);
      if (isUsable(tokens)) return tokens.access_token;
      const type = credentialType(typeName);
      if (!type?.oauth2) throw new NodeError(`The type "${typeName}" has no access tokens`);
      if (type.oauth2.grantType === 'serviceAccount') {
        const issued = await requestAccountTokens(type, data, scope, this.parts, signal);
        this.#accountTokens.set(account, issued);
        return issued.access_token;
      }
      const renewed = await this.#renew({ type, reference, data, tokens }, signal);
      await this.parts.credentials.saveTokens?.(typeName, reference, renewed);
      return renewed.access_token;
    } finally {
      release();
    }
  }

  async #data(typeName: string, reference: CredentialReference): Promise<JsonObject> {
    const data = await this.parts.credentials.data(typeName, reference);
    if (data) return data;
    throw new NodeError(`Credential "${reference.name}" of type "${typeName}" does not exist`, {
      description: 'It was deleted, or the workflow was imported from elsewhere: choose another one.',
    });
  }

  async #renew(
    { type, reference, data, tokens }: RenewedCredential,
    signal: AbortSignal,
  ): Promise<OAuth2Tokens> {
    const settings = resolveSettings(type, data);
    if (settings.grantType === 'clientCredentials') {
      const { scope } = settings;
      const grant = { grant_type: 'client_credentials', ...(scope !== '' && { scope }) };
      return requestTokens(settings, grant, this.parts, signal);
    }
    if (!tokens) {
      throw new NodeError('Unable to sign without access token', {
        description: `The credential "${reference.name}" is not connected yet: open Credentials and choose Connect.`,
      });
    }
    const { refresh_token: refreshToken } = tokens;
    if (refreshToken === undefined) {
      throw new NodeError(`The access token of the credential "${reference.name}" has expired`, {
        description: 'The service sent no refresh token. Open Credentials and choose Connect again.',
      });
    }
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    try {
      return { ...tokens, ...(await requestTokens(settings, grant, this.parts, signal)) };
    } catch (cause) {
      // Without an answer, such as in a network that fails, the refresh token is still good.
      if (!(cause instanceof NodeError) || cause.httpCode === undefined) throw cause;
      throw new NodeError(`The access token of the credential "${reference.name}" could not be renewed`, {
        name: 'NodeApiError',
        description: `${cause.description}. Open Credentials and choose Connect again.`,
        cause,
      });
    }
  }
}

interface RenewedCredential {
  type: CredentialType;
  reference: CredentialReference;
  data: JsonObject;
  tokens: OAuth2Tokens | undefined;
}

function readTokens(data: JsonObject): OAuth2Tokens | undefined {
  const tokens = data[TOKEN_FIELD];
  if (!isObject(tokens) || typeof tokens.access_token !== 'string') return undefined;
  return tokens as OAuth2Tokens;
}
