export { Late } from './lazy.ts';
export { pythonString } from './python-string.ts';
export { API_LEVEL, TABD_VERSION } from './version.ts';
