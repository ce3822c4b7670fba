import type { Dispatcher, RequestInit as ThroughInit } from 'undici';
import type { Network, NetworkRules } from '#core/host';
import { connectorWithRules } from './connector-with-rules.ts';

type Fetch = Network['fetch'];

/** Hosts that are always reached without a proxy. */
const LOCAL_HOSTS = 'localhost,127.0.0.1,[::1]';

/**
 * The network of this computer. HTTPS_PROXY and HTTP_PROXY name proxies, in upper or lower case. Hosts of NO_PROXY
 * and this computer are reached directly.
 */
export function nodeNetwork(env: NodeJS.ProcessEnv): Network {
  const value = (name: string) => (env[name.toLowerCase()] || env[name])?.trim() ?? '';
  const httpsProxy = value('HTTPS_PROXY');
  const httpProxy = value('HTTP_PROXY');
  const proxies = {
    httpsProxy,
    httpProxy,
    noProxy: [value('NO_PROXY'), LOCAL_HOSTS].filter(Boolean).join(','),
  };
  return networkWithRules({}, httpsProxy || httpProxy ? proxies : undefined);
}

interface Proxies {
  httpsProxy: string;
  httpProxy: string;
  noProxy: string;
}

/** Networks by their rules. Each has its own pool of connections. */
type NetworkCache = Map<NetworkRules['allows'], Map<string, Network>>;

function networkWithRules(
  rules: NetworkRules,
  proxies: Proxies | undefined,
  cache: NetworkCache = new Map(),
): Network {
  const under = (more: NetworkRules): Network => {
    const next = { ...rules, ...more };
    const sameAddressRule = cache.get(next.allows) ?? new Map<string, Network>();
    cache.set(next.allows, sameAddressRule);
    const key = JSON.stringify([next.acceptsAnyCertificate === true, next.proxy ?? '']);
    const network = sameAddressRule.get(key) ?? networkWithRules(next, proxies, cache);
    sameAddressRule.set(key, network);
    return network;
  };
  if (Object.keys(rules).length === 0 && !proxies) {
    const direct: Fetch = (url, init) => fetch(url as string, init as RequestInit) as Promise<Response>;
    return { fetch: direct, readsRedirects: true, withRules: under };
  }
  let opened: Promise<Fetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= openDispatcher(rules, proxies).then(fetchThroughDispatcher);
      return (await opened)(url, init);
    },
    readsRedirects: true,
    withRules: under,
  };
}

async function openDispatcher(rules: NetworkRules, proxies: Proxies | undefined): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent, ProxyAgent } = await import('undici');
  const rejectUnauthorized = rules.acceptsAnyCertificate !== true;
  const connect = await connectorWithRules(rules.allows, { rejectUnauthorized });
  // A proxy resolves names and connects, so address rules cannot be applied here.
  if (rules.proxy !== undefined) {
    return new ProxyAgent({ uri: rules.proxy, requestTls: { rejectUnauthorized } });
  }
  if (proxies) return new EnvHttpProxyAgent({ ...proxies, connect, requestTls: { rejectUnauthorized } });
  return new Agent({ connect });
}

/** A fetch without timeouts, because a model's answer may take long. */
export async function fetchWithoutTimeouts(): Promise<Fetch> {
  const { Agent } = await import('undici');
  return fetchThroughDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
}

/** Uses the package's fetch, because Node's own may be of another version than the package's agents. */
async function fetchThroughDispatcher(dispatcher: Dispatcher): Promise<Fetch> {
  const { fetch: fetchThrough, FormData: FormDataThrough } = await import('undici');
  return async (target, init) => {
    const [url, request] = typeof target === 'string' ? [target, {}] : [target.url, requestParts(target)];
    const options = { ...request, ...init, dispatcher } as ThroughInit;
    // The package does not recognize Node's own FormData.
    if (init?.body instanceof FormData) {
      const form = new FormDataThrough();
      for (const [name, value] of init.body as unknown as FormData) {
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, value, value.name);
      }
      options.body = form;
    }
    const response = await fetchThrough(url, options);
    return response as unknown as Response;
  };
}

function requestParts(request: Request): object {
  const { method, headers, body, signal, redirect } = request;
  return { method, headers: [...headers], body, signal, redirect, ...(body && { duplex: 'half' }) };
}
