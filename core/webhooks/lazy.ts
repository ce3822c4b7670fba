/** What `core/server` loads when the webhook API is first asked: entered by `import()` alone. */
export { webhooksApi } from './api.ts';
