/** The network of workflows: it refuses addresses of this computer and its network, and explains failures. */
import type { ConnectionNotAllowed, Host, Network } from '#core/host';
import { isLoopbackHost, isPrivateAddress, isPrivateName } from './private-address.ts';
import { RequestError } from './request-error.ts';

export interface AddressRules {
  /** Whether private addresses are allowed. */
  allowPrivate: boolean;
  /** Whether this server itself answers at a port of this computer now. Such ports are always allowed. */
  isOwnPort(port: number): boolean;
}

/** Whether a connection to an address, or to a host by name, may be made. */
export function addressRule(rules: AddressRules): (host: string, port: number) => boolean {
  return (host, port) =>
    rules.allowPrivate ||
    !(isPrivateAddress(host) || isPrivateName(host)) ||
    (isLoopbackHost(host) && rules.isOwnPort(port));
}

/** The setting that allows private addresses. */
const SETTING = 'TABD_ALLOW_PRIVATE_ADDRESSES';

/**
 * Refuses loopback and private addresses. Node checks each address that it connects to, also after redirects and for
 * names that resolve to such an address. A browser does not show that address, so there the URL's host is checked.
 */
export function guardNetwork(
  { network, capabilities }: Pick<Host, 'network' | 'capabilities'>,
  rules: AddressRules,
): Network {
  const allows = addressRule(rules);

  const guard = (inner: Network): Network => {
    const { withRules } = inner;
    return {
      ...inner,
      async fetch(target, init) {
        const url = new URL(typeof target === 'string' ? target : target.url);
        const signal = init?.signal ?? (typeof target === 'string' ? undefined : target.signal);
        if (!/^https?:$/.test(url.protocol)) {
          throw new RequestError(`Requests to ${url.protocol}// addresses cannot be made`, {
            code: 'ERR_INVALID_URL',
          });
        }
        if (!allows(url.hostname, portOf(url))) throw addressNotAllowed(url.host);
        try {
          return await inner.fetch(target, init);
        } catch (error) {
          if (signal?.aborted) throw error;
          throw refusedByRules(error, url) ?? (await explain(error, url));
        }
      },
      ...(withRules && { withRules: (more) => guard(withRules({ allows, ...more })) }),
    };
  };

  const explain = async (error: unknown, url: URL): Promise<RequestError> => {
    if (capabilities.enforcesCors) return browserError(url, await isReachable(network, url));
    const cause = (error as { cause?: { code?: string; message?: string } }).cause ?? {};
    return new RequestError(cause.message || (error as Error).message, {
      ...(cause.code !== undefined && { code: cause.code }),
      cause: error,
    });
  };

  return guard(network.withRules?.({ allows }) ?? network);
}

/** The error of a connection that the host refused, such as to a name that resolves to a private address. */
function refusedByRules(error: unknown, url: URL): RequestError | undefined {
  const errors = [error, (error as { cause?: unknown }).cause] as ({ code?: string } | undefined)[];
  const refusal = errors.find((candidate) => candidate?.code === 'ERR_ADDRESS_NOT_ALLOWED');
  return refusal && addressNotAllowed(`${url.host} (${(refusal as ConnectionNotAllowed).address})`);
}

/** Whether the server answers at all. In this mode a browser asks for no permission, and hides the response. */
function isReachable(network: Network, url: URL): Promise<boolean> {
  const init = { method: 'HEAD', mode: 'no-cors', credentials: 'omit', cache: 'no-store' } as RequestInit;
  return network.fetch(url.href, init).then(
    () => true,
    () => false,
  );
}

/** A browser has one error for all failures. Whether the server is reachable shows which failure it was. */
function browserError({ host }: URL, isReachable: boolean): RequestError {
  if (isReachable) {
    return new RequestError(
      `${host} answers, but the browser does not let this page read the answer (CORS)`,
      {
        code: 'ERR_CORS',
        description: `A server has to allow pages of other origins: it must send "Access-Control-Allow-Origin" (and allow the method and headers). Ways out: turn that on at ${host}; run this workflow on your computer with the tabd shim, where no such rule holds; or send the request through a server of your own that adds the header.`,
      },
    );
  }
  return new RequestError(`${host} could not be reached from this page`, {
    code: 'ERR_NETWORK',
    description:
      'It does not answer, or the browser does not allow the connection: a page loaded over https cannot call http addresses of other computers, and the content security policy of the page counts. On your computer the tabd shim has no such rules.',
  });
}

/** The error of a forbidden connection. */
export function addressNotAllowed(host: string): RequestError {
  return new RequestError(
    `Requests to ${host} are not allowed: it is an address of this computer or its network`,
    {
      code: 'ERR_ADDRESS_NOT_ALLOWED',
      description: `Set ${SETTING}=true to let workflows reach private addresses. This server's own ports are always allowed.`,
    },
  );
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
