/** The OpenAI node: a question to a model, with tools. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { perItem } from '../../../node-api/per-item.ts';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { rootError } from '../chains/root-error.ts';
import { localModelName, localServer, usesLocalModel } from '../chat-models/local-model.ts';
import { modelName, openAiServer } from '../chat-models/openai.ts';
import { withLocalChoice } from '../chat-models/with-local-model.ts';
import { toolInput } from '../describe.ts';
import { type ModelServer, readJson, requestModel } from '../wire/model-request.ts';
import { openAiParameters } from './parameters.ts';

interface Message {
  role?: string;
  content?: unknown;
}

const NAMES: Record<string, string> = { maxTokens: 'max_tokens', topP: 'top_p' };

export const openAi: NodeType = withLocalChoice({
  name: '@n8n/n8n-nodes-langchain.openAi',
  label: 'OpenAI',
  description: 'Asks a model of OpenAI, or of a server with the same API.',
  group: 'model',
  versions: [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2, 2.1, 2.2, 2.3],
  inputs: 1,
  outputs: ['main'],
  subNodes: [toolInput],
  credentials: [{ type: 'openAiApi', required: true }],
  parameters: openAiParameters,
  issues({ get }) {
    const [resource, operation] = [String(get('resource')), String(get('operation'))];
    const isKnown = resource === 'text' && ['message', 'response'].includes(operation);
    return isKnown ? [] : [`The operation "${operation}" of "${resource}" is not supported here`];
  },
  execute: (context) =>
    perItem(context, async (_item, index) => {
      try {
        return await (context.version < 2 ? message(context, index) : response(context, index));
      } catch (error) {
        throw rootError(error, index);
      }
    }),
});

async function serverOf(
  context: NodeContext,
  index: number,
): Promise<{ server: ModelServer; model: string }> {
  if (usesLocalModel(context)) {
    const model = await localModelName(context, 'completion', index);
    return { server: { ...localServer(context), baseUrl: '/v1' }, model };
  }
  return { server: await openAiServer(context, {}), model: await modelName(context, index, 'modelId') };
}

/** Version 1: a chat completion, with rounds of tools. */
async function message(context: NodeContext, index: number): Promise<Item[]> {
  const { server, model } = await serverOf(context, index);
  const { maxToolsIterations = 15, ...options } =
    (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const isJson = (await context.parameter('jsonOutput', index)) === true;
  const tools = await context.subNodes('ai_tool', index);
  const stored = await context.parameter<Message[]>('messages.values', index, []);
  const messages: JsonObject[] = (stored ?? []).map(({ role = 'user', content }) => ({ role, content }));
  if (isJson)
    messages.unshift({ role: 'system', content: 'You are a helpful assistant designed to output JSON.' });
  const settings = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [NAMES[name] ?? name, value]),
  );
  const limit = Number(maxToolsIterations) > 0 ? Math.floor(Number(maxToolsIterations)) : 15;
  for (let round = 0; ; round++) {
    context.signal.throwIfAborted();
    const body = {
      model,
      messages,
      ...(tools.length > 0 && round < limit && { tools: tools.map(toolJson) }),
      ...(isJson && { response_format: { type: 'json_object' } }),
      ...settings,
    };
    const answer = await requestModel(context, server, { path: '/chat/completions', body }, readJson);
    const choices = (Array.isArray(answer.choices) ? answer.choices : []).filter(isObject);
    const asking = choices[0]?.message;
    const calls = isObject(asking) && Array.isArray(asking.tool_calls) ? asking.tool_calls : [];
    if (calls.length === 0 || round >= limit) {
      return shown(
        answer,
        choices.map((choice) => parsedChoice(choice, isJson)),
        context,
        index,
      );
    }
    messages.push(asking as JsonObject);
    for (const call of calls) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: await observe(context, tools, call) });
    }
  }
}

function toolJson({ name, description, schema }: AgentTool): object {
  return { type: 'function', function: { name, parameters: schema, description } };
}

async function observe(
  context: NodeContext,
  tools: AgentTool[],
  call: { function?: { name?: string; arguments?: string } },
): Promise<string> {
  const tool = tools.find(({ name }) => name === call.function?.name);
  if (!tool) return `${call.function?.name} is not a valid tool, try another one.`;
  try {
    const args: unknown = JSON.parse(call.function?.arguments || '{}');
    const value = await tool.call(isObject(args) ? args : {});
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return `There was an error: "${(error as Error).message}"`;
  }
}

/** The choice, with its content as JSON where the node asks for it. */
function parsedChoice(choice: JsonObject, isJson: boolean): JsonObject {
  const { message: own } = choice;
  if (!isJson || !isObject(own) || typeof own.content !== 'string') return choice;
  try {
    return { ...choice, message: { ...own, content: JSON.parse(own.content) as unknown } };
  } catch {
    return choice;
  }
}

async function shown(
  answer: JsonObject,
  parts: JsonObject[],
  context: NodeContext,
  index: number,
): Promise<Item[]> {
  const isSimple = (await context.parameter('simplify', index)) !== false;
  return (isSimple ? parts : [answer]).map((json) => ({ json, pairedItem: { item: index } }));
}

/** Version 2: a response. */
async function response(context: NodeContext, index: number): Promise<Item[]> {
  const { server, model } = await serverOf(context, index);
  const stored = await context.parameter<Message[]>('responses.values', index, []);
  const options = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const body = {
    model,
    input: (stored ?? []).map(({ role = 'user', content }) => ({
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: String(content ?? '') }],
    })),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.topP !== undefined && { top_p: options.topP }),
    ...(options.maxTokens !== undefined && { max_output_tokens: options.maxTokens }),
  };
  const answer = await requestModel(context, server, { path: '/responses', body }, readJson);
  return shown(answer, [{ output: answer.output }], context, index);
}
