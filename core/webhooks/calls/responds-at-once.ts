import { webhook } from '../nodes/triggers/webhook.ts';
import { parseCalledPath } from '../registrations/called-path.ts';
import type { WebhookServices } from '../services.ts';
import { readWebhookOptions } from './webhook-options.ts';

/** Modes in which a caller waits for the run. */
const WAITING_MODES = new Set(['lastNode', 'responseNode', 'streaming']);

/**
 * Whether a production call is answered before its workflow has run: its run is stored, or it is refused. Such a call needs
 * no process with room for a run.
 */
export function respondsAtOnce(
  method: string,
  pathname: string,
  { engine, publishing }: Pick<WebhookServices, 'engine' | 'publishing'>,
): boolean {
  const called = parseCalledPath(pathname, engine.settings.endpoints);
  if (called?.kind !== 'webhook' || called.mode !== 'production') return false;
  if (method === 'OPTIONS') return true;
  const match = publishing.table.match(method, called.path);
  if (!match) return true;
  const { node } = match.registration;
  const type = engine.services.nodeType(node.type);
  if (type?.hook) return true;
  if (node.type !== webhook.name) return false;
  const { responseMode } = readWebhookOptions(node, engine.services);
  return !WAITING_MODES.has(String(responseMode));
}
