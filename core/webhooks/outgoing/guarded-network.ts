/** The network as workflows see it: nothing inside of this computer's network, and failures that say what to do. */
import type { ConnectionNotAllowed, Host, Network } from '#core/host';
import { isLoopback, isPrivateAddress, isPrivateName } from './private-address.ts';
import { RequestError } from './request-error.ts';

export interface AddressRules {
  /** Private addresses may be reached as well. */
  allowPrivate: boolean;
  /** Ports of this computer that may always be reached: this server's own. */
  ownPorts: number[];
}

const OPTION = 'TABD_ALLOW_PRIVATE_ADDRESSES';

/**
 * Refuses loopback and private addresses: in Node by the address that is connected to, however the name was resolved
 * and wherever a redirect led; in a browser, which does not tell, by the name in the address.
 */
export function guardNetwork(
  { network, capabilities }: Pick<Host, 'network' | 'capabilities'>,
  rules: AddressRules,
): Network {
  const allows = (host: string, port: number) =>
    rules.allowPrivate ||
    !(isPrivateAddress(host) || isPrivateName(host)) ||
    (isLoopback(host) && rules.ownPorts.includes(port));
  return guarded(network.withRules?.({ allows }) ?? network);

  function guarded(inner: Network): Network {
    const { withRules: under } = inner;
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
        if (!allows(url.hostname, portOf(url))) throw refusal(url.host);
        try {
          return await inner.fetch(target, init);
        } catch (error) {
          if (signal?.aborted) throw error;
          throw await explained(error, url);
        }
      },
      ...(under && { withRules: (more) => guarded(under({ allows, ...more })) }),
    };
  }

  async function explained(error: unknown, url: URL): Promise<Error> {
    const cause = (error as { cause?: { code?: string; message?: string; address?: string } }).cause ?? {};
    const refused = [error, cause].find(
      (one) => (one as { code?: string }).code === 'ERR_ADDRESS_NOT_ALLOWED',
    );
    if (refused) return refusal(`${url.host} (${(refused as ConnectionNotAllowed).address})`);
    if (capabilities.enforcesCors) return blockedInTab(url);
    return new RequestError(cause.message || (error as Error).message, {
      ...(cause.code !== undefined && { code: cause.code }),
      cause: error,
    });
  }

  /** A browser says the same of everything that went wrong: whether the server is there tells what it was. */
  async function blockedInTab(url: URL): Promise<Error> {
    const reached = await network
      .fetch(url.href, {
        method: 'HEAD',
        mode: 'no-cors',
        credentials: 'omit',
        cache: 'no-store',
      } as RequestInit)
      .then(
        () => true,
        () => false,
      );
    if (reached) {
      return new RequestError(
        `${url.host} answers, but the browser does not let this page read the answer (CORS)`,
        {
          code: 'ERR_CORS',
          description: `A server has to allow pages of other origins: it must send "Access-Control-Allow-Origin" (and allow the method and headers). Ways out: turn that on at ${url.host}; run this workflow on your computer with the tabd shim, where no such rule holds; or send the request through a server of your own that adds the header.`,
        },
      );
    }
    return new RequestError(`${url.host} could not be reached from this page`, {
      code: 'ERR_NETWORK',
      description:
        'It does not answer, or the browser does not allow the connection: a page loaded over https cannot call http addresses of other computers, and the content security policy of the page counts. On your computer the tabd shim has no such rules.',
    });
  }
}

function refusal(host: string): RequestError {
  return new RequestError(
    `Requests to ${host} are not allowed: it is an address of this computer or its network`,
    {
      code: 'ERR_ADDRESS_NOT_ALLOWED',
      description: `Set ${OPTION}=true to let workflows reach private addresses. This server's own ports are always allowed.`,
    },
  );
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
