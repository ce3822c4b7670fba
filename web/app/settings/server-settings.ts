import { DEFAULT_PORTS } from '#core/http';
import { settingsStrings } from '../strings/settings.ts';

export interface SettingField {
  /** The name in docs/environment.md. */
  name: string;
  label: string;
  hint: string;
  /** The default, shown in an empty field. */
  defaultText: string;
  secret?: boolean;
  /** The stored value of an entered one, where they differ. */
  read?(entered: string): string;
  /** The text for a stored value. */
  show?(stored: string): string;
  /** Returns the error message of an invalid value, undefined for a valid one. */
  check(value: string): string | undefined;
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|kib|mib|gib)?$/i;
const UNITS: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};
const checkSize = (value: string) => (SIZE.test(value) ? undefined : settingsStrings.errors.notSize);

/** `256 MiB` -> `268435456` */
function bytesOf(entered: string): string {
  const [, amount = '0', unit = 'b'] = SIZE.exec(entered) ?? [];
  return String(Math.round(Number(amount) * UNITS[unit.toLowerCase()]!));
}

/** `268435456` -> `256 MiB`. The largest unit in which the size is a whole number. */
function sizeText(stored: string): string {
  const bytes = Number(stored);
  if (!Number.isInteger(bytes) || bytes <= 0) return stored;
  for (const unit of ['GiB', 'GB', 'MiB', 'MB', 'KiB', 'kB']) {
    const size = UNITS[unit.toLowerCase()]!;
    if (bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return stored;
}

const checkInteger = (value: string) => (/^\d+$/.test(value) ? undefined : settingsStrings.errors.notInteger);
const checkDuration = (value: string) =>
  /^-?\d+(\.\d+)?$|^-?(\d+(\.\d+)?(ms|s|m|h))+$/.test(value) ? undefined : settingsStrings.errors.duration;
const checkOrigins = (value: string) =>
  value
    .split(',')
    .map((origin) => origin.trim())
    .every((origin) => origin === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/]+\/?$/i.test(origin))
    ? undefined
    : settingsStrings.errors.origins;
function checkUrl(value: string): string | undefined {
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? undefined : settingsStrings.errors.address;
}
function checkTimezone(value: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return undefined;
  } catch {
    return settingsStrings.errors.timezone;
  }
}

const field = (
  name: keyof typeof settingsStrings.fields,
  defaultText: string,
  check: SettingField['check'],
  more: Partial<Pick<SettingField, 'secret' | 'read' | 'show'>> = {},
): SettingField => ({
  name,
  defaultText,
  check,
  ...settingsStrings.fields[name],
  ...more,
});

/** The settings with a field in the form. The other settings are entered as NAME=value. */
export const SETTING_GROUPS: { title: string; fields: SettingField[] }[] = [
  {
    title: settingsStrings.groups.models,
    fields: [
      field('OLLAMA_KEEP_ALIVE', '5m', checkDuration),
      field('OLLAMA_CONTEXT_LENGTH', settingsStrings.byMemory, checkInteger),
      field('OLLAMA_MAX_LOADED_MODELS', '3', checkInteger),
      field('OLLAMA_MAX_QUEUE', '512', checkInteger),
      field('TABD_CONSENT_ABOVE', '256 MiB', checkSize, { read: bytesOf, show: sizeText }),
    ],
  },
  {
    title: settingsStrings.groups.hub,
    fields: [
      field('HF_ENDPOINT', 'https://huggingface.co', checkUrl),
      field('HF_TOKEN', '', () => undefined, { secret: true }),
    ],
  },
  {
    title: settingsStrings.groups.access,
    fields: [
      field('OLLAMA_ORIGINS', '', checkOrigins),
      field('WEBHOOK_URL', `http://localhost:${DEFAULT_PORTS.webhooks}`, checkUrl),
      field('GENERIC_TIMEZONE', 'America/New_York', checkTimezone),
    ],
  },
];

const FIELDS_BY_NAME = new Map(
  SETTING_GROUPS.flatMap(({ fields }) => fields).map((field) => [field.name, field]),
);

/** The settings without a field, as lines of `NAME=value`. */
export function otherSettingsText(settings: Record<string, string>): string {
  return Object.entries(settings)
    .filter(([name]) => !FIELDS_BY_NAME.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** Reads the settings form. `errors` has a message per invalid field; store nothing unless it is empty. */
export function readSettingsForm(form: Record<string, string>): {
  settings: Record<string, string>;
  errors: Record<string, string>;
} {
  const settings: Record<string, string> = {};
  const errors: Record<string, string> = {};
  for (const line of (form.other ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) errors.other = settingsStrings.errors.line(line.trim());
    else settings[name] = value;
  }
  for (const [name, { check, read }] of FIELDS_BY_NAME) {
    const value = form[name]?.trim();
    if (!value) continue;
    const wrong = check(value);
    if (wrong === undefined) settings[name] = read ? read(value) : value;
    else errors[name] = wrong;
  }
  return { settings, errors };
}
