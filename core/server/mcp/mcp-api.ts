/** `/mcp` on the port of the language models: the models, image graphs and published workflows as tools. */
import { TABD_VERSION } from '#core/base';
import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import { answerMcp, McpSessions, toolServer } from '#core/mcp';
import type { WebhookServer } from '#core/webhooks';
import { imageTools } from './image-tools.ts';
import { modelTools } from './model-tools.ts';
import { savedGraphTools } from './saved-graph-tools.ts';
import type { ToolServices } from './tool-services.ts';
import { workflowTools } from './workflow-tools.ts';

const INSTRUCTIONS =
  'Models, image generation and workflows of this computer. Names of models are in list_models and list_checkpoints.';

/** The answers of `/mcp`. Its sessions live as long as the server. */
export function createMcp(
  host: Host,
  localApis: LocalApis,
  webhooks: WebhookServer,
): (request: Request) => Promise<Response> {
  const services: ToolServices = { host, localApis };
  const sessions = new McpSessions();
  const tools = toolServer({
    name: 'tabd',
    version: TABD_VERSION,
    instructions: INSTRUCTIONS,
    load: async (signal) => [
      ...modelTools(services),
      ...imageTools(services),
      ...(await savedGraphTools(services, signal)),
      ...(await workflowTools(webhooks)),
    ],
  });
  return (request) => answerMcp(request, { tools, sessions, resumesSessions: true });
}
