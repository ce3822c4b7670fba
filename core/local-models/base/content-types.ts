export const JSON_TYPE = 'application/json; charset=utf-8';
/** Ollama sends no charset with failed streams, with progress and with the bodies of its dialects. */
export const BARE_JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';
