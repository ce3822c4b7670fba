/** Which form of tool calls a model uses is read off its template; the last family takes everything else. */
import type { Tool } from '#core/local-models/base/messages.ts';
import { bareJson } from './bare-json.ts';
import { byTag } from './by-tag.ts';
import { command } from './command.ts';
import { deepseek } from './deepseek.ts';
import { gemma } from './gemma.ts';
import { granite } from './granite.ts';
import { hermes } from './hermes.ts';
import { invoke } from './invoke.ts';
import { llama } from './llama.ts';
import { mistral } from './mistral.ts';
import { olmo } from './olmo.ts';
import { FormParser, KnownTools, type ToolCallFamily, type ToolCallParser } from './parser.ts';
import { taggedJson } from './tagged-json.ts';
import { templateTag } from './template-tag.ts';

export { KnownTools, type Piece, type ToolCallParser } from './parser.ts';

/** The first that matches; those with tokens of their own come before those that share theirs with others. */
const FAMILIES: ToolCallFamily[] = [
  invoke,
  deepseek,
  mistral,
  command,
  olmo,
  ...byTag,
  granite,
  gemma,
  hermes,
  llama,
  bareJson,
];

/** Names that a Modelfile's PARSER may give. */
const NAMED: [RegExp, ToolCallFamily][] = [
  [/^(qwen|glm|nemotron|hermes)/, hermes],
  [/^olmo/, olmo],
  [/^(deepseek|cogito)/, deepseek],
  [/^(ministral|mistral|magistral)/, mistral],
  [/gemma/, gemma],
  [/^granite/, granite],
  [/^(llama|lfm)/, llama],
  [/^command/, command],
];

/** `name`: the parser that was chosen for the model when it was created. */
export function toolCallFamily(template: string, name?: string): ToolCallFamily {
  const named = name && NAMED.find(([pattern]) => pattern.test(name))?.[1];
  if (named) return named;
  const family = FAMILIES.find(({ matches }) => matches(template))!;
  const tag = templateTag(template);
  if (tag === undefined || family.forms.some(({ open }) => open.includes(tag) || tag.includes(open)))
    return family;
  // A tag that its author made up.
  return { ...family, forms: [taggedJson(tag, tag.replace('<', '</')), ...family.forms] };
}

export function toolCallParser(template: string, tools: Tool[], name?: string): ToolCallParser {
  return new FormParser(toolCallFamily(template, name), new KnownTools(tools));
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const MIXED = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LETTERS}`;

/** Models with a TEMPLATE get `call_` and 8 characters, models with a chat template of their own 32. */
export function toolCallId(native: boolean): string {
  const bytes = crypto.getRandomValues(new Uint8Array(native ? 32 : 8));
  const alphabet = native ? MIXED : LETTERS;
  const text = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  return native ? text : `call_${text}`;
}
