export type { PythonFiles } from './sandbox/python/interpreter.ts';
export { servePython } from './sandbox/python/serve-python.ts';
export { serveSandbox } from './sandbox/thread/serve.ts';
export { WebhookServer } from './webhook-server.ts';
