/** Whether a call may start the workflow: by its address, by who it says it is, and by what it knows. */
import { isbot } from 'isbot';
import type { RunServices } from '../../engine/run/run-services.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { parameterOf, settingsOf } from '../webhook-options.ts';
import { AccessDenied } from './access-denied.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import { clientAddress, isListed } from './client-address.ts';

/** Throws `Refusal`. `proxyHops`: proxies before this server whose word on the caller's address counts. */
export async function admitCall(
  call: WebhookCall,
  services: RunServices,
  proxyHops: number,
): Promise<Authenticated> {
  const { headers, signal } = call.request;
  const allowed = await parameterOf(call, 'options.ipWhitelist', services, { signal });
  const address = clientAddress(call.clientAddress, headers.get('x-forwarded-for'), proxyHops);
  if (!isListed(address, String(allowed ?? ''))) {
    throw new AccessDenied(403, 'IP is not allowed to access the webhook!', false);
  }
  const ignoresBots = await parameterOf(call, 'options.ignoreBots', services, { signal });
  if (ignoresBots === true && isbot(headers.get('user-agent') ?? '')) {
    throw new AccessDenied(403, 'Authorization data is wrong!');
  }
  const settings = settingsOf(call.node, services);
  const kind = settings.get('authentication') ?? settings.get('incomingAuthentication') ?? 'none';
  return authenticate(String(kind), call.node, headers, {
    credential: services.credential,
    now: () => services.host.clock.now(),
  });
}
