/** The version of Ollama's API that tabd implements: clients compare it. */
export const OLLAMA_API_VERSION = '0.33.0';
/** tabd's own version, as in package.json. */
export const TABD_VERSION = '0.1.0';
