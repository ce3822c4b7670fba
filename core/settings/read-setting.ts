/** Settings as text, read the way Ollama reads its environment: without the spaces and quotes around them. */
import type { Host } from '#core/host';
import { parseDuration } from '#core/http';

export type SettingSource = Pick<Host, 'setting'>;

/** `''` = not set. */
export function textSetting(host: SettingSource, name: string): string {
  return trimSetting(host.setting(name) ?? '');
}

/** What a shell, a `.env` file or a service manager may leave around a value. */
export function trimSetting(value: string): string {
  return value
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
}

const NO = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Any value that does not say no counts as yes, also one that is no boolean at all. */
export function flagSetting(host: SettingSource, name: string): boolean {
  const text = textSetting(host, name);
  return text !== '' && !NO.has(text);
}

/** A whole number above 0; undefined where it is not set, 0 or no number: the default counts then. */
export function countSetting(host: SettingSource, name: string): number | undefined {
  const text = textSetting(host, name);
  return /^[0-9]+$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

/** Milliseconds, from a duration (`1h30m`) or a whole number of seconds; undefined where it is neither. */
export function durationSetting(host: SettingSource, name: string): number | undefined {
  const text = textSetting(host, name);
  if (/^-?[0-9]+$/.test(text)) return Number(text) * 1000;
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** Parts between commas, empty ones left out. */
export function listSetting(host: SettingSource, name: string): string[] {
  return textSetting(host, name)
    .split(',')
    .map(trimSetting)
    .filter((entry) => entry !== '');
}
