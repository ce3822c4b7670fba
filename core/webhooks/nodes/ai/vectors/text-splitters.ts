/** The nodes that split texts into pieces. */
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { TextSplitter } from '../../../node-api/sub-nodes.ts';
import { estimateTokens } from '../chat-models/recorded-model.ts';
import { subNode } from '../describe.ts';
import { type SplitOptions, splitAt, splitRecursively } from './split-text.ts';

export const recursiveSplitter: NodeType = splitterNode(
  'textSplitterRecursiveCharacterTextSplitter',
  'Splits texts at paragraphs, lines and words.',
  async () => (text, options) => splitRecursively(text, { ...options, keepsSeparator: false }),
);

export const characterSplitter: NodeType = splitterNode(
  'textSplitterCharacterTextSplitter',
  'Splits texts at a separator.',
  async (context, itemIndex) => {
    const separator = String((await context.parameter('separator', itemIndex)) || '\n\n');
    return (text, options) => splitAt(text, separator, options);
  },
);

/** Counts about four characters a token. */
export const tokenSplitter: NodeType = splitterNode(
  'textSplitterTokenSplitter',
  'Splits texts by numbers of tokens, which are estimated.',
  async () => (text, options) => splitRecursively(text, { ...options, length: estimateTokens }),
);

type Split = (text: string, options: SplitOptions) => string[];

function splitterNode(
  name: string,
  description: string,
  choose: (context: SubNodeContext, itemIndex: number) => Promise<Split>,
): NodeType {
  return subNode(name, {
    description,
    supplies: 'ai_textSplitter',
    async supply(context, itemIndex): Promise<TextSplitter> {
      const split = await choose(context, itemIndex);
      const size = Math.max(1, Number(await context.parameter('chunkSize', itemIndex)) || 1000);
      const overlap = Math.max(0, Number(await context.parameter('chunkOverlap', itemIndex)) || 0);
      return {
        node: context.node.name,
        split: (text) =>
          context.recordUse('ai_textSplitter', [{ json: { textSplitter: text } }], async () => {
            const value = split(text, { size, overlap: Math.min(overlap, size - 1) });
            return { value, output: [{ json: { response: value } }] };
          }),
      };
    },
  });
}
