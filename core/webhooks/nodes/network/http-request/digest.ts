/** Answers a server that asks for digest authentication (RFC 7616: MD5 and SHA-256, with `qop=auth` or without). */
import { md5, sha256 } from 'hash-wasm';

/** The `Authorization` header for a challenge; undefined when it is none that can be answered. */
export async function digestAnswer(
  challenge: string | null,
  request: { method: string; url: string },
  login: { user: string; password: string },
): Promise<string | undefined> {
  if (!challenge || !/^digest\s/i.test(challenge)) return undefined;
  const asked: Record<string, string> = {};
  for (const [, name, quoted, plain] of challenge.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)) {
    asked[name!.toLowerCase()] = quoted ?? plain ?? '';
  }
  const algorithm = asked.algorithm ?? 'MD5';
  const hash = /^sha-256/i.test(algorithm) ? sha256 : /^md5/i.test(algorithm) ? md5 : undefined;
  const qop = asked.qop?.split(',').map((one) => one.trim());
  if (!hash || asked.nonce === undefined || (qop && !qop.includes('auth'))) return undefined;
  const { pathname, search } = new URL(request.url);
  const uri = pathname + search;
  const cnonce = crypto.randomUUID().replaceAll('-', '');
  let first = await hash(`${login.user}:${asked.realm ?? ''}:${login.password}`);
  if (/-sess$/i.test(algorithm)) first = await hash(`${first}:${asked.nonce}:${cnonce}`);
  const second = await hash(`${request.method}:${uri}`);
  const middle = qop ? `${asked.nonce}:00000001:${cnonce}:auth` : asked.nonce;
  const fields = [
    `username="${login.user.replace(/["\\]/g, '\\$&')}"`,
    `realm="${asked.realm ?? ''}"`,
    `nonce="${asked.nonce}"`,
    `uri="${uri}"`,
    `response="${await hash(`${first}:${middle}:${second}`)}"`,
    ...(asked.algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(asked.opaque === undefined ? [] : [`opaque="${asked.opaque}"`]),
    ...(qop || /-sess$/i.test(algorithm) ? [`cnonce="${cnonce}"`] : []),
    ...(qop ? ['qop=auth', 'nc=00000001'] : []),
  ];
  return `Digest ${fields.join(', ')}`;
}
