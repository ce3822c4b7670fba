/** Who may call: Basic, Header and JWT credentials. */
import { decodeBase64Text } from '#core/http';
import type { JsonObject, WorkflowNode } from '#core/workflow-format';
import { CredentialUnusable, type JwtCredential, TokenRefused, verifyJwt } from '../../credentials/jwt.ts';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import { AccessDenied } from './access-denied.ts';

export interface AuthParts {
  credential(type: string, reference: { id: string | null; name: string }): Promise<JsonObject | undefined>;
  now(): number;
}

export interface Authenticated {
  jwtPayload?: Record<string, unknown>;
}

/** Throws `Refusal`. */
export async function authenticate(
  kind: string,
  node: WorkflowNode,
  headers: Headers,
  parts: AuthParts,
): Promise<Authenticated> {
  switch (kind) {
    case 'none':
    case '':
      return {};
    case 'basicAuth':
      return basic(await dataOf('httpBasicAuth', node, parts), headers);
    case 'headerAuth':
      return header(await dataOf('httpHeaderAuth', node, parts), headers);
    case 'jwtAuth':
      return token(await dataOf('jwtAuth', node, parts), headers, parts.now());
    default:
      // Never let someone in because of a setting that is not understood.
      throw new AccessDenied(500, `The authentication "${kind}" is not supported`, false);
  }
}

async function dataOf(type: string, node: WorkflowNode, parts: AuthParts): Promise<JsonObject> {
  const reference = node.credentials?.[type];
  const data = reference && (await parts.credential(type, reference));
  if (!data) throw new AccessDenied(500, 'No authentication data defined on node!', false);
  return data;
}

function basic(data: JsonObject, headers: Headers): Authenticated {
  const encoded = /^basic +([a-z0-9+/_-]+={0,2})$/i.exec((headers.get('authorization') ?? '').trim())?.[1];
  const decoded = encoded && decodeBase64Text(encoded);
  const colon = decoded ? decoded.indexOf(':') : -1;
  if (!decoded || colon < 0) throw new AccessDenied(401, 'Authorization is required!');
  if (!data.user || !data.password)
    throw new AccessDenied(500, 'No authentication data defined on node!', false);
  // Both are compared, so that the time does not tell whether the name was right.
  const user = timingSafeEqual(decoded.slice(0, colon), String(data.user));
  const password = timingSafeEqual(decoded.slice(colon + 1), String(data.password));
  if (!(user && password)) throw new AccessDenied(401, 'Authentication data is wrong!');
  return {};
}

function header(data: JsonObject, headers: Headers): Authenticated {
  const name = String(data.name ?? '').trim();
  const expected = String(data.value ?? '');
  if (name === '' || expected === '') {
    throw new AccessDenied(500, 'No authentication data defined on node!', false);
  }
  let given: string | null;
  try {
    given = headers.get(name);
  } catch {
    throw new AccessDenied(500, `The header name "${name}" of the credential is not valid`, false);
  }
  if (given === null || !timingSafeEqual(given, expected))
    throw new AccessDenied(403, 'Authorization data is wrong!');
  return {};
}

async function token(data: JsonObject, headers: Headers, now: number): Promise<Authenticated> {
  // Which word comes before it is not looked at.
  const given = (headers.get('authorization') ?? '').trim().split(/ +/)[1];
  if (!given) throw new AccessDenied(401, 'No token provided');
  try {
    return { jwtPayload: await verifyJwt(given, data as JwtCredential, now) };
  } catch (error) {
    if (error instanceof TokenRefused) throw new AccessDenied(403, error.message);
    if (error instanceof CredentialUnusable) throw new AccessDenied(500, error.message, false);
    throw error;
  }
}
