import { API_NAMES, apiOfRequest } from '#core/http';
import { ApiClientError } from '../api-client.ts';
import { appStrings } from '../strings/app.ts';
import type { ApiOrigins } from './computer-origins.ts';
import type { BackendConnection } from './connection.ts';

const KEY_HEADER = 'x-n8n-api-key';

/** The ports of a computer. Each path goes to the port of its API. */
export class ComputerConnection implements BackendConnection {
  #key: Promise<string> | undefined;

  constructor(
    /** The origins of the ports. They change when the tabd command restarts on other ports. */
    public origins: ApiOrigins,
    /** Receives for every request whether the computer answered. */
    private readonly onReachable: (isReachable: boolean) => void,
    private readonly send: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  /** When nobody answers, throws an `ApiFailure` that says what a person can do. */
  readonly fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const address = this.#address(init.method ?? 'GET', input);
    if (!input.startsWith('/api/v1/')) return this.#send(address, init);
    const response = await this.#send(address, await this.#withKey(init));
    // A restart of the tabd command invalidates the key.
    if (response.status !== 401) return response;
    this.#key = undefined;
    return this.#send(address, await this.#withKey(init));
  };

  connect(url: string): WebSocket {
    return new WebSocket(this.#address('GET', url).replace(/^http/, 'ws'));
  }

  #address(method: string, input: string): string {
    const { pathname } = new URL(input, 'http://any');
    const owner = apiOfRequest(method, pathname, API_NAMES, '', 'whole') ?? 'local-models';
    const origin = this.origins[owner];
    if (origin === undefined) throw new ApiClientError(appStrings.servers.closed(owner));
    return origin + input;
  }

  async #send(address: string, init: RequestInit): Promise<Response> {
    try {
      const response = await this.send(address, { ...init, credentials: 'omit' });
      this.onReachable(true);
      return response;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      this.onReachable(false);
      throw new ApiClientError(appStrings.servers.unreachable(new URL(address).host), { cause: error });
    }
  }

  /** Adds the API key that the computer gives its own page. Without one the request is sent unchanged. */
  async #withKey(init: RequestInit): Promise<RequestInit> {
    this.#key ??= this.send('/tabd/webhooks-key', { method: 'POST' })
      .then(async (response) => ((await response.json()) as { apiKey?: string }).apiKey ?? '')
      .catch(() => '');
    const key = await this.#key;
    if (key === '') {
      this.#key = undefined;
      return init;
    }
    const headers = new Headers(init.headers);
    headers.set(KEY_HEADER, key);
    return { ...init, headers };
  }
}
