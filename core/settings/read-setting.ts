/** Settings as typed values, read as Ollama reads its environment: without spaces and quotes around them. */
import type { Host } from '#core/host';
import { parseDuration } from '#core/http';

/** The part of a host that reads settings. */
export type SettingSource = Pick<Host, 'setting'>;

/** The text of a setting; '' if it is not set. */
export function textSetting(host: SettingSource, name: string): string {
  return trimSetting(host.setting(name) ?? '');
}

/** Removes spaces and quotes around a value, which a shell, a `.env` file or a service manager may leave there. */
export function trimSetting(value: string): string {
  return value
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
}

const FALSE_VALUES = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Whether a flag is on. Every value that does not mean false turns it on, even one that is no boolean. */
export function flagSetting(host: SettingSource, name: string): boolean {
  const text = textSetting(host, name);
  return text !== '' && !FALSE_VALUES.has(text);
}

/** An integer above 0. Undefined: not set, or another value; the caller then uses its default. */
export function countSetting(host: SettingSource, name: string): number | undefined {
  const text = textSetting(host, name);
  return /^[0-9]+$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

/** Milliseconds, from a duration (`1h30m`) or an integer of seconds. Undefined: the value is neither. */
export function durationSetting(host: SettingSource, name: string): number | undefined {
  const text = textSetting(host, name);
  if (/^-?[0-9]+$/.test(text)) return Number(text) * 1000;
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** The entries of a list with commas, without empty ones. */
export function listSetting(host: SettingSource, name: string): string[] {
  return textSetting(host, name)
    .split(',')
    .map(trimSetting)
    .filter((entry) => entry !== '');
}
