import type { Dispatcher, RequestInit as ThroughInit } from 'undici';
import type { Network } from '../../../core/host/host.ts';

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
  if (!httpsProxy && !httpProxy) {
    return { fetch: (url, init) => fetch(url as string, init as RequestInit) as Promise<Response> };
  }
  const open = async (): Promise<Fetch> => {
    const { EnvHttpProxyAgent } = await import('undici');
    const noProxy = [value('NO_PROXY'), NEAR].filter((list) => list !== '').join(',');
    return fetchBy(new EnvHttpProxyAgent({ httpsProxy, httpProxy, noProxy }));
  };
  let opened: Promise<Fetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= open();
      return (await opened)(url, init);
    },
  };
}

/** Without limits of time: the answers of a model may be long in coming. */
export async function patientFetch(): Promise<Fetch> {
  const { Agent } = await import('undici');
  return fetchBy(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
}

/** Node's own fetch may be of another version than the agents here: the package's goes with them. */
async function fetchBy(dispatcher: Dispatcher): Promise<Fetch> {
  const { fetch: fetchThrough } = await import('undici');
  return async (target, init) => {
    const [url, request] = typeof target === 'string' ? [target, {}] : [target.url, partsOf(target)];
    const response = await fetchThrough(url, { ...request, ...init, dispatcher } as ThroughInit);
    return response as unknown as Response;
  };
}

function partsOf(request: Request): object {
  const { method, headers, body, signal, redirect } = request;
  return { method, headers: [...headers], body, signal, redirect, ...(body && { duplex: 'half' }) };
}
