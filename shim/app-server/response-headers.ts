/**
 * Headers of every response of the app's origin. They make the page cross-origin isolated, so that inference
 * on the CPU can use threads. The page works without them, but slower.
 */
export function isolationHeaders(request: Request): Record<string, string> {
  const headers: Record<string, string> = {
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Sec-CH-UA, User-Agent',
  };
  if (chromiumVersion(request) >= 137) {
    // The header isolates only this document: windows that it opens, or that opened it, keep working.
    headers['document-isolation-policy'] = 'isolate-and-credentialless';
  } else {
    headers['cross-origin-opener-policy'] = 'same-origin';
    headers['cross-origin-embedder-policy'] = isSafari(request) ? 'require-corp' : 'credentialless';
  }
  return headers;
}

/**
 * Restricts what the page may load. `wasm-unsafe-eval`: engines and the code sandbox are WebAssembly. `blob:`
 * workers: the engine starts its threads from Blobs. Connections go anywhere, because the user may name any
 * hub or address of a model. Images of other sites: the page loads those of an answer when the user asks for
 * them.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "connect-src 'self' https: http: wss: ws: blob: data:",
  "img-src 'self' blob: data: https:",
  "media-src 'self' blob: data:",
  "font-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

/** Files named after their content never change. Browsers revalidate all others on each use. */
export function cacheControl(path: string): string {
  return /^\/assets\/.*-[\w-]{8,}\.\w+$/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function chromiumVersion(request: Request): number {
  const brands = request.headers.get('sec-ch-ua') ?? '';
  return Number(/"Chromium";v="(\d+)"/.exec(brands)?.[1] ?? 0);
}

function isSafari(request: Request): boolean {
  const agent = request.headers.get('user-agent') ?? '';
  return agent.includes('AppleWebKit/') && !agent.includes('Chrome/');
}
