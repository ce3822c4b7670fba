/** Tools of a Responses request: functions, namespaces of functions, and the web search. */
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
import { toolParameters } from '#core/local-models/runs/tool-fields.ts';
import { isSearch, WEB_SEARCH_TOOL } from '../../web-search.ts';
import { sortMembers } from './sort-members.ts';

const fields = structOf('openai.ResponsesTool', {
  type: stringField,
  name: stringField,
  description: stringField,
  strict: booleanField,
  parameters: mapOf(rawField, 'map[string]interface {}'),
});

export interface ResponsesTool extends DecodedValue<typeof fields> {
  /** The JSON of the tool. */
  node: JsonNode;
  /** The tools of a namespace. */
  members: ResponsesTool[];
}

/** Decodes a tool. A tool may be a namespace, which contains more tools. */
export const responsesTool: JsonDecoder<ResponsesTool> = {
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

function parametersOf({ node }: ResponsesTool): Record<string, unknown> | undefined {
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

/** @param prefix of the namespace around the tool, with a dot at its end */
function translate(tool: ResponsesTool, prefix: string): Tool[] {
  const { type = '', name = '', description = '' } = tool;
  const fullName = name.startsWith(prefix) ? name : prefix + name;
  if (type === 'namespace') {
    return tool.members.flatMap((member) => translate(member, name === '' ? prefix : `${fullName}.`));
  }
  if (isSearch(type)) return [WEB_SEARCH_TOOL];
  // OpenAI runs the other tools on its own servers; a model here cannot use them.
  if (type !== 'function') return [];
  const parameters = parametersOf(tool) ?? { type: 'object', properties: {} };
  return [
    { type: 'function', function: { name: fullName, description: omitIfEmpty(description), parameters } },
  ];
}

/**
 * Translates the tools. If the web search is offered, a function of the same name is left out, because a call could
 * mean either.
 * @returns `searches`: the request offers the web search
 * @throws ApiError 400 for parameters that cannot be read
 */
export function readResponseTools(tools: ResponsesTool[]): { tools: Tool[]; offersSearch: boolean } {
  const offersSearch = tools.some(({ type }) => isSearch(type));
  const isOther = (tool: Tool) =>
    tool === WEB_SEARCH_TOOL || (tool.function as { name: string }).name !== WEB_SEARCH_TOOL.function.name;
  const all = tools.flatMap((tool) => translate(tool, ''));
  return { offersSearch, tools: offersSearch ? all.filter(isOther) : all };
}

/** The form of a tool in the response. */
export function echoTool(tool: ResponsesTool): object {
  const sent = sortMembers(tool.node.type === 'object' ? toPlainObject(tool.node) : {}) as Record<
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
