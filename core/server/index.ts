export { createCore } from './create-server.ts';
