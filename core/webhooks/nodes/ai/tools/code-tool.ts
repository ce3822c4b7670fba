/** Runs JavaScript or Python of the author for an agent. */
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { CodeRunRequest, NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { readSchema } from '../schema/schema-of-example.ts';
import { makeTool, runAsTool } from './make-tool.ts';

export const codeTool: NodeType = subNode('toolCode', {
  description: 'Runs JavaScript or Python of your own when an agent asks for it.',
  supplies: 'ai_tool',
  usesPython: ({ get }) => get('language') === 'python',
  async supply(context, itemIndex) {
    const schema = await ownInputSchema(context, itemIndex);
    const name = context.version < 1.2 ? String((await context.parameter('name', itemIndex)) ?? '') : '';
    const description = String((await context.parameter('description', itemIndex)) ?? '');
    return makeTool(context, { description, ...(schema && { schema }), ...(name && { name }) }, (input) =>
      runTool(context, input),
    );
  },
  execute: (context) =>
    runAsTool(context, { takesObject: context.literal<unknown>('specifyInputSchema') === true }, (input) =>
      runTool(context, input),
    ),
});

/** The schema that the node states. Undefined: the tool takes one text. */
export async function ownInputSchema(
  context: NodeContext,
  itemIndex: number,
): Promise<JsonSchema | undefined> {
  if ((await context.parameter('specifyInputSchema', itemIndex)) !== true) return undefined;
  const isExample = (await context.parameter('schemaType', itemIndex)) === 'fromJson';
  const text = await context.parameter(isExample ? 'jsonSchemaExample' : 'inputSchema', itemIndex);
  return documentSchema(readSchema(text, { isExample, allRequired: context.version >= 1.3 }));
}

/** Python reads the input as `_query`. */
function pythonProgram(context: NodeContext): Pick<CodeRunRequest, 'language' | 'code'> {
  return { language: 'python', code: String(context.literal<unknown>('pythonCode', '')) };
}

function javaScriptProgram(context: NodeContext): Pick<CodeRunRequest, 'code'> {
  const code = String(context.literal<unknown>('jsCode', ''));
  // On the first line, so that the lines of errors are those of the author.
  return { code: `return await (async (query) => {${code}\n}).call(this, __input.query);` };
}

async function runTool(context: NodeContext, query: unknown): Promise<string> {
  const isPython = context.literal<unknown>('language', 'javaScript') === 'python';
  const program = isPython ? pythonProgram(context) : javaScriptProgram(context);
  const [outcome] = await context.runCode({ ...program, mode: 'allItems', input: { query } });
  if (!outcome) return '';
  if ('error' in outcome) throw outcome.error;
  const { value } = outcome;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new NodeError('Wrong output type returned', {
    description: `The response property should be a string, but it is an ${typeof value}`,
  });
}
