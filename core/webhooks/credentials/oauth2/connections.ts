/** Connects credentials to accounts: the authorization code grant with PKCE (RFC 6749, RFC 7636). */
import { ApiError } from '#core/http';
import type { CredentialInfo, CredentialStore } from '../credential-store.ts';
import { credentialType } from '../credential-types.ts';
import { type ResolvedSettings, requestTokens, resolveSettings, type TokenParts } from './token-request.ts';

/** Below the server's public address. */
export const CALLBACK_PATH = '/rest/oauth2-credential/callback';

/** Milliseconds in which a person must have logged in. */
const LIFETIME = 15 * 60_000;
const MAX_PENDING = 100;

interface PendingLogin {
  credentialId: string;
  verifier: string;
  redirectUri: string;
  startedAt: number;
}

export interface ConnectionParts extends TokenParts {
  credentials: CredentialStore;
  /** Where the service sends the browser back to. */
  redirectUri(): string;
}

/** The logins that have begun. They do not survive a restart: the person begins again. */
export class OAuth2Connections {
  readonly #pending = new Map<string, PendingLogin>();

  constructor(private readonly parts: ConnectionParts) {}

  get redirectUri(): string {
    return this.parts.redirectUri();
  }

  /**
   * Begins a login. A credential of the client's own is connected at once.
   * @returns the address to open in a browser; undefined if there is nothing to open
   * @throws ApiError 400, 404; NodeError when the server refuses the client
   */
  async begin(id: string, signal: AbortSignal): Promise<string | undefined> {
    const { info, settings } = await this.#read(id);
    if (settings.grantType === 'clientCredentials') {
      const { scope } = settings;
      const grant = { grant_type: 'client_credentials', ...(scope !== '' && { scope }) };
      await this.#save(info, await requestTokens(settings, grant, this.parts, signal));
      return undefined;
    }
    if (settings.clientId === '') throw new ApiError(400, 'The credential has no Client ID');
    if (!/^https?:\/\//i.test(settings.authUrl) || !URL.canParse(settings.authUrl))
      throw new ApiError(400, 'The Authorization URL is not an address');
    const state = randomText(32);
    const verifier = randomText(48);
    const { redirectUri } = this;
    const startedAt = this.parts.clock.now();
    for (const [old, login] of this.#pending) {
      if (this.#pending.size >= MAX_PENDING || startedAt - login.startedAt > LIFETIME) {
        this.#pending.delete(old);
      }
    }
    this.#pending.set(state, { credentialId: id, verifier, redirectUri, startedAt });
    return loginAddress(settings, { state, redirectUri, challenge: await challengeOf(verifier) });
  }

  /**
   * Ends a login with the query of the callback.
   * @returns the connected credential
   * @throws ApiError 400 for a state that no login here has, or when the person declined; NodeError of the server
   */
  async finish(query: URLSearchParams, signal: AbortSignal): Promise<CredentialInfo> {
    const state = query.get('state') ?? '';
    const login = this.#pending.get(state);
    // A state counts once, whatever happens next.
    this.#pending.delete(state);
    if (!login || this.parts.clock.now() - login.startedAt > LIFETIME) {
      throw new ApiError(400, 'The OAuth2 callback state is invalid!');
    }
    const error = query.get('error');
    if (error !== null) {
      const description = query.get('error_description');
      throw new ApiError(400, `The service answered: ${description ?? error}`);
    }
    const code = query.get('code');
    if (!code) throw new ApiError(400, 'Insufficient parameters for OAuth2 callback.');
    const { info, settings } = await this.#read(login.credentialId);
    const grant = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: login.redirectUri,
      ...(settings.grantType === 'pkce' && { code_verifier: login.verifier }),
    };
    const tokens = await requestTokens(settings, grant, this.parts, signal);
    // Some services name here what the person chose, such as a company.
    const more = [...query].filter(([name]) => name !== 'state' && name !== 'code');
    const chosen = more.length > 0 && { callbackQueryString: Object.fromEntries(more) };
    await this.#save(info, { ...tokens, ...chosen });
    return info;
  }

  async #read(id: string): Promise<{ info: CredentialInfo; settings: ResolvedSettings }> {
    const info = await this.parts.credentials.byId(id);
    if (!info) throw new ApiError(404, `The credential with the ID "${id}" does not exist`);
    const type = credentialType(info.type);
    if (!type?.oauth2 || type.oauth2.grantType === 'serviceAccount') {
      throw new ApiError(400, `Credentials of the type "${info.type}" need no login`);
    }
    const data = await this.parts.credentials.data(info.type, { id, name: info.name });
    return { info, settings: resolveSettings(type, data ?? {}) };
  }

  async #save({ id, name, type }: CredentialInfo, tokens: Awaited<ReturnType<typeof requestTokens>>) {
    await this.parts.credentials.saveTokens(type, { id, name }, tokens);
  }
}

function loginAddress(
  { authUrl, clientId, scope, authQueryParameters, grantType }: ResolvedSettings,
  { state, redirectUri, challenge }: { state: string; redirectUri: string; challenge: string },
): string {
  const url = new URL(authUrl);
  for (const [name, value] of new URLSearchParams(authQueryParameters)) url.searchParams.set(name, value);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('state', state);
  if (scope !== '') url.searchParams.set('scope', scope);
  if (grantType === 'pkce') {
    url.searchParams.set('code_challenge', challenge);
    url.searchParams.set('code_challenge_method', 'S256');
  }
  return url.href;
}

function randomText(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}
