import type { Host } from '#core/host';
import type { ModelName } from '../../base/installed-model.ts';
import { ConnectionError } from './http-file.ts';
import { networkErrorText } from './network-error-text.ts';

/** Requests to a registry of manifests and blobs, for one of its models. */
export class RemoteRegistry {
  /** `https://HOST/v2/NAMESPACE/MODEL` */
  readonly base: string;
  /** Headers of every request. Has an authorization as soon as the registry required one. */
  readonly headers: Record<string, string> = {};

  constructor(
    private readonly network: Host['network'],
    name: ModelName,
    insecure: boolean,
  ) {
    this.base = `${insecure ? 'http' : 'https'}://${name.host}/v2/${name.namespace}/${name.model}`;
  }

  /**
   * Sends a request, and sends it again with an anonymous token when the registry requires one. Returns a response of
   * any status.
   * @throws ConnectionError when there is no response; or the reason of `signal`
   */
  async request(method: string, url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const first = await this.#send(method, url, init, signal);
    if (first.status !== 401 || this.headers.authorization) return first;
    const token = await this.#token(first.headers.get('www-authenticate') ?? '', signal);
    if (!token) return first;
    await first.body?.cancel();
    this.headers.authorization = `Bearer ${token}`;
    return await this.#send(method, url, init, signal);
  }

  /** Sends a request without the token to another server, whose address the registry named. */
  async requestElsewhere(
    method: string,
    url: string,
    init: RequestInit,
    signal: AbortSignal,
  ): Promise<Response> {
    return await this.#send(method, url, init, signal, {});
  }

  async #send(
    method: string,
    url: string,
    init: RequestInit,
    signal: AbortSignal,
    ownHeaders: Record<string, string> = this.headers,
  ): Promise<Response> {
    try {
      return await this.network.fetch(url, {
        ...init,
        method,
        headers: { ...(init.headers as Record<string, string>), ...ownHeaders },
        signal,
        credentials: 'omit',
        cache: 'no-store',
      });
    } catch (error) {
      signal.throwIfAborted();
      const verb = method[0] + method.slice(1).toLowerCase();
      throw new ConnectionError(networkErrorText(verb, url, error), { cause: error });
    }
  }

  /**
   * Fetches an anonymous token. Undefined: the registry issues none without an account.
   * @param challenge `Bearer realm="…",service="…",scope="…"`
   */
  async #token(challenge: string, signal: AbortSignal): Promise<string | undefined> {
    if (!/^bearer /i.test(challenge)) return undefined;
    const fields = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!.toLowerCase(), value!]),
    );
    const realm = fields.get('realm');
    if (!realm || !URL.canParse(realm)) return undefined;
    const url = new URL(realm);
    for (const key of ['service', 'scope']) {
      const value = fields.get(key);
      if (value) url.searchParams.set(key, value);
    }
    const response = await this.requestElsewhere('GET', url.href, {}, signal);
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const body = (await response.json().catch(() => ({}))) as { token?: unknown; access_token?: unknown };
    const token = body?.token ?? body?.access_token;
    return typeof token === 'string' && token !== '' ? token : undefined;
  }
}
