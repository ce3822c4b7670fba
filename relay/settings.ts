/** What a page tells the server worker it starts: settings by their environment names (`OLLAMA_KEEP_ALIVE`, `HF_ENDPOINT` …). */
export type SettingValues = Record<string, string>;
