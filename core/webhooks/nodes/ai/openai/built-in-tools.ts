/** The tools that run at OpenAI, from the parameter `builtInTools`. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';

export function builtInTools(stored: unknown): JsonObject[] {
  const { webSearch, codeInterpreter, fileSearch } = isObject(stored) ? stored : {};
  return [
    ...(isObject(webSearch) ? [webSearchTool(webSearch)] : []),
    ...(codeInterpreter ? [{ type: 'code_interpreter', container: { type: 'auto' } }] : []),
    ...(isObject(fileSearch) ? [fileSearchTool(fileSearch)] : []),
  ];
}

function webSearchTool({ searchContextSize, allowedDomains, country, city, region }: JsonObject): JsonObject {
  const domains = commaList(allowedDomains);
  const isLocated = Boolean(country || city || region);
  return {
    type: 'web_search',
    search_context_size: searchContextSize ?? 'medium',
    ...(isLocated && { user_location: { type: 'approximate', country, city, region } }),
    ...(domains.length > 0 && { filters: { allowed_domains: domains } }),
  };
}

function fileSearchTool({ vectorStoreIds, filters, maxResults }: JsonObject): JsonObject {
  const filter = filters && parseJsonParameter(filters, 'Failed to parse filters');
  return {
    type: 'file_search',
    vector_store_ids: parseJsonParameter(vectorStoreIds ?? [], 'Failed to parse vector store IDs'),
    ...(isObject(filter) && Object.keys(filter).length > 0 && { filters: filter }),
    ...(maxResults !== undefined && { max_num_results: maxResults }),
  };
}
