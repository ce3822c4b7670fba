/** Lets a model correct an answer that a parser refused, once. */
import type { ChatModel } from '../../../node-api/chat.ts';
import type { OutputParser } from '../../../node-api/sub-nodes.ts';
import { fixingPrompt } from './format-instructions.ts';
import { ParseError } from './parse-error.ts';

/** @param template with `{instructions}`, `{completion}` and `{error}` */
export function fixingParser(parser: OutputParser, model: ChatModel, template?: string): OutputParser {
  return {
    ...parser,
    async parse(text) {
      try {
        return await parser.parse(text);
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        const content = fixingPrompt(
          { instructions: parser.instructions, completion: text, error: error.advice },
          template,
        );
        const answer = await model.ask({ messages: [{ role: 'user', content }] });
        return parser.parse(answer.text);
      }
    },
  };
}
