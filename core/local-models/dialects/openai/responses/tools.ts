/** Tools of a Responses request: functions, groups of them, and the web search. */
import {
  ApiError,
  arrayOf,
  booleanField,
  type DecodedValue,
  decodeBody,
  type JsonDecoder,
  type JsonNode,
  mapOf,
  omitIfEmpty,
  rawField,
  stringField,
  structOf,
  toPlainObject,
} from '#core/http';
import type { Tool } from '#core/local-models/base/messages.ts';
import { toolParameters } from '#core/local-models/routes/fields.ts';
import { isSearch, WEB_SEARCH_TOOL } from '../../web-search.ts';
import { alphabetical } from './alphabetical.ts';

const fields = structOf('openai.ResponsesTool', {
  type: stringField,
  name: stringField,
  description: stringField,
  strict: booleanField,
  parameters: mapOf(rawField, 'map[string]interface {}'),
});

export interface WireTool extends DecodedValue<typeof fields> {
  node: JsonNode;
  /** Of a group. */
  members: WireTool[];
}

/** A tool, with the JSON that it was. */
export const responsesTool: JsonDecoder<WireTool> = {
  goType: 'openai.ResponsesTool',
  decode(node, place) {
    const tool = fields.decode(node, place);
    if (!tool || node.type !== 'object') return undefined;
    const tools = node.members.findLast(([key]) => key === 'tools')?.[1];
    const inner = { ...place, struct: 'ResponsesTool', path: [...place.path, 'tools'] };
    const members = tools && memberList.decode(tools, inner);
    return { ...tool, node, members: (members ?? []).filter((member) => member !== undefined) };
  },
};
const memberList = arrayOf(responsesTool, '[]openai.ResponsesTool');

function parametersOf({ node }: WireTool): Record<string, unknown> | undefined {
  if (node.type !== 'object') return undefined;
  const parameters = node.members.findLast(([key]) => key === 'parameters')?.[1];
  if (parameters?.type !== 'object') return undefined;
  try {
    decodeBody(toolParameters, { source: '', root: parameters });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(400, `failed to unmarshal tool parameters: ${error.message}`);
  }
  return toPlainObject(parameters);
}

/** `prefix`: of the group that the tool belongs to. */
function translate(tool: WireTool, prefix: string): Tool[] {
  const { type = '', name = '', description = '' } = tool;
  const whole = name.startsWith(prefix) ? name : prefix + name;
  if (type === 'namespace') {
    return tool.members.flatMap((member) => translate(member, name === '' ? prefix : `${whole}.`));
  }
  if (isSearch(type)) return [WEB_SEARCH_TOOL];
  // Of tools that hosted services run on their side no model here could make anything.
  if (type !== 'function') return [];
  const parameters = parametersOf(tool) ?? { type: 'object', properties: {} };
  return [{ type: 'function', function: { name: whole, description: omitIfEmpty(description), parameters } }];
}

/** `searches`: the model may ask for a search of the web. Throws ApiError 400 for parameters that cannot be read. */
export function readTools(tools: WireTool[]): { tools: Tool[]; searches: boolean } {
  const searches = tools.some(({ type }) => isSearch(type));
  const isOther = (tool: Tool) =>
    tool === WEB_SEARCH_TOOL || (tool.function as { name: string }).name !== WEB_SEARCH_TOOL.function.name;
  const all = tools.flatMap((tool) => translate(tool, ''));
  return { searches, tools: searches ? all.filter(isOther) : all };
}

/** A tool as the answer repeats it. */
export function echoTool(tool: WireTool): object {
  const sent = alphabetical(tool.node.type === 'object' ? toPlainObject(tool.node) : {}) as Record<
    string,
    unknown
  >;
  if (tool.type !== 'function') return sent;
  return {
    type: tool.type,
    name: tool.name ?? '',
    description: tool.description ?? null,
    strict: tool.strict ?? null,
    parameters: sent.parameters ?? null,
  };
}
