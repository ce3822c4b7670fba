/** The entry for `import()`: `core/server` loads the webhook API at its first request. */
export { webhooksApi } from './api.ts';
export { publishedTools } from './published-tools/published-tools.ts';
