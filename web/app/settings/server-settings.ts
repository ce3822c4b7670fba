import { settings as words } from '../strings/settings.ts';

export interface Field {
  /** Environment name, docs/environment.md. */
  name: string;
  label: string;
  hint: string;
  /** What counts where nothing is said. */
  usual: string;
  secret?: boolean;
  /** What is wrong with a value; undefined: nothing. */
  check(value: string): string | undefined;
}

const wholeNumber = (value: string) => (/^\d+$/.test(value) ? undefined : words.wrong.wholeNumber);
const duration = (value: string) =>
  /^-?\d+(\.\d+)?$|^-?(\d+(\.\d+)?(ms|s|m|h))+$/.test(value) ? undefined : words.wrong.duration;
const origins = (value: string) =>
  value
    .split(',')
    .map((one) => one.trim())
    .every((one) => one === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/]+\/?$/i.test(one))
    ? undefined
    : words.wrong.origins;
function address(value: string): string | undefined {
  return /^https?:\/\//i.test(value) && URL.canParse(value) ? undefined : words.wrong.address;
}
function zone(value: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return undefined;
  } catch {
    return words.wrong.zone;
  }
}

const field = (
  name: keyof typeof words.fields,
  usual: string,
  check: Field['check'],
  secret?: true,
): Field => ({
  name,
  usual,
  check,
  ...words.fields[name],
  ...(secret && { secret }),
});

/** Those that people change, in groups; the others are set by their names. */
export const GROUPS: { title: string; fields: Field[] }[] = [
  {
    title: words.groups.models,
    fields: [
      field('OLLAMA_KEEP_ALIVE', '5m', duration),
      field('OLLAMA_CONTEXT_LENGTH', words.byMemory, wholeNumber),
      field('OLLAMA_MAX_LOADED_MODELS', '3', wholeNumber),
      field('OLLAMA_MAX_QUEUE', '512', wholeNumber),
      field('TABD_CONSENT_ABOVE', '268435456', wholeNumber),
    ],
  },
  {
    title: words.groups.hub,
    fields: [
      field('HF_ENDPOINT', 'https://huggingface.co', address),
      field('HF_TOKEN', '', () => undefined, true),
    ],
  },
  {
    title: words.groups.reach,
    fields: [
      field('OLLAMA_ORIGINS', '', origins),
      field('WEBHOOK_URL', 'http://localhost:5678', address),
      field('GENERIC_TIMEZONE', 'America/New_York', zone),
    ],
  },
];

const KNOWN = new Map(GROUPS.flatMap(({ fields }) => fields).map((one) => [one.name, one]));

/** Lines of `NAME=value`, without those that have a field of their own. */
export function otherLines(settings: Record<string, string>): string {
  return Object.entries(settings)
    .filter(([name]) => !KNOWN.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** The settings that a form says. `errors` by field, `other` for the lines; with any of them nothing is to be stored. */
export function readForm(form: Record<string, string>): {
  settings: Record<string, string>;
  errors: Record<string, string>;
} {
  const settings: Record<string, string> = {};
  const errors: Record<string, string> = {};
  for (const line of (form.other ?? '').split('\n')) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) errors.other = words.wrong.line(line.trim());
    else settings[name] = value;
  }
  for (const [name, { check }] of KNOWN) {
    const value = form[name]?.trim();
    if (!value) continue;
    const wrong = check(value);
    if (wrong === undefined) settings[name] = value;
    else errors[name] = wrong;
  }
  return { settings, errors };
}
