import type { Host } from '#core/host';
import type { ModelName } from '../../base/installed-model.ts';
import { ConnectionError } from './http-file.ts';
import { networkErrorText } from './network-error.ts';

/** A registry with manifests and blobs, seen from one model in it. */
export class RemoteRegistry {
  /** `https://HOST/v2/NAMESPACE/MODEL` */
  readonly base: string;
  /** Sent with every request: an authorization, once the registry has asked for one. */
  readonly headers: Record<string, string> = {};

  constructor(
    private readonly network: Host['network'],
    name: ModelName,
    insecure: boolean,
  ) {
    this.base = `${insecure ? 'http' : 'https'}://${name.host}/v2/${name.namespace}/${name.model}`;
  }

  /**
   * Any answer of the registry. One that asks for a token is asked again with the token that everybody gets. Throws
   * `ConnectionError` when there is no answer, or the signal's reason.
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

  /** A request to an address that the registry gave, which is not to see the token. */
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
    own: Record<string, string> = this.headers,
  ): Promise<Response> {
    try {
      return await this.network.fetch(url, {
        ...init,
        method,
        headers: { ...(init.headers as Record<string, string>), ...own },
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

  /** `Bearer realm="…",service="…",scope="…"`: where a token is had. undefined: none without an account. */
  async #token(challenge: string, signal: AbortSignal): Promise<string | undefined> {
    if (!/^bearer /i.test(challenge)) return undefined;
    const said = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!.toLowerCase(), value!]),
    );
    const realm = said.get('realm');
    if (!realm || !URL.canParse(realm)) return undefined;
    const url = new URL(realm);
    for (const key of ['service', 'scope']) {
      const value = said.get(key);
      if (value) url.searchParams.set(key, value);
    }
    const answer = await this.requestElsewhere('GET', url.href, {}, signal);
    if (!answer.ok) {
      await answer.body?.cancel();
      return undefined;
    }
    const body = (await answer.json().catch(() => ({}))) as { token?: unknown; access_token?: unknown };
    const token = body?.token ?? body?.access_token;
    return typeof token === 'string' && token !== '' ? token : undefined;
  }
}
