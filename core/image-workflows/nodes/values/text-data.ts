/** Nodes that read values out of texts and write them into texts. */
import { isObject } from '#core/base';
import { formatValue } from '../../python/format-spec.ts';
import { group } from '../kernel/dynamic-inputs.ts';
import { anyOf, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'utils/string', module: 'comfy_extras.nodes_string', modern: true } as const;

/** Texts with more braces are read up to so many of them: each may begin an object. */
const MAX_STARTS = 1000;

/** The first JSON object in a text. Models often write words or a code fence around it. */
function firstObject(text: string): Record<string, unknown> | undefined {
  let from = text.indexOf('{');
  for (let tries = 0; from >= 0 && tries < MAX_STARTS; tries++) {
    const end = endOfObject(text, from);
    try {
      const value: unknown = end === undefined ? undefined : JSON.parse(text.slice(from, end));
      if (isObject(value)) return value;
    } catch {
      // The next brace may begin an object.
    }
    from = text.indexOf('{', from + 1);
  }
  return undefined;
}

/** The index after the brace that closes the one at `from`. Braces in strings do not count. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (isString && letter === '\\') at++;
    else if (letter === '"') isString = !isString;
    else if (isString) continue;
    else if (letter === '{') depth++;
    else if (letter === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

/** A value of JSON as Python's `str` writes it. Lists and objects stay JSON. */
function jsonText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

const jsonExtractString = node({
  ...shared,
  name: 'JsonExtractString',
  displayName: 'Extract Text from JSON',
  description: 'The value of a key of the first JSON object in a text. Empty where there is none.',
  inputs: { json_string: string({ multiline: true }), key: string({ multiline: false }) },
  outputs: [output('STRING')],
  run({ json_string, key }) {
    const found = firstObject(json_string);
    return [found && Object.hasOwn(found, key) ? jsonText(found[key]) : ''];
  },
});

/** A value in a text, as Python's `format` writes it. */
function inText(value: unknown, spec: string): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'string':
      return formatValue(value, spec);
    default:
      return jsonText(value);
  }
}

const stringFormat = node({
  ...shared,
  name: 'StringFormat',
  displayName: 'Format Text',
  description:
    'Replaces {a}, {b} and so on by the linked values, {a:.2f} in a form of Python. {{ and }} are braces.',
  inputs: {
    f_string: string({ default: '{a}', multiline: true }),
    values: group('value', anyOf('*'), { names: [...'abcdefghijklmnopqrstuvwxyz'], min: 0 }),
  },
  outputs: [output('STRING')],
  run: ({ f_string, values }) => [
    f_string.replace(/\{\{|\}\}|\{([^{}:]*):?([^{}]*)\}/g, (found, name: string | undefined, spec = '') => {
      if (name === undefined) return found[0]!;
      if (!Object.hasOwn(values, name))
        throw new Error(`the text uses {${name}}, but nothing is linked to the input ${name}`);
      return inText(values[name], spec);
    }),
  ],
});

export const textDataNodes: AnyNode[] = [jsonExtractString, stringFormat];
