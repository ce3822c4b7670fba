export { serveSandbox } from './sandbox/thread/serve.ts';
export { WebhookServer } from './webhook-server.ts';
