/** The text that asks a model for JSON of a schema. The braces are doubled as in the template that it comes from. */
import type { JsonSchema } from '../../../node-api/chat.ts';
import texts from './prompts.json' with { type: 'json' };

/** @param schema as `documentSchema` returns it */
export function formatInstructions(schema: JsonSchema): string {
  return texts.format.replace('{schema}', () => JSON.stringify(schema));
}

/** The question that asks a model to correct an answer. */
export function fixingPrompt(
  parts: { instructions: string; completion: string; error: string },
  template: string = texts.fixing,
): string {
  return template.replace(
    /\{(instructions|completion|error)\}/g,
    (_, name: keyof typeof parts) => parts[name],
  );
}
