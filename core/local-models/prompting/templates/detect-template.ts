/**
 * Recognizes chat templates of model files that render the same text as a well-known TEMPLATE. A model with such a
 * template gets that TEMPLATE and its stop strings.
 */
import { JinjaTemplate } from './jinja/jinja-template.ts';
import knownTemplates from './known-templates.json' with { type: 'json' };
import { levenshteinDistance } from './levenshtein-distance.ts';
import { ModelTemplate } from './model-template.ts';

export interface DetectedTemplate {
  name: string;
  template: string;
  parameters: { stop: string[] };
}

/** Characters by which two renderings without a system message may differ: room for the model's default prompt. */
const MAX_DISTANCE = 100;
/**
 * Features that no Go template of the table supports. A model whose chat template has one of them keeps that template.
 */
const BEYOND_TABLE = /\btools\b|tool_call|enable_thinking|<think>|reasoning_content/;

const TURNS = [
  { role: 'user', content: 'Question one?' },
  { role: 'assistant', content: 'Answer one.' },
  { role: 'user', content: 'Question two?' },
];
const WITH_SYSTEM = [{ role: 'system', content: 'Be brief.' }, ...TURNS];

/**
 * @param tokens the model's special tokens; default `<s>` and `</s>`
 * @returns undefined when no template of the table renders the same
 */
export function detectTemplate(
  chatTemplate: string,
  tokens: { bos?: string; eos?: string } = {},
): DetectedTemplate | undefined {
  if (BEYOND_TABLE.test(chatTemplate)) return undefined;
  const bos = tokens.bos ?? '<s>';
  const render = (messages: typeof TURNS): string | undefined => {
    try {
      const text = new JinjaTemplate(chatTemplate).render({
        messages,
        tools: [],
        think: undefined,
        bosToken: bos,
        eosToken: tokens.eos ?? '</s>',
      });
      // The tokenizer adds the token that begins a text.
      return text.startsWith(bos) ? text.slice(bos.length) : text;
    } catch {
      return undefined;
    }
  };
  const plain = render(TURNS);
  const withSystem = render(WITH_SYSTEM);
  if (plain === undefined) return undefined;
  for (const { name, template, stop } of knownTemplates) {
    const renderGo = (messages: typeof TURNS) =>
      new ModelTemplate(template).render({ messages, tools: [], think: undefined, now: 0 });
    const matches =
      withSystem === undefined
        ? renderGo(TURNS) === plain
        : renderGo(WITH_SYSTEM) === withSystem && levenshteinDistance(renderGo(TURNS), plain) < MAX_DISTANCE;
    if (matches) return { name, template, parameters: { stop: [...stop] } };
  }
  return undefined;
}
