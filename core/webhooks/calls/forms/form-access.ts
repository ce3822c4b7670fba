/** Who may see and send a form. */
import { createHMAC, createSHA256 } from 'hash-wasm';
import { isbot } from 'isbot';
import type { WorkflowNode } from '#core/workflow-format';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import type { Engine } from '../../engine/engine.ts';
import { AccessDenied } from '../access/access-denied.ts';
import { authenticate } from '../access/authenticate.ts';
import { clientAddress, isListed } from '../access/client-address.ts';
import type { Evaluate } from '../call-expressions.ts';
import type { WebhookCall } from '../webhook-call.ts';

/** The header by which a page behind a login sends its form: a sandboxed page cannot send the login. */
const TOKEN_HEADER = 'x-auth-token';

/**
 * Checks the client's address, whether it is a bot, and its login.
 * @returns the token for a page to send its form with; undefined for a form without a login
 * @throws AccessDenied
 */
export async function admitToForm(
  call: WebhookCall,
  evaluate: Evaluate,
  { services, settings }: Engine,
): Promise<string | undefined> {
  const { options, node, request } = call;
  const allowlist = await evaluate(options.ipAllowlist);
  const address = clientAddress(
    call.clientAddress,
    request.headers.get('x-forwarded-for'),
    settings.proxyHops,
  );
  if (!isListed(address, String(allowlist ?? ''))) {
    throw new AccessDenied(403, 'IP is not allowed to access the webhook!', false);
  }
  if ((await evaluate(options.ignoreBots)) === true && isbot(request.headers.get('user-agent') ?? '')) {
    throw new AccessDenied(401, '', false);
  }
  if (options.authentication === 'none' || options.authentication === '') return undefined;
  const token = await tokenFor(node, services);
  const sent = request.headers.get(TOKEN_HEADER);
  if (sent !== null && request.method === 'POST') {
    if (token !== undefined && timingSafeEqual(sent, token)) return token;
    throw new AccessDenied(403, 'Authorization data is wrong!', false);
  }
  await authenticate(options.authentication, node, request.headers, services);
  return token;
}

/** The response to a client that may not see the form. */
export function deniedForm(error: AccessDenied): Response {
  if (error.status !== 401) return error.toResponse();
  const headers: HeadersInit = error.challenge
    ? { 'www-authenticate': 'Basic realm="Enter credentials"' }
    : {};
  return new Response(null, { status: 401, headers });
}

/** HMAC-SHA-256 of the node, with its login as the key. */
async function tokenFor(
  { id, webhookId = '', credentials }: WorkflowNode,
  { credential }: Engine['services'],
): Promise<string | undefined> {
  const reference = credentials?.httpBasicAuth;
  const data = reference && (await credential('httpBasicAuth', reference));
  if (!data) return undefined;
  const hasher = await createHMAC(createSHA256(), `${String(data.user)}:${String(data.password)}`);
  return hasher.init().update(`${id}-${webhookId}`).digest('hex');
}
