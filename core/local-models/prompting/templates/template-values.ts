/** Conversations and tools as the values that Ollama's Go templates see, with the types and JSON forms of its structs. */
import type { Message, Tool, ToolCall } from '../../base/messages.ts';
import { GoStruct, toTemplateValue, type Value, withJson } from './go-template/index.ts';

export interface TemplateConversation {
  /** All system messages, joined. */
  system: string;
  messages: Message[];
}

/** Merges neighbors of the same role, except tool results. An empty line separates their texts. */
export function mergeNeighbors(messages: Message[]): TemplateConversation {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last && last.role === message.role && message.role !== 'tool') {
      const images = [...(last.images ?? []), ...(message.images ?? [])];
      const toolCalls = [...(last.toolCalls ?? []), ...(message.toolCalls ?? [])];
      merged[merged.length - 1] = {
        ...last,
        content: `${last.content}\n\n${message.content}`,
        ...(images.length > 0 && { images }),
        ...(toolCalls.length > 0 && { toolCalls }),
      };
    } else merged.push(message);
  }
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return { system: system.join('\n\n'), messages: merged };
}

/** An `api.Message`. */
export function goMessage(message: Message): Value {
  const { role, content } = message;
  const calls = (message.toolCalls ?? []).map(goToolCall);
  const fields = {
    Role: role,
    Content: content,
    Thinking: message.thinking ?? '',
    Images: message.images?.map(() => '') ?? [],
    ToolCalls: calls,
    ToolName: message.toolName ?? '',
    ToolCallID: message.toolCallId ?? '',
  };
  return withJson(new GoStruct('api.Message', fields), { role, content }, false);
}

function goToolCall(call: ToolCall, index: number): Value {
  const body = { index, name: call.name, arguments: call.arguments };
  const args = withJson(toTemplateValue(call.arguments) as Map<string, Value>, call.arguments);
  const fields = { Index: index, Name: call.name, Arguments: args };
  const target = withJson(new GoStruct('api.ToolCallFunction', fields), body, false);
  const json = { ...(call.id && { id: call.id }), function: body };
  return withJson(new GoStruct('api.ToolCall', { ID: call.id ?? '', Function: target }), json, false);
}

/** The value of `.Tools`, which prints as a JSON array. */
export function goTools(tools: Tool[]): Value {
  return withJson(tools.map(goTool), tools.map(orderTool));
}

function goTool(tool: Tool): Value {
  const { function: target = {} } = tool as { function?: Record<string, unknown> };
  const json = orderTool(tool);
  const parameters = (target.parameters ?? {}) as Record<string, unknown>;
  const fields = {
    Name: String(target.name ?? ''),
    Description: String(target.description ?? ''),
    Parameters: withJson(
      new GoStruct('api.ToolFunctionParameters', {
        Type: String(parameters.type ?? ''),
        Defs: toTemplateValue(parameters.$defs),
        Items: toTemplateValue(parameters.items),
        Required: toTemplateValue(parameters.required ?? []),
        Properties: goProperties(parameters.properties),
      }),
      (json.function as Record<string, unknown>).parameters,
    ),
  };
  const body = withJson(new GoStruct('api.ToolFunction', fields), json.function);
  return withJson(
    new GoStruct('api.Tool', {
      Type: String(tool.type ?? ''),
      Items: toTemplateValue(tool.items),
      Function: body,
    }),
    json,
  );
}

function goProperties(properties: unknown): Value {
  const map = new Map<string, Value>();
  for (const [name, property] of Object.entries((properties ?? {}) as Record<string, unknown>)) {
    const { type, ...rest } = (property ?? {}) as Record<string, unknown>;
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    const fields = {
      AnyOf: toTemplateValue(rest.anyOf ?? []),
      // A single type prints as a bare name, several as a JSON array.
      Type: types.length === 1 ? String(types[0]) : withJson(types.map(String), types),
      Items: toTemplateValue(rest.items),
      Description: String(rest.description ?? ''),
      Enum: toTemplateValue(rest.enum ?? []),
      Properties: rest.properties === undefined ? undefined : goProperties(rest.properties),
      Required: toTemplateValue(rest.required ?? []),
    };
    map.set(name, withJson(new GoStruct('api.ToolProperty', fields), property, false));
  }
  return withJson(map, properties ?? {});
}

/** The tool as JSON with members in the order of Ollama's struct. The client's other members follow. */
function orderTool(tool: Tool): Record<string, unknown> {
  const target = (tool.function ?? {}) as Record<string, unknown>;
  const { type, items, function: _, ...others } = tool;
  const { name, description, parameters, ...functionOthers } = target;
  return {
    type,
    items,
    function: {
      name,
      description: description || undefined,
      parameters: parameters === undefined ? undefined : orderParameters(parameters),
      ...functionOthers,
    },
    ...others,
  };
}

function orderParameters(parameters: unknown): unknown {
  if (parameters === null || typeof parameters !== 'object' || Array.isArray(parameters)) return parameters;
  const { type, $defs, items, required, properties, ...others } = parameters as Record<string, unknown>;
  return { type, $defs, items, required, properties, ...others };
}
