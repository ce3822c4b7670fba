/** Vectors in the place of tokens: the graph is made to take what it would look up, and the looking up is done here. */
import { message } from '../../tensors/onnx-file/protobuf.ts';
import { type FloatTensor, filled } from '../values/tensor.ts';
import type { GraphChange } from './graph-changes.ts';
import type { GraphSource } from './graph-source.ts';

export interface TokenTable {
  width: number;
  /** Name of the input that the change adds. */
  input: string;
  change: GraphChange;
  /** [1, tokens, width] */
  rows(tokens: readonly (number | Float32Array)[]): Promise<FloatTensor>;
}

const INPUT = 11;

/** Throws where the graph was changed so much that its table of tokens cannot be told. */
export async function tokenTable(source: GraphSource): Promise<TokenTable> {
  const { initializers, nodes } = await source.outline();
  const table = initializers.find(({ name }) => /(token_embedding|shared|embed_tokens)\.weight$/.test(name));
  const lookUp =
    table && nodes.find(({ operator, inputs }) => operator === 'Gather' && inputs[0] === table.name);
  const input = lookUp?.outputs[0];
  const place = lookUp?.outputPlaces[0];
  if (!table || !input || !place)
    throw new Error(
      "this model's text encoder does not name its table of tokens (token_embedding.weight): embeddings by name cannot be used with it",
    );
  const width = table.shape[1]!;
  // The looking up stays, under a name that nothing asks for.
  const unused = new TextEncoder().encode(input);
  unused[0] = unused[0] === 0x7e ? 0x5f : 0x7e;
  const shape = message([1, message([2, 'batch'])], [1, message([2, 'tokens'])], [1, message([1, width])]);
  const type = message([1, message([1, table.type === 'F16' ? 10 : 1], [2, shape])]);
  const known = new Map<number, Promise<Float32Array>>();
  const row = (token: number) => {
    const found = known.get(token) ?? source.rows(table, token, token + 1);
    known.set(token, found);
    return found;
  };
  return {
    width,
    input,
    change: {
      key: 'vectors',
      edits: [{ start: place.start, bytes: unused }],
      fields: [[INPUT, message([1, input], [2, type])]],
    },
    async rows(tokens) {
      const made = filled([1, tokens.length, width]);
      const rows = await Promise.all(tokens.map((token) => (typeof token === 'number' ? row(token) : token)));
      for (const [index, numbers] of rows.entries()) made.data.set(numbers, index * width);
      return made;
    },
  };
}
