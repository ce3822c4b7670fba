/**
 * The web search that hosted services make on their side. Models are offered it as the dialects say; there is no cloud
 * here that could search, so that a call of it fails as on a server without one.
 */
import { ApiError } from '#core/http';
import type { ToolCall } from '../base/messages.ts';

export const WEB_SEARCH_TOOL = {
  type: 'function',
  function: {
    name: 'web_search',
    description: 'Looks something up on the web, for what is newer than your knowledge.',
    parameters: {
      type: 'object',
      required: ['query'],
      properties: { query: { type: 'string', description: 'What to look for' } },
    },
  },
};

/** `web_search`, `web_search_20250305` … */
export const isSearch = (type: string | undefined) => type?.startsWith('web_search') ?? false;

export const findSearch = (calls: ToolCall[]) =>
  calls.find(({ name }) => name === WEB_SEARCH_TOOL.function.name);

export const searchUnavailable = () =>
  new ApiError(403, 'ollama cloud is disabled: web search is unavailable');
