/** The core over a host: three APIs behind one `fetch`. */
export { createCore } from './create-core.ts';
