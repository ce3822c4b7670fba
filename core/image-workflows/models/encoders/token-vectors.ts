/** Vectors in the place of tokens: the graph is made to take what it would look up, and the looking up is done here. */
import { protobufMessage } from '#core/tensors';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { unusedName } from '../graphs/graph-edits.ts';

export interface TokenTable {
  width: number;
  /** Name of the input that the change adds. */
  input: string;
  change: GraphChange;
  /** [1, tokens, width] */
  rows(tokens: readonly (number | Float32Array)[], signal: AbortSignal): Promise<FloatTensor>;
}

const INPUT = 11;

/** Throws where the graph was changed so much that its table of tokens cannot be told. */
export async function tokenTable(graph: ModelGraph): Promise<TokenTable> {
  const { source } = graph;
  const { initializers, nodes } = await source.outline();
  const table = initializers.find(({ name }) => /(token_embedding|shared|embed_tokens)\.weight$/.test(name));
  const lookUp =
    table && nodes.find(({ operator, inputs }) => operator === 'Gather' && inputs[0] === table.name);
  const input = lookUp?.outputs[0];
  const place = lookUp?.outputRanges[0];
  if (!table || !input || !place)
    throw new Error(
      "this model's text encoder does not name its table of tokens (token_embedding.weight): embeddings by name cannot be used with it",
    );
  const width = table.shape[1]!;
  // The looking up stays, under a name that nothing asks for.
  const unused = unusedName(input, place.end - place.start);
  const shape = protobufMessage(
    [1, protobufMessage([2, 'batch'])],
    [1, protobufMessage([2, 'tokens'])],
    [1, protobufMessage([1, width])],
  );
  const type = protobufMessage([1, protobufMessage([1, table.type === 'F16' ? 10 : 1], [2, shape])]);
  const known = new Map<number, Promise<Float32Array>>();
  /** All rows, where they are others than in the files. */
  let whole: Promise<Float32Array> | undefined;
  const row = (token: number, signal: AbortSignal) => {
    const found = known.get(token) ?? read(token, signal);
    known.set(token, found);
    return found;
  };
  async function read(token: number, signal: AbortSignal): Promise<Float32Array> {
    if (!graph.isChanged(table!.name)) return source.rows(table!, token, token + 1);
    whole ??= graph.numbers(table!.name, signal);
    return (await whole).subarray(token * width, (token + 1) * width);
  }
  return {
    width,
    input,
    change: {
      key: 'vectors',
      edits: [{ start: place.start, bytes: unused }],
      fields: [[INPUT, protobufMessage([1, input], [2, type])]],
    },
    async rows(tokens, signal) {
      const made = zeros([1, tokens.length, width]);
      const rows = await Promise.all(
        tokens.map((token) => (typeof token === 'number' ? row(token, signal) : token)),
      );
      for (const [index, numbers] of rows.entries()) made.data.set(numbers, index * width);
      return made;
    },
  };
}
