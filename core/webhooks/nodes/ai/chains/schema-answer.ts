/** JSON of a schema from a model, for nodes that bring their own schema. */
import type { ChatModel, JsonSchema } from '../../../node-api/chat.ts';
import type { OutputParser } from '../../../node-api/sub-nodes.ts';
import { fixingParser } from '../parsers/fixing-parser.ts';
import { formatInstructions } from '../parsers/format-instructions.ts';
import { jsonIn } from '../parsers/json-in-text.ts';
import { misfit } from '../parsers/parse-error.ts';
import { fitToSchema } from '../schema/fit-to-schema.ts';
import { documentSchema } from '../schema/normal-schema.ts';

/** @param fixing a model that may correct a wrong answer */
export function schemaParser(schema: JsonSchema, itemIndex: number, fixing?: ChatModel): OutputParser {
  const document = documentSchema(schema);
  const parser: OutputParser = {
    node: '',
    instructions: formatInstructions(document),
    schema: document,
    async parse(text) {
      const advice = JSON.stringify({
        llmOutput: text,
        sendToLLM: false,
        lc_error_code: 'OUTPUT_PARSING_FAILURE',
      });
      const fault = () => misfit('Model output does not match the expected schema', { advice, itemIndex });
      let value: unknown;
      try {
        value = jsonIn(text);
      } catch {
        throw fault();
      }
      const fitted = fitToSchema(value, document);
      if ('faults' in fitted) throw fault();
      return fitted.value;
    },
  };
  return fixing ? fixingParser(parser, fixing) : parser;
}
