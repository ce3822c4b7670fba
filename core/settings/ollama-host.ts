/** OLLAMA_HOST, `[scheme://]host[:port][/path]`: where the server listens, and where its clients connect. */
import { DEFAULT_PORTS } from '#core/http';

/** The address that Ollama's server and client use without `OLLAMA_HOST`. */
export const OLLAMA_DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = DEFAULT_PORTS['local-models'];

export interface OllamaHost {
  scheme: 'http' | 'https';
  /** The host without brackets. Empty (from `:1234`): all addresses for a server, this computer for a client. */
  host: string;
  port: number;
  /** Whether the text names a port, by its number or by a scheme. */
  hasPort: boolean;
  /** The path. It begins with `/`, or is empty. */
  path: string;
  /** A message to users: which part is invalid, and what is used instead. */
  warning?: string;
}

/**
 * Parses OLLAMA_HOST as Ollama does: an invalid part is replaced by its default, with a warning.
 * @param text without spaces or quotes around it
 */
export function parseOllamaHost(text: string): OllamaHost {
  const [, writtenScheme, rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text)!;
  const scheme = writtenScheme?.toLowerCase() === 'https' ? 'https' : 'http';
  const defaultPort = writtenScheme === undefined ? DEFAULT_PORT : scheme === 'https' ? 443 : 80;
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash).replace(/\/+$/, '');
  const { host, port } = splitAuthority(authority);
  const number = port !== undefined && /^\+?\d+$/.test(port) ? Number(port) : Number.NaN;
  const isValidPort = number <= 65535;
  const isUnknownScheme = writtenScheme !== undefined && !/^https?$/i.test(writtenScheme);
  const warning = isUnknownScheme
    ? `OLLAMA_HOST: '${writtenScheme}://' is neither http:// nor https://, http is used`
    : port !== undefined && !isValidPort
      ? `OLLAMA_HOST: '${port}' is no port number, ${defaultPort} is used`
      : undefined;
  return {
    scheme,
    host,
    port: isValidPort ? number : defaultPort,
    hasPort: isValidPort || writtenScheme !== undefined,
    path,
    ...(warning && { warning }),
  };
}

/** Splits `[::1]:80`, `::1`, `name:80`, `:80`, `name`, or an empty text. */
function splitAuthority(authority: string): { host: string; port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(authority);
  if (bracketed) return { host: bracketed[1] || OLLAMA_DEFAULT_HOST, port: bracketed[2] };
  const colons = authority.split(':').length - 1;
  if (colons > 1) return { host: authority };
  if (colons === 1) {
    const [host = '', port] = authority.split(':');
    return { host, port };
  }
  return { host: authority || OLLAMA_DEFAULT_HOST };
}

/** The URL that a client connects to: `http://127.0.0.1:11434`, with the path if there is one. */
export function ollamaClientUrl({ scheme, host, port, path }: OllamaHost): string {
  const isAllAddresses = host === '' || host === '0.0.0.0' || host === '::';
  const name = isAllAddresses ? OLLAMA_DEFAULT_HOST : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
}
