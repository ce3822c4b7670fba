import { strings } from '../strings.ts';
import type { ChatSettings } from './conversation.ts';

const words = strings.chat;

/** The names of the number fields, with what they take. */
export const NUMBERS = {
  temperature: { min: 0, max: 2, step: 0.1, label: words.temperature, hint: words.temperatureHint },
  top_p: { min: 0, max: 1, step: 0.05, label: words.topP, hint: words.topPHint },
  num_ctx: { min: 1, max: undefined, step: 1, label: words.context, hint: words.contextHint },
  num_predict: { min: -1, max: undefined, step: 1, label: words.limit, hint: words.limitHint },
  seed: { min: 0, max: undefined, step: 1, label: words.seed, hint: words.seedHint },
} as const;

type Fields = Record<string, string>;

/**
 * The settings that a form says, by the names of its fields; empty ones are left to the model. `errors` names the fields
 * that cannot be read, which are left out.
 */
export function readSettings(fields: Fields): { settings: ChatSettings; errors: Fields } {
  const settings: ChatSettings = {};
  const errors: Fields = {};
  if (fields.system?.trim()) settings.system = fields.system;
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const text = fields[name]?.trim();
    if (!text) continue;
    const value = Number(text);
    const { min, max, step } = NUMBERS[name];
    if (!Number.isFinite(value) || value < min || (max !== undefined && value > max))
      errors[name] = words.outOfRange(min, max);
    else if (step === 1 && !Number.isInteger(value)) errors[name] = words.wholeNumber;
    else settings[name] = value;
  }
  const { think } = fields;
  if (think === 'on' || think === 'off') settings.think = think === 'on';
  if (think === 'low' || think === 'medium' || think === 'high') settings.think = think;
  if (fields.format === 'json') settings.format = 'json';
  if (fields.format === 'schema') {
    const schema = read(fields.schema ?? '', words.notObject, (value) => !Array.isArray(value));
    if (typeof schema === 'string') errors.schema = schema;
    else settings.format = schema as Record<string, unknown>;
  }
  if (fields.tools?.trim()) {
    const tools = read(fields.tools, words.notArray, Array.isArray);
    if (typeof tools === 'string') errors.tools = tools;
    else settings.tools = tools as unknown[];
  }
  if (fields.remoteImages) settings.remoteImages = true;
  return { settings, errors };
}

/** JSON, or what is wrong with it. */
function read(text: string, otherwise: string, fits: (value: object) => boolean): object | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && fits(value) ? value : otherwise;
  } catch (error) {
    return words.notJson((error as Error).message);
  }
}
