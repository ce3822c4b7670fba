/**
 * The web search that OpenAI and Anthropic run on their servers. Models are offered it, but a call of it fails, because
 * tabd has no search. Ollama answers the same while its cloud is disabled.
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

/** Tool types such as `web_search` and `web_search_20250305`. */
export const isSearch = (type: string | undefined) => type?.startsWith('web_search') ?? false;

/** The call of the web search, if there is one. */
export const findSearch = (calls: ToolCall[]) =>
  calls.find(({ name }) => name === WEB_SEARCH_TOOL.function.name);

export const searchUnavailable = () =>
  new ApiError(403, 'ollama cloud is disabled: web search is unavailable');
