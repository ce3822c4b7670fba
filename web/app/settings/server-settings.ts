import { settingsStrings } from '../strings/settings.ts';

export interface SettingField {
  /** The name in docs/environment.md. */
  name: string;
  label: string;
  hint: string;
  /** The default, shown in an empty field. */
  defaultText: string;
  secret?: boolean;
  /** Returns the error message of an invalid value, undefined for a valid one. */
  check(value: string): string | undefined;
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
  secret?: true,
): SettingField => ({
  name,
  defaultText,
  check,
  ...settingsStrings.fields[name],
  ...(secret && { secret }),
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
      field('TABD_CONSENT_ABOVE', '268435456', checkInteger),
    ],
  },
  {
    title: settingsStrings.groups.hub,
    fields: [
      field('HF_ENDPOINT', 'https://huggingface.co', checkUrl),
      field('HF_TOKEN', '', () => undefined, true),
    ],
  },
  {
    title: settingsStrings.groups.access,
    fields: [
      field('OLLAMA_ORIGINS', '', checkOrigins),
      field('WEBHOOK_URL', 'http://localhost:5678', checkUrl),
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
  for (const [name, { check }] of FIELDS_BY_NAME) {
    const value = form[name]?.trim();
    if (!value) continue;
    const wrong = check(value);
    if (wrong === undefined) settings[name] = value;
    else errors[name] = wrong;
  }
  return { settings, errors };
}
