export type { LocalModels } from './node-api/node-context.ts';
export { serveSandbox } from './sandbox/thread/serve.ts';
export { WebhookServer } from './webhook-server.ts';
