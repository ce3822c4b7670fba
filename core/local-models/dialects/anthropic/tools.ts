import {
  ApiError,
  type DecodedValue,
  decodeBody,
  integerField,
  omitIfEmpty,
  rawField,
  stringField,
  structOf,
  toPlainValue,
} from '#core/http';
import type { Tool } from '../../base/messages.ts';
import { toolParameters } from '../../runs/tool-fields.ts';
import { isSearch, WEB_SEARCH_TOOL } from '../web-search.ts';

export const toolFields = structOf('anthropic.Tool', {
  type: stringField,
  name: stringField,
  description: stringField,
  input_schema: rawField,
  max_uses: integerField,
});

export type WireTool = DecodedValue<typeof toolFields>;

function readTool({ name = '', description = '', input_schema: schema }: WireTool, source: string): Tool {
  if (schema) {
    try {
      decodeBody(toolParameters, { source, root: schema });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(400, `invalid input_schema for tool ${JSON.stringify(name)}: ${error.message}`);
    }
  }
  const parameters = schema?.type === 'object' ? toPlainValue(schema) : { type: 'object', properties: {} };
  return { type: 'function', function: { name, description: omitIfEmpty(description), parameters } };
}

/**
 * Translates the tools. Next to the web search, a function of the same name is left out: a call could mean either.
 * @returns `searches`: the request offers the web search
 * @throws ApiError 400 for a schema that cannot be read
 */
export function readMessageTools(
  tools: WireTool[],
  source: string,
): { tools: Tool[]; offersSearch: boolean } {
  const offersSearch = tools.some(({ type }) => isSearch(type));
  return {
    offersSearch,
    tools: tools
      .filter(({ type, name }) => !offersSearch || isSearch(type) || name !== WEB_SEARCH_TOOL.function.name)
      .map((tool) => (isSearch(tool.type) ? WEB_SEARCH_TOOL : readTool(tool, source))),
  };
}
