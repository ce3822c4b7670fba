/** A list of texts from the answer of a model. */
import type { NodeType } from '../../../node-api/node-type.ts';
import type { OutputParser } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { ParseError } from './parse-error.ts';

export const itemListParser: NodeType = subNode('outputParserItemList', {
  description: 'Reads a list from the answer of a model: each element becomes an item.',
  supplies: 'ai_outputParser',
  async supply(context, itemIndex): Promise<OutputParser> {
    const options = await context.parameter<{ numberOfItems?: number; separator?: string }>(
      'options',
      itemIndex,
      {},
    );
    const count = Number(options?.numberOfItems ?? -1);
    const separator = (options?.separator || '\\n').replaceAll('\\n', '\n');
    const amount = count > 0 ? `${count} ` : '';
    const node = context.node.name;
    return {
      node,
      isList: true,
      instructions: `Your response should be a list of ${amount}items separated by "${separator}" (for example: "item1${separator}item2${separator}item3")`,
      async parse(text) {
        const all = text
          .split(separator)
          .map((part) => part.trim())
          .filter((part) => part !== '');
        if (count <= 0) return all;
        if (all.length >= count) return all.slice(0, count);
        const message = `Wrong number of items returned. Expected ${count} items but got ${all.length} items instead.`;
        throw new ParseError(message, { reason: message, advice: message, node });
      },
    };
  },
});
