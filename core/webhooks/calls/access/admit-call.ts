import { isbot } from 'isbot';
import type { WorkflowRunServices } from '../../engine/run/run-services.ts';
import type { Evaluate } from '../call-expressions.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { AccessDenied } from './access-denied.ts';
import { authenticate } from './authenticate.ts';
import { clientAddress, isListed } from './client-address.ts';

/**
 * Checks the client's address, whether it is a bot, and its credentials, in this order.
 * @param proxyHops number of trusted proxies in front of this server
 * @returns the payload of the token, with JWT Auth
 * @throws AccessDenied
 */
export async function admitCall(
  call: WebhookCall,
  evaluate: Evaluate,
  services: WorkflowRunServices,
  proxyHops: number,
): Promise<Record<string, unknown> | undefined> {
  const { options, node } = call;
  const { headers } = call.request;
  const allowlist = await evaluate(options.ipAllowlist);
  const address = clientAddress(call.clientAddress, headers.get('x-forwarded-for'), proxyHops);
  if (!isListed(address, String(allowlist ?? ''))) {
    throw new AccessDenied(403, 'IP is not allowed to access the webhook!', false);
  }
  if ((await evaluate(options.ignoreBots)) === true && isbot(headers.get('user-agent') ?? '')) {
    throw new AccessDenied(403, 'Authorization data is wrong!');
  }
  return authenticate(options.authentication, node, headers, services);
}
