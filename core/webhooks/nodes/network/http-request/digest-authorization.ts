/** Digest authentication (RFC 7616) by MD5 and SHA-256, with `qop=auth` or without. */
import { md5, sha256 } from 'hash-wasm';

/** The `Authorization` header for a challenge. Undefined for a challenge that is not supported. */
export async function digestAuthorization(
  challenge: string | null,
  request: { method: string; url: string },
  login: { user: string; password: string },
): Promise<string | undefined> {
  if (!challenge || !/^digest\s/i.test(challenge)) return undefined;
  const parameters: Record<string, string> = {};
  for (const [, name, quoted, plain] of challenge.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)) {
    parameters[name!.toLowerCase()] = quoted ?? plain ?? '';
  }
  const { nonce, opaque, realm = '' } = parameters;
  const algorithm = parameters.algorithm ?? 'MD5';
  const isSession = /-sess$/i.test(algorithm);
  const hash = /^sha-256/i.test(algorithm) ? sha256 : /^md5/i.test(algorithm) ? md5 : undefined;
  const qop = parameters.qop?.split(',').map((value) => value.trim());
  if (!hash || nonce === undefined || (qop && !qop.includes('auth'))) return undefined;
  const { pathname, search } = new URL(request.url);
  const uri = pathname + search;
  const cnonce = crypto.randomUUID().replaceAll('-', '');
  // H(A1) and H(A2) of RFC 7616, sections 3.4.2 and 3.4.3.
  let a1 = await hash(`${login.user}:${realm}:${login.password}`);
  if (isSession) a1 = await hash(`${a1}:${nonce}:${cnonce}`);
  const a2 = await hash(`${request.method}:${uri}`);
  const middle = qop ? `${nonce}:00000001:${cnonce}:auth` : nonce;
  const fields = [
    `username="${login.user.replace(/["\\]/g, '\\$&')}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${uri}"`,
    `response="${await hash(`${a1}:${middle}:${a2}`)}"`,
    ...(parameters.algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
    ...(qop || isSession ? [`cnonce="${cnonce}"`] : []),
    ...(qop ? ['qop=auth', 'nc=00000001'] : []),
  ];
  return `Digest ${fields.join(', ')}`;
}
