/** The core of a host: three APIs that share one `fetch`. */
export { createCore } from './create-core.ts';
