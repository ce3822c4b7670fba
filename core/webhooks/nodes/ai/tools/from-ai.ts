/** `$fromAI()` in the parameters of a tool: the arguments that a model supplies. */
import type { JsonSchema } from '../../../node-api/chat.ts';
import { documentSchema } from '../schema/normal-schema.ts';

interface Argument {
  name: string;
  description: string;
  type: string;
  /** Undefined: the model must supply a value. */
  fallback: unknown;
}

/** The schema of all `$fromAI()` calls in expressions, in the order of the parameters. The first call of a name counts. */
export function fromAiSchema(parameters: unknown): { schema: JsonSchema; hasArguments: boolean } {
  const found = new Map<string, Argument>();
  for (const text of expressionsIn(parameters)) {
    for (const argument of argumentsIn(text))
      if (!found.has(argument.name)) found.set(argument.name, argument);
  }
  const all = [...found.values()];
  const required = all.filter(({ fallback }) => fallback === undefined).map(({ name }) => name);
  const schema = documentSchema({
    type: 'object',
    properties: Object.fromEntries(all.map((argument) => [argument.name, argumentSchema(argument)])),
    ...(required.length > 0 && { required }),
  });
  return { schema, hasArguments: all.length > 0 };
}

function argumentSchema({ description, type, fallback }: Argument): JsonSchema {
  return {
    ...(type !== 'json' && { type }),
    ...(description !== '' && { description }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function* expressionsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (value.startsWith('=')) yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* expressionsIn(inner);
  }
}

const TYPES = new Set(['string', 'number', 'boolean', 'json']);

function* argumentsIn(text: string): Generator<Argument> {
  for (const match of text.matchAll(/\$from(?:AI|Ai|ai)\s*\(/g)) {
    const [name, description, type, fallback] = literals(text, match.index + match[0].length);
    if (typeof name !== 'string' || name === '') continue;
    const knownType = typeof type === 'string' && TYPES.has(type) ? type : 'string';
    yield {
      name,
      description: typeof description === 'string' ? description : '',
      type: knownType,
      fallback,
    };
  }
}

/** The literal arguments from a place on, up to the closing bracket. */
function literals(text: string, start: number): unknown[] {
  const values: unknown[] = [];
  const token = /\s*(?:(['"`])((?:\\[\s\S]|(?!\1)[\s\S])*)\1|([^,()'"`]+))?\s*([,)])/y;
  token.lastIndex = start;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [, quote, quoted = '', plain, end] = match;
    values.push(quote ? unescaped(quoted) : literal(plain));
    if (end === ')') break;
  }
  return values;
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, character: string) => (character === 'n' ? '\n' : character));
}

function literal(text: string | undefined): unknown {
  const value = text?.trim();
  if (!value || value === 'undefined') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
