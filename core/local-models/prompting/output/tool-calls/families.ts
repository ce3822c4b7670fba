/** Decides by a model's template how it writes tool calls. */
import type { Tool } from '#core/local-models/base/messages.ts';
import { bareJson } from './bare-json.ts';
import { command } from './command.ts';
import { deepseek } from './deepseek.ts';
import type { ToolCallFamily } from './family.ts';
import { gemma } from './gemma.ts';
import { granite } from './granite.ts';
import { hermes } from './hermes.ts';
import { invoke } from './invoke.ts';
import { llama } from './llama.ts';
import { mistral } from './mistral.ts';
import { olmo } from './olmo.ts';
import { RequestTools } from './request-tools.ts';
import { taggedFamilies } from './tagged-families.ts';
import { taggedJson } from './tagged-json.ts';
import { templateTag } from './template-tag.ts';
import { FormParser, type ToolCallParser } from './tool-call-parser.ts';

/**
 * The first family that matches counts: those with distinctive tokens come before those that share theirs with others.
 * The last one matches every template.
 */
const FAMILIES: ToolCallFamily[] = [
  invoke,
  deepseek,
  mistral,
  command,
  olmo,
  ...taggedFamilies,
  granite,
  gemma,
  hermes,
  llama,
  bareJson,
];

/** Names that a Modelfile's PARSER may have. */
const PARSER_NAMES: [RegExp, ToolCallFamily][] = [
  [/^(qwen|glm|nemotron|hermes)/, hermes],
  [/^olmo/, olmo],
  [/^(deepseek|cogito)/, deepseek],
  [/^(ministral|mistral|magistral)/, mistral],
  [/gemma/, gemma],
  [/^granite/, granite],
  [/^(llama|lfm)/, llama],
  [/^command/, command],
];

/** @param parserName the PARSER that the model was created with; it wins over the template */
export function toolCallFamily(template: string, parserName?: string): ToolCallFamily {
  const named = parserName && PARSER_NAMES.find(([pattern]) => pattern.test(parserName))?.[1];
  if (named) return named;
  const family = FAMILIES.find(({ matches }) => matches(template))!;
  const tag = templateTag(template);
  if (tag === undefined || family.forms.some(({ open }) => open.includes(tag) || tag.includes(open)))
    return family;
  // No family has this tag: the template's author invented it.
  return { ...family, forms: [taggedJson(tag, tag.replace('<', '</')), ...family.forms] };
}

/** The parser for a model with this template, or with this PARSER. */
export function toolCallParser(template: string, tools: Tool[], parserName?: string): ToolCallParser {
  return new FormParser(toolCallFamily(template, parserName), new RequestTools(tools));
}
