import { chatStrings } from '../../strings/chat.ts';
import type { ChatSettings } from '../conversation.ts';

const strings = chatStrings;

/** The number fields with their ranges, labels and hints. */
export const NUMBER_FIELDS = {
  temperature: { min: 0, max: 2, step: 0.1, label: strings.temperature, hint: strings.temperatureHint },
  top_p: { min: 0, max: 1, step: 0.05, label: strings.topP, hint: strings.topPHint },
  num_ctx: { min: 1, max: undefined, step: 1, label: strings.context, hint: strings.contextHint },
  num_predict: { min: -1, max: undefined, step: 1, label: strings.maxLength, hint: strings.maxLengthHint },
  seed: { min: 0, max: undefined, step: 1, label: strings.seed, hint: strings.seedHint },
} as const;

type FormFields = Record<string, string>;

/** Reads the chat settings from form fields. Empty fields set nothing. `errors` has a message for each invalid field. */
export function readSettings(fields: FormFields): { settings: ChatSettings; errors: FormFields } {
  const settings: ChatSettings = {};
  const errors: FormFields = {};
  if (fields.system?.trim()) settings.system = fields.system;
  for (const name of Object.keys(NUMBER_FIELDS) as (keyof typeof NUMBER_FIELDS)[]) {
    const text = fields[name]?.trim();
    if (!text) continue;
    const value = Number(text);
    const { min, max, step } = NUMBER_FIELDS[name];
    if (!Number.isFinite(value) || value < min || (max !== undefined && value > max))
      errors[name] = strings.outOfRange(min, max);
    else if (step === 1 && !Number.isInteger(value)) errors[name] = strings.notInteger;
    else settings[name] = value;
  }
  const { think } = fields;
  if (think === 'on' || think === 'off') settings.think = think === 'on';
  if (think === 'low' || think === 'medium' || think === 'high') settings.think = think;
  if (fields.format === 'json') settings.format = 'json';
  if (fields.format === 'schema') {
    const schema = parseJson(fields.schema ?? '', strings.notObject, (value) => !Array.isArray(value));
    if (typeof schema === 'string') errors.schema = schema;
    else settings.format = schema as Record<string, unknown>;
  }
  if (fields.tools?.trim()) {
    const tools = parseJson(fields.tools, strings.notArray, Array.isArray);
    if (typeof tools === 'string') errors.tools = tools;
    else settings.tools = tools as unknown[];
  }
  const { documents } = fields;
  if (documents === 'whole' || documents === 'passages') settings.documents = documents;
  if (fields.remoteImages) settings.remoteImages = true;
  return { settings, errors };
}

/** The parsed JSON, or an error message. */
function parseJson(text: string, otherwise: string, fits: (value: object) => boolean): object | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && fits(value) ? value : otherwise;
  } catch (error) {
    return strings.notJson((error as Error).message);
  }
}
