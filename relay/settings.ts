/**
 * The settings that a page passes to its server worker, by environment names such as `OLLAMA_KEEP_ALIVE`.
 *
 * @example
 * ```ts
 * import type { SettingValues } from 'tabd';
 *
 * export const settings: SettingValues = { OLLAMA_KEEP_ALIVE: '10m' };
 * ```
 */
export type SettingValues = Record<string, string>;
