/** OLLAMA_HOST, `[scheme://]host[:port][/path]`: where the server listens, and where its clients look for it. */

import { DEFAULT_PORTS } from '#core/http';

export const OLLAMA_DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = DEFAULT_PORTS['local-models'];

export interface OllamaHost {
  scheme: 'http' | 'https';
  /** Without brackets; empty (from `:1234`) = all addresses for a server, this computer for a client. */
  host: string;
  port: number;
  /** A port was named, by its number or by the scheme. */
  hasPort: boolean;
  /** Begins with `/`, or is empty. */
  path: string;
  /** What could not be read and was replaced, for people. */
  warning?: string;
}

/** Understands everything: what makes no sense gives the default and a warning. `text` without spaces or quotes around it. */
export function parseOllamaHost(text: string): OllamaHost {
  const [, givenScheme, rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text)!;
  const scheme = givenScheme?.toLowerCase() === 'https' ? 'https' : 'http';
  const usual = givenScheme === undefined ? DEFAULT_PORT : scheme === 'https' ? 443 : 80;
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash).replace(/\/+$/, '');
  const { host, port } = split(authority);
  const number = port !== undefined && /^\+?\d+$/.test(port) ? Number(port) : Number.NaN;
  const usable = number <= 65535;
  const unknown = givenScheme !== undefined && !/^https?$/i.test(givenScheme);
  const warning = unknown
    ? `OLLAMA_HOST: '${givenScheme}://' is neither http:// nor https://, http is used`
    : port !== undefined && !usable
      ? `OLLAMA_HOST: '${port}' is no port number, ${usual} is used`
      : undefined;
  return {
    scheme,
    host,
    port: usable ? number : usual,
    hasPort: usable || givenScheme !== undefined,
    path,
    ...(warning && { warning }),
  };
}

/** `[::1]:80`, `::1`, `name:80`, `:80`, `name`, or nothing. */
function split(authority: string): { host: string; port?: string } {
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

/** The address a client connects to: `http://127.0.0.1:11434`, with the path where there is one. */
export function ollamaClientUrl({ scheme, host, port, path }: OllamaHost): string {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::';
  const reached = everywhere ? OLLAMA_DEFAULT_HOST : host;
  return `${scheme}://${reached.includes(':') ? `[${reached}]` : reached}:${port}${path}`;
}
