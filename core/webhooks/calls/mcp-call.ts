/** `/mcp/PATH`: the tools of a published workflow with an MCP Server Trigger. */
import { isObject } from '#core/base';
import { jsonResponse } from '#core/http';
import { answerMcp, type McpResult, McpSessions, type McpTools, textResult } from '#core/mcp';
import {
  type Item,
  type JsonObject,
  nodeSettings,
  type Workflow,
  type WorkflowNode,
} from '#core/workflow-format';
import { timingSafeEqual } from '../credentials/timing-safe-equal.ts';
import type { Engine } from '../engine/engine.ts';
import { supplyOutside } from '../engine/run/supply-outside.ts';
import { mcpTrigger } from '../nodes/ai/triggers/mcp-trigger.ts';
import type { CalledPath } from '../registrations/called-path.ts';
import type { WebhookServices } from '../services.ts';
import { notRegistered } from './not-registered.ts';

interface Trigger {
  workflow: Workflow;
  node: WorkflowNode;
}

const sessionsOf = new WeakMap<Engine, McpSessions>();

export async function answerMcpCall(
  request: Request,
  called: CalledPath,
  { engine, publishing }: WebhookServices,
): Promise<Response> {
  const trigger = findTrigger(publishing.list(), called.path);
  if (!trigger) return notRegistered(request.method, called, []);
  if (!(await isAllowed(request, trigger, engine))) {
    return jsonResponse({ code: 403, message: 'Authorization data is wrong!' }, 403);
  }
  let sessions = sessionsOf.get(engine);
  if (!sessions) {
    sessions = new McpSessions();
    sessionsOf.set(engine, sessions);
  }
  return answerMcp(request, { tools: toolsOf(request, trigger, engine), sessions });
}

function findTrigger(workflows: Workflow[], path: string): Trigger | undefined {
  for (const workflow of workflows) {
    for (const node of workflow.nodes) {
      if (node.type !== mcpTrigger.name || node.disabled) continue;
      const own = String(nodeSettings(mcpTrigger, node).get('path') || node.webhookId || node.id);
      if (own.replace(/^\/|\/$/g, '') === path) return { workflow, node };
    }
  }
  return undefined;
}

async function isAllowed(request: Request, { node }: Trigger, { services }: Engine): Promise<boolean> {
  const kind = nodeSettings(mcpTrigger, node).get('authentication') ?? 'none';
  if (kind === 'none') return true;
  const type = kind === 'bearerAuth' ? 'httpBearerAuth' : 'httpHeaderAuth';
  const reference = node.credentials?.[type];
  const data = reference && (await services.credential(type, reference));
  if (!data) return false;
  const [name, value] =
    kind === 'bearerAuth'
      ? ['authorization', `Bearer ${data.token ?? ''}`]
      : [String(data.name ?? ''), String(data.value ?? '')];
  return name !== '' && timingSafeEqual(request.headers.get(name!) ?? '', value!);
}

function toolsOf(request: Request, { workflow, node }: Trigger, engine: Engine): McpTools {
  const instructions = nodeSettings(mcpTrigger, node).get('instructions');
  const tools = (signal: AbortSignal) =>
    supplyOutside({ workflow, node, items: [{ json: {} }], signal }, 'ai_tool', engine.services);
  return {
    name: node.name,
    version: '0.1.0',
    ...(typeof instructions === 'string' && instructions !== '' && { instructions }),
    list: tools,
    async call(name, args, { messageId, signal }) {
      const found = (await tools(signal)).find((tool) => tool.name === name);
      const mcpToolCall = {
        toolName: name,
        arguments: args,
        ...(found && { sourceNodeName: found.node }),
      };
      const headers = Object.fromEntries(request.headers);
      const json = { mcpToolCall, mcpMessageId: messageId, headers };
      return runTool(engine, { workflow, node }, { json }, signal);
    },
  };
}

/** Runs the trigger with the call as its item. */
async function runTool(
  engine: Engine,
  { workflow, node }: Trigger,
  item: Item,
  signal: AbortSignal,
): Promise<McpResult | undefined> {
  let answer: JsonObject | undefined;
  engine.executions.requireCapacity();
  const handle = await engine.executions.start({
    workflow: structuredClone(workflow),
    mode: 'webhook',
    node: node.name,
    input: [item],
    signal,
    responseSink: {
      respond: ({ body }) => {
        if (body.kind === 'json' && isObject(body.value)) answer = body.value;
      },
      stream: async () => false,
    },
  });
  const { error } = await handle.done;
  if (answer?.missing) return undefined;
  if (!answer) return textResult(`Error: ${error?.message ?? 'The tool gave no answer'}`, true);
  return textResult(String(answer.text), answer.isError === true);
}
