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
import { toolParameters } from '../../routes/fields.ts';
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

/** `searches`: the model may ask for a search of the web. Throws ApiError 400 for a schema that cannot be read. */
export function readTools(tools: WireTool[], source: string): { tools: Tool[]; searches: boolean } {
  const searches = tools.some(({ type }) => isSearch(type));
  return {
    searches,
    tools: tools
      // Two tools of one name could not be told apart; the documented one wins.
      .filter(({ type, name }) => !searches || isSearch(type) || name !== WEB_SEARCH_TOOL.function.name)
      .map((tool) => (isSearch(tool.type) ? WEB_SEARCH_TOOL : readTool(tool, source))),
  };
}
