import type { CallableTool } from '#core/mcp';
import type { WebhookServer } from '#core/webhooks';

/** The published workflows as tools. */
export async function workflowTools(webhooks: WebhookServer): Promise<CallableTool[]> {
  const { publishedTools } = await import('#core/webhooks/lazy.ts');
  return publishedTools(await webhooks.open());
}
