/** A chat completion, with rounds of tool calls: versions before 2. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { AgentTool } from '../../../node-api/sub-nodes.ts';
import { objectList } from '../../shared/object-list.ts';
import { type ModelOperation, optionsOf, shown } from '../actions/operation.ts';
import { callTool, roundLimit } from '../actions/tool-calls.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';

interface ToolCall {
  id?: string;
  function?: { name?: string; arguments?: string };
}

const NAMES: Record<string, string> = { maxTokens: 'max_tokens', topP: 'top_p' };

export const message: ModelOperation = async (context, index) => {
  const { server, model } = await openServer(context, index, { capability: 'completion' });
  const { maxToolsIterations, ...options } = await optionsOf(context, index);
  const isJson = (await context.parameter('jsonOutput', index)) === true;
  const tools = await context.subNodes('ai_tool', index);
  const stored = objectList(await context.parameter('messages.values', index, []));
  const messages: JsonObject[] = stored.map(({ role = 'user', content }) => ({ role, content }));
  if (isJson)
    messages.unshift({ role: 'system', content: 'You are a helpful assistant designed to output JSON.' });
  const settings = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [NAMES[name] ?? name, value]),
  );
  const limit = roundLimit(maxToolsIterations);
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
    const choices = objectList(answer.choices);
    const asking = choices[0]?.message;
    const calls: ToolCall[] = isObject(asking) ? objectList(asking.tool_calls) : [];
    if (calls.length === 0 || round >= limit) {
      return shown(
        answer,
        choices.map((choice) => parsedChoice(choice, isJson)),
        context,
        index,
      );
    }
    messages.push(asking as JsonObject);
    for (const { id, function: called } of calls) {
      const content = await callTool(context, tools, { name: called?.name, args: called?.arguments });
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
};

function toolJson({ name, description, schema }: AgentTool): object {
  return { type: 'function', function: { name, parameters: schema, description } };
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
