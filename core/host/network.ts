/** The network outside of this installation. The core has no global `fetch`. */
export interface Network {
  /**
   * Works like the global `fetch`. Rejects with `ConnectionNotAllowed`, possibly as the `cause`, where rules forbid a
   * connection.
   */
  fetch(url: string | Request, init?: RequestInit): Promise<Response>;
  /** Whether `redirect: 'manual'` shows the `Location` of a redirect, which a browser hides. */
  readonly readsRedirects?: boolean;
  /**
   * The same network under further rules; rules that were set before stay where they are not replaced. Undefined: this
   * platform has no such rules. The function uses no `this`.
   */
  readonly withRules?: (rules: NetworkRules) => Network;
}

/** Restrictions of a request to other computers. */
export interface NetworkRules {
  /**
   * Whether a connection to an IP address (`10.0.0.1`, `::1`) may be made. Asked with the resolved address, at each
   * connection, redirects included.
   */
  allows?(address: string, port: number): boolean;
  /** Accepts TLS certificates that cannot be verified. */
  acceptsAnyCertificate?: boolean;
  /** `http://user:password@host:port`, in place of the environment's proxy. */
  proxy?: string;
}

/** `NetworkRules.allows` refused a connection. */
export class ConnectionNotAllowed extends Error {
  override name = 'ConnectionNotAllowed';
  /** Node's network errors have a `code`; the core uses it to find this error among the causes of another error. */
  readonly code = 'ERR_ADDRESS_NOT_ALLOWED';
  constructor(readonly address: string) {
    super(`connections to ${address} are not allowed`);
  }
}
