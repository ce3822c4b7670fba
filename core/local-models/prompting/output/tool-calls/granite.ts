/** Granite 3 and Phi-4-mini: a JSON list after `<|tool_call|>`. Granite 4 uses the notation of Hermes. */
import { bareJson } from './bare-json.ts';
import type { ToolCallFamily } from './family.ts';
import { hermes } from './hermes.ts';
import { taggedJson } from './tagged-json.ts';

export const granite: ToolCallFamily = {
  name: 'granite',
  matches: (template) => /<\|tool_call\|>|<\|start_of_role\|>|<function_call>/.test(template),
  forms: [
    taggedJson('<|tool_call|>', '<|/tool_call|>', '<|end_of_text|>'),
    taggedJson('<function_call>', '</function_call>'),
    ...hermes.forms,
    ...bareJson.forms,
  ],
  separator: /[\s,;]/,
};
