/** Ollama's filters: by Host, while the server listens on loopback only, and by Origin, with CORS headers. */

import {
  type CallContext,
  emptyResponse,
  isCrossSite,
  isIpAddress,
  isLoopbackOrPrivate,
  type MachineNames,
  withoutPort,
} from '#core/http';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '0.0.0.0'];
/** Origins that Ollama allows without any setting. */
const ALWAYS = [
  ...LOCAL_NAMES.flatMap((name) => [
    `http://${name}`,
    `https://${name}`,
    `http://${name}:*`,
    `https://${name}:*`,
  ]),
  'app://*',
  'file://*',
  'tauri://*',
  'vscode-webview://*',
  'vscode-file://*',
];
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'User-Agent',
  'Accept',
  'X-Requested-With',
  'Openai-Beta',
  'X-Stainless-Arch',
  'X-Stainless-Async',
  'X-Stainless-Custom-Poll-Interval',
  'X-Stainless-Helper-Method',
  'X-Stainless-Lang',
  'X-Stainless-Os',
  'X-Stainless-Package-Version',
  'X-Stainless-Poll-Helper',
  'X-Stainless-Retry-Count',
  'X-Stainless-Runtime',
  'X-Stainless-Runtime-Version',
  'X-Stainless-Timeout',
].join(',');
const ALLOWED_METHODS = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';

/** Each entry has at most one `*`, which matches any text. */
function matches(origin: string, entry: string): boolean {
  const star = entry.indexOf('*');
  if (star < 0) return origin === entry;
  const [before, after] = [entry.slice(0, star), entry.slice(star + 1)];
  return origin.length >= before.length + after.length && origin.startsWith(before) && origin.endsWith(after);
}

export interface FilterSettings extends MachineNames {
  /** The entries of OLLAMA_ORIGINS. */
  origins: string[];
}

/**
 * Refuses a request with 403, or answers a preflight. Requests of tabd's own page always pass.
 * @param allowed methods of the routes with this path
 * @returns a response, or the CORS headers for the response that follows
 */
export function filterRequest(
  request: Request,
  url: URL,
  context: CallContext,
  allowed: string[],
  settings: FilterSettings,
): Response | HeadersInit | undefined {
  const isOptions = request.method === 'OPTIONS';
  const allow: Record<string, string> = isOptions && allowed.length ? { allow: allowed.join(', ') } : {};
  const host = request.headers.get('host') ?? url.host;
  const name = withoutPort(host);
  const origin = request.headers.get('origin');
  const isApp = origin !== null && context.appOrigins.includes(origin);

  // Without an Origin, the page of another site cannot be one that the settings allow.
  if (origin === null && isCrossSite(request)) return emptyResponse(403, allow);
  let cors: Record<string, string> | undefined;
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) {
    const entries = settings.origins;
    const allowsAll = entries.includes('*');
    const isAllowed = isApp || allowsAll || [...entries, ...ALWAYS].some((entry) => matches(origin, entry));
    if (!isAllowed) return emptyResponse(403, allow);
    cors = allowsAll
      ? { 'access-control-allow-origin': '*' }
      : { 'access-control-allow-origin': origin, vary: 'Origin' };
    // The page shows which server answered.
    if (isApp) cors['access-control-expose-headers'] = 'x-tabd-served-by, x-tabd-version';
    if (isOptions) {
      const headers = new Headers({
        ...allow,
        'access-control-allow-origin': cors['access-control-allow-origin']!,
        'access-control-allow-methods': ALLOWED_METHODS,
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': '43200',
      });
      if (!allowsAll)
        headers.append('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers');
      return emptyResponse(204, headers);
    }
  }
  if (context.loopback && context.listener === 'local-models' && !isApp) {
    if (!isLoopbackOrPrivate(name, settings)) return emptyResponse(403);
    // Ollama's filter answers a preflight without Origin for host names, but not for IP addresses.
    if (isOptions && !isIpAddress(name)) return emptyResponse(204);
  }
  return cors;
}
