/**
 * Recognises the chat templates of model files that mean the same as a well-known TEMPLATE, by what they render: a
 * model then gets that template and its stop strings, as models of the hub have them.
 */
import { JinjaTemplate } from './jinja/jinja-template.ts';
import known from './known-templates.json' with { type: 'json' };
import { distance } from './levenshtein.ts';
import { ModelTemplate } from './model-template.ts';

export interface DetectedTemplate {
  name: string;
  template: string;
  parameters: { stop: string[] };
}

/** Renderings of a conversation without a system message may differ by this much: the model's own default prompt. */
const MAX_DISTANCE = 100;
/** What a TEMPLATE of the table cannot do; such a model keeps its own chat template. */
const BEYOND_TABLE = /\btools\b|tool_call|enable_thinking|<think>|reasoning_content/;

const TURNS = [
  { role: 'user', content: 'Question one?' },
  { role: 'assistant', content: 'Answer one.' },
  { role: 'user', content: 'Question two?' },
];
const WITH_SYSTEM = [{ role: 'system', content: 'Be brief.' }, ...TURNS];

/** `tokens`: the model's own; left out, `</s>` ends a turn. undefined = nothing known. */
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
      // The tokenizer adds it.
      return text.startsWith(bos) ? text.slice(bos.length) : text;
    } catch {
      return undefined;
    }
  };
  const plain = render(TURNS);
  const withSystem = render(WITH_SYSTEM);
  if (plain === undefined) return undefined;
  for (const { name, template, stop } of known) {
    const own = (messages: typeof TURNS) =>
      new ModelTemplate(template).render({ messages, tools: [], think: undefined, now: 0 });
    const matches =
      withSystem === undefined
        ? own(TURNS) === plain
        : own(WITH_SYSTEM) === withSystem && distance(own(TURNS), plain) < MAX_DISTANCE;
    if (matches) return { name, template, parameters: { stop: [...stop] } };
  }
  return undefined;
}
