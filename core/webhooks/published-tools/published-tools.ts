/** Published workflows as tools for MCP clients. */
import type { CallableTool } from '#core/mcp';
import type { Workflow } from '#core/workflow-format';
import type { WebhookServices } from '../services.ts';
import { calledWorkflowTool } from './called-workflow-tool.ts';
import { webhookTools } from './webhook-tool.ts';

/**
 * A tool for each start of a published workflow that a caller may cause: by other workflows, by a webhook and by a chat.
 * Workflows whose setting `availableInMCP` is false are left out.
 */
export function publishedTools(services: WebhookServices): CallableTool[] {
  return services.publishing
    .list()
    .filter(({ settings }) => settings.availableInMCP !== false)
    .flatMap((workflow) => toolsOf(workflow, services));
}

function toolsOf(workflow: Workflow, services: WebhookServices): CallableTool[] {
  const called = calledWorkflowTool(workflow, services);
  return [...(called ? [called] : []), ...webhookTools(workflow, services)];
}
