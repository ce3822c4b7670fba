/** JSON of a schema from answers of a model. */
import { isObject } from '#core/base';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { OutputParser } from '../../../node-api/sub-nodes.ts';
import { modelInput, subNode } from '../describe.ts';
import { fitToSchema } from '../schema/fit-to-schema.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { readSchema } from '../schema/schema-of-example.ts';
import { fixingParser } from './fixing-parser.ts';
import { formatInstructions } from './format-instructions.ts';
import { jsonIn } from './json-in-text.ts';
import { emptyAnswer, misfit } from './parse-error.ts';

const HELP =
  'Troubleshooting URL: https://docs.langchain.com/oss/javascript/langchain/errors/OUTPUT_PARSING_FAILURE/';
/** Where version 1 has its value in an answer. */
const [OUTER, AS_OBJECT, AS_LIST] = [
  '__structured__output',
  '__structured__output__object',
  '__structured__output__array',
];

export const structuredParser: NodeType = subNode('outputParserStructured', {
  description: 'Reads JSON of a schema from the answer of a model.',
  supplies: 'ai_outputParser',
  subNodes: ({ get }) => (get('autoFix') === true ? [modelInput] : []),
  async supply(context, itemIndex) {
    const schema = wrapped(await ownSchema(context, itemIndex), context.version);
    const parser = structured(context, documentSchema(schema));
    if ((await context.parameter('autoFix', itemIndex)) !== true) return parser;
    const [model] = await context.subNodes('ai_languageModel', itemIndex);
    const custom = (await context.parameter('customizeRetryPrompt', itemIndex)) === true;
    const prompt = custom ? String(await context.parameter('prompt', itemIndex)) : undefined;
    return model ? fixingParser(parser, model, prompt) : parser;
  },
});

async function ownSchema(context: SubNodeContext, itemIndex: number): Promise<JsonSchema> {
  if (context.version < 1.2) {
    return readSchema(await context.parameter('jsonSchema', itemIndex), {
      isExample: false,
      allRequired: false,
    });
  }
  const isExample = (await context.parameter('schemaType', itemIndex)) === 'fromJson';
  const text = await context.parameter(isExample ? 'jsonSchemaExample' : 'inputSchema', itemIndex);
  return readSchema(text, { isExample, allRequired: context.version >= 1.3 });
}

function wrapped(schema: JsonSchema, version: number): JsonSchema {
  if (version > 1) {
    return {
      type: 'object',
      properties: { output: schema },
      ...(version >= 1.3 && { required: ['output'] }),
    };
  }
  const inner = {
    type: 'object',
    properties: { [AS_OBJECT!]: schema, [AS_LIST!]: { type: 'array', items: schema } },
    description: `Wrapper around the output data. It can only contain ${AS_OBJECT} or ${AS_LIST} but never both.`,
  };
  return { type: 'object', properties: { [OUTER!]: inner }, required: [OUTER] };
}

function structured(context: SubNodeContext, schema: JsonSchema): OutputParser {
  const node = context.node.name;
  return {
    node,
    schema,
    instructions: formatInstructions(schema),
    parse: (text) =>
      context.recordUse('ai_outputParser', [{ json: { action: 'parse', text } }], async () => {
        const value = read(text, schema, node);
        return { value, output: [{ json: { action: 'parse', response: value } }] };
      }),
  };
}

/** @throws ParseError */
function read(text: string, schema: JsonSchema, node: string): unknown {
  let value: unknown;
  try {
    value = jsonIn(text);
  } catch (error) {
    throw misfit('Invalid JSON in model output', { advice: withHelp((error as Error).message), node });
  }
  const key = Object.keys(schema.properties as object)[0]!;
  if (isObject(value) && !(key in value)) throw emptyAnswer(node);
  const fitted = fitToSchema(value, schema);
  if ('faults' in fitted) {
    const advice = withHelp(JSON.stringify(fitted.faults, null, 2));
    throw misfit('Model output does not match the expected schema', { advice, node });
  }
  return unwrapped(fitted.value);
}

function unwrapped(value: unknown): unknown {
  if (!isObject(value) || !isObject(value[OUTER!])) return value;
  const inner = value[OUTER!] as Record<string, unknown>;
  return inner[AS_OBJECT!] ?? inner[AS_LIST!] ?? inner;
}

function withHelp(message: string): string {
  return `${message}\n\n${HELP}\n`;
}
