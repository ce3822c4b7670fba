/** Room for thoughts of an agent: the tool answers with what it is given. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import { makeTool, runAsTool } from './make-tool.ts';

export const think: NodeType = subNode('toolThink', {
  description: 'Lets an agent think before it answers.',
  supplies: 'ai_tool',
  async supply(context, itemIndex) {
    const description = String(await context.parameter('description', itemIndex));
    const name = context.version < 1.1 ? 'thinking_tool' : undefined;
    return makeTool(context, { description, ...(name && { name }) }, async (input) => input);
  },
  execute: (context) => runAsTool(context, { takesObject: false }, async (input) => input),
});
