/** The settings that a page passes to its server worker, by environment names such as `OLLAMA_KEEP_ALIVE`. */
export type SettingValues = Record<string, string>;
