/** The cause that Node reports for a request without a response. Browsers report only a message. */
interface Cause {
  code?: string;
  message?: string;
  address?: string;
  port?: number;
  hostname?: string;
  cause?: Cause;
  errors?: Cause[];
}

/** The text of Ollama for a request without a response: `Get "URL": dial tcp …: connection refused`. */
export function networkErrorText(method: string, url: string, error: unknown): string {
  return `${method} ${JSON.stringify(url)}: ${reason(url, error as Cause)}`;
}

function reason(url: string, error: Cause): string {
  const cause = error.cause?.errors?.[0] ?? error.cause ?? error;
  const { hostname, port, protocol } = new URL(url);
  const place = `${cause.address ?? hostname}:${cause.port ?? (port || (protocol === 'http:' ? 80 : 443))}`;
  switch (cause.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${place}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${cause.hostname ?? hostname}: no such host`;
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${cause.hostname ?? hostname}: no answer from the name server`;
    case 'ENETUNREACH':
      return `dial tcp ${place}: connect: network is unreachable`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${place}: i/o timeout`;
    case 'ECONNRESET':
      return `read tcp ${place}: connection reset by peer`;
    case 'UND_ERR_SOCKET':
      return 'EOF';
  }
  // Fetch refuses some ports. To the client that is the same as a port where no server listens.
  if (cause.message === 'bad port') return `dial tcp ${place}: connect: connection refused`;
  return cause.message ?? String(error);
}
