/** Checks the client's credentials: Basic, Header and JWT authentication. */
import { decodeBase64Text } from '#core/http';
import type { JsonObject, WorkflowNode } from '#core/workflow-format';
import { CredentialUnusable, type JwtCredential, TokenRefused, verifyJwt } from '../../credentials/jwt.ts';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import type { WorkflowRunServices } from '../../engine/run/run-services.ts';
import { AccessDenied } from './access-denied.ts';

type TokenPayload = Record<string, unknown>;

interface AuthenticationMethod {
  /** The type of the node's credential. */
  credential: string;
  /**
   * @param now milliseconds since 1970
   * @throws AccessDenied
   */
  check(data: JsonObject, headers: Headers, now: number): Promise<TokenPayload> | undefined;
}

const METHODS: Record<string, AuthenticationMethod> = {
  basicAuth: { credential: 'httpBasicAuth', check: checkBasic },
  headerAuth: { credential: 'httpHeaderAuth', check: checkHeader },
  jwtAuth: { credential: 'jwtAuth', check: checkToken },
};

/**
 * @returns the payload of the token, with JWT Auth
 * @throws AccessDenied
 */
export async function authenticate(
  kind: string,
  node: WorkflowNode,
  headers: Headers,
  { credential, host }: Pick<WorkflowRunServices, 'credential' | 'host'>,
): Promise<TokenPayload | undefined> {
  if (kind === 'none' || kind === '') return undefined;
  const method = Object.hasOwn(METHODS, kind) ? METHODS[kind] : undefined;
  // An unknown setting must not admit anybody.
  if (!method) throw new AccessDenied(500, `The authentication "${kind}" is not supported`, false);
  const reference = node.credentials?.[method.credential];
  const data = reference && (await credential(method.credential, reference));
  if (!data) throw noData();
  return method.check(data, headers, host.clock.now());
}

function checkBasic(data: JsonObject, headers: Headers): undefined {
  const encoded = /^basic +([a-z0-9+/_-]+={0,2})$/i.exec((headers.get('authorization') ?? '').trim())?.[1];
  const decoded = encoded && decodeBase64Text(encoded);
  const colon = decoded ? decoded.indexOf(':') : -1;
  if (!decoded || colon < 0) throw new AccessDenied(401, 'Authorization is required!');
  if (!data.user || !data.password) throw noData();
  // Both are always compared: the time must not reveal whether the name was right.
  const user = timingSafeEqual(decoded.slice(0, colon), String(data.user));
  const password = timingSafeEqual(decoded.slice(colon + 1), String(data.password));
  if (!(user && password)) throw new AccessDenied(401, 'Authentication data is wrong!');
}

function checkHeader(data: JsonObject, headers: Headers): undefined {
  const name = String(data.name ?? '').trim();
  const expected = String(data.value ?? '');
  if (name === '' || expected === '') throw noData();
  let value: string | null;
  try {
    value = headers.get(name);
  } catch {
    throw new AccessDenied(500, `The header name "${name}" of the credential is not valid`, false);
  }
  if (value === null || !timingSafeEqual(value, expected)) {
    throw new AccessDenied(403, 'Authorization data is wrong!');
  }
}

async function checkToken(data: JsonObject, headers: Headers, now: number): Promise<TokenPayload> {
  // n8n accepts any scheme before the token.
  const token = (headers.get('authorization') ?? '').trim().split(/ +/)[1];
  if (!token) throw new AccessDenied(401, 'No token provided');
  try {
    return await verifyJwt(token, data as JwtCredential, now);
  } catch (error) {
    if (error instanceof TokenRefused) throw new AccessDenied(403, error.message);
    if (error instanceof CredentialUnusable) throw new AccessDenied(500, error.message, false);
    throw error;
  }
}

function noData(): AccessDenied {
  return new AccessDenied(500, 'No authentication data defined on node!', false);
}
