import type { Dispatcher, RequestInit as ThroughInit } from 'undici';
import type { Network, NetworkRules } from '#core/host';
import { ruledConnector } from './ruled-connector.ts';

type Fetch = Network['fetch'];

/** Reached directly, whatever the proxy. */
const NEAR = 'localhost,127.0.0.1,[::1]';

/**
 * The network of this computer, through the proxy that HTTPS_PROXY and HTTP_PROXY name (in either case), except to the
 * hosts of NO_PROXY and to this computer.
 */
export function nodeNetwork(env: NodeJS.ProcessEnv): Network {
  const value = (name: string) => (env[name.toLowerCase()] || env[name])?.trim() ?? '';
  const httpsProxy = value('HTTPS_PROXY');
  const httpProxy = value('HTTP_PROXY');
  const proxies = { httpsProxy, httpProxy, noProxy: [value('NO_PROXY'), NEAR].filter(Boolean).join(',') };
  return networkBy({}, httpsProxy || httpProxy ? proxies : undefined);
}

interface Proxies {
  httpsProxy: string;
  httpProxy: string;
  noProxy: string;
}

/** Networks by their rules: each keeps connections of its own, which are used again. */
type Known = Map<NetworkRules['allows'], Map<string, Network>>;

function networkBy(rules: NetworkRules, proxies: Proxies | undefined, known: Known = new Map()): Network {
  const under = (more: NetworkRules): Network => {
    const next = { ...rules, ...more };
    const alike = known.get(next.allows) ?? new Map<string, Network>();
    known.set(next.allows, alike);
    const key = JSON.stringify([next.anyCertificate === true, next.proxy ?? '']);
    const network = alike.get(key) ?? networkBy(next, proxies, known);
    alike.set(key, network);
    return network;
  };
  if (Object.keys(rules).length === 0 && !proxies) {
    const direct: Fetch = (url, init) => fetch(url as string, init as RequestInit) as Promise<Response>;
    return { fetch: direct, readsRedirects: true, withRules: under };
  }
  let opened: Promise<Fetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= dispatcherBy(rules, proxies).then(fetchBy);
      return (await opened)(url, init);
    },
    readsRedirects: true,
    withRules: under,
  };
}

async function dispatcherBy(rules: NetworkRules, proxies: Proxies | undefined): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent, ProxyAgent } = await import('undici');
  const rejectUnauthorized = rules.anyCertificate !== true;
  const connect = await ruledConnector(rules.allows, { rejectUnauthorized });
  // A proxy connects by itself: names that it resolves are its own business.
  if (rules.proxy !== undefined) {
    return new ProxyAgent({ uri: rules.proxy, requestTls: { rejectUnauthorized } });
  }
  if (proxies) return new EnvHttpProxyAgent({ ...proxies, connect, requestTls: { rejectUnauthorized } });
  return new Agent({ connect });
}

/** Without limits of time: the answers of a model may be long in coming. */
export async function patientFetch(): Promise<Fetch> {
  const { Agent } = await import('undici');
  return fetchBy(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
}

/** Node's own fetch may be of another version than the agents here: the package's goes with them. */
async function fetchBy(dispatcher: Dispatcher): Promise<Fetch> {
  const { fetch: fetchThrough, FormData: FormDataThrough } = await import('undici');
  return async (target, init) => {
    const [url, request] = typeof target === 'string' ? [target, {}] : [target.url, partsOf(target)];
    const options = { ...request, ...init, dispatcher } as ThroughInit;
    // A form of Node's own is not one to the package.
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

function partsOf(request: Request): object {
  const { method, headers, body, signal, redirect } = request;
  return { method, headers: [...headers], body, signal, redirect, ...(body && { duplex: 'half' }) };
}
