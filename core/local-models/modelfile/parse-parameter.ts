import { OPTION_KINDS } from '../base/model-options.ts';
import { ModelfileError } from './parse-modelfile.ts';

/** The value of a PARAMETER line. A list holds the stop sequences. */
export type ParameterValue = number | boolean | string[];

/** Parameters of earlier versions of Ollama, which have no effect. */
const DEPRECATED = new Set([
  'penalize_newline',
  'low_vram',
  'f16_kv',
  'logits_all',
  'vocab_only',
  'use_mlock',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
]);

export const isDeprecated = (name: string) => DEPRECATED.has(name);

const YES = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const NO = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/**
 * Converts the text of a parameter, from a Modelfile or a command line, to a value of the parameter's type.
 * @param values the first one counts, except for lists
 * @throws ModelfileError for an unknown parameter or an invalid value
 */
export function parseParameter(name: string, values: string[]): ParameterValue {
  const kind = Object.hasOwn(OPTION_KINDS, name) ? OPTION_KINDS[name] : undefined;
  const [text = ''] = values;
  const refuse = (type: string) => new ModelfileError(`invalid ${type} value [${values.join(' ')}]`);
  switch (kind) {
    case 'array':
      return values;
    case 'integer':
      if (!/^[+-]?\d+$/.test(text)) throw refuse('int');
      return Number(text);
    case 'float32':
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw refuse('float');
      return Number(text);
    case 'boolean':
      if (!YES.includes(text) && !NO.includes(text)) throw refuse('bool');
      return YES.includes(text);
    case undefined:
      throw new ModelfileError(`unknown parameter '${name}'`);
  }
}
