/**
 * Token embeddings as the input of a text encoder. A change replaces the graph's own lookup by an additional input, and
 * the lookup happens here.
 */
import { protobufMessage } from '#core/tensors';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { unusedName } from '../graphs/graph-edits.ts';

export interface TokenTable {
  /** The width of an embedding. */
  width: number;
  /** Name of the input that the change adds. */
  input: string;
  change: GraphChange;
  /** The embeddings of token ids, and given embeddings as they are: [1, tokens, width]. */
  rows(tokens: readonly (number | Float32Array)[], signal: AbortSignal): Promise<FloatTensor>;
}

/** `input` of GraphProto. */
const INPUT = 11;

/** Rejects when the graph does not name its embedding table. */
export async function tokenTable(graph: ModelGraph): Promise<TokenTable> {
  const { source } = graph;
  const { initializers, nodes } = await source.outline();
  const table = initializers.find(({ name }) =>
    /(token_embedding|shared|embed_tokens|word_embeddings)\.weight$/.test(name),
  );
  const lookup =
    table && nodes.find(({ operator, inputs }) => operator === 'Gather' && inputs[0] === table.name);
  const input = lookup?.outputs[0];
  const range = lookup?.outputRanges[0];
  if (!table || !input || !range)
    throw new Error(
      "this model's text encoder does not name its table of tokens (token_embedding.weight): embeddings by name cannot be used with it",
    );
  const width = table.shape[1]!;
  // The lookup node stays, but its output gets a name that no node uses.
  const unused = unusedName(input, range.end - range.start);
  const shape = protobufMessage(
    [1, protobufMessage([2, 'batch'])],
    [1, protobufMessage([2, 'tokens'])],
    [1, protobufMessage([1, width])],
  );
  const type = protobufMessage([1, protobufMessage([1, table.type === 'F16' ? 10 : 1], [2, shape])]);
  const cachedRows = new Map<number, Promise<Float32Array>>();
  /** The whole table, when its elements differ from the stored ones. */
  let changedTable: Promise<Float32Array> | undefined;
  const row = (token: number, signal: AbortSignal) => {
    const numbers = cachedRows.get(token) ?? readRow(token, signal);
    cachedRows.set(token, numbers);
    return numbers;
  };
  async function readRow(token: number, signal: AbortSignal): Promise<Float32Array> {
    if (!graph.isChanged(table!.name)) return source.rows(table!, token, token + 1);
    changedTable ??= graph.numbers(table!.name, signal);
    return (await changedTable).subarray(token * width, (token + 1) * width);
  }
  return {
    width,
    input,
    change: {
      key: 'vectors',
      edits: [{ start: range.start, bytes: unused }],
      fields: [[INPUT, protobufMessage([1, input], [2, type])]],
    },
    async rows(tokens, signal) {
      const result = zeros([1, tokens.length, width]);
      const rows = await Promise.all(
        tokens.map((token) => (typeof token === 'number' ? row(token, signal) : token)),
      );
      for (const [index, numbers] of rows.entries()) result.data.set(numbers, index * width);
      return result;
    },
  };
}
