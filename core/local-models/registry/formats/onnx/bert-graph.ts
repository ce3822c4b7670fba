import { ModelUnsupported } from '#core/host';
import type { SafetensorsEntry } from '#core/tensors';
import { GraphBuilder } from './graph-builder.ts';

/** What of a repository's `config.json` a graph needs. */
export interface BertConfig {
  model_type?: unknown;
  hidden_size?: unknown;
  num_attention_heads?: unknown;
  num_hidden_layers?: unknown;
  hidden_act?: unknown;
  layer_norm_eps?: unknown;
  position_embedding_type?: unknown;
}

/** Behind what is masked out; far below all scores and still a plain number. */
const MASKED = -1e9;

/**
 * The ONNX graph of a BERT encoder whose weights lie in a safetensors file, for repositories that bring no graph: token
 * ids and their mask in, the vectors of all tokens out. Throws `ModelUnsupported` for other networks.
 */
export function bertGraph(
  config: BertConfig,
  tensors: SafetensorsEntry[],
  weightsFile: string,
): Uint8Array<ArrayBuffer> {
  const hidden = count(config.hidden_size, 'hidden_size');
  const heads = count(config.num_attention_heads, 'num_attention_heads');
  const layers = count(config.num_hidden_layers, 'num_hidden_layers');
  const epsilon = typeof config.layer_norm_eps === 'number' ? config.layer_norm_eps : 1e-12;
  if (config.model_type !== 'bert') throw refuse(`a network of type ${String(config.model_type)}`);
  if (config.hidden_act !== 'gelu') throw refuse(`the activation ${String(config.hidden_act)}`);
  if ((config.position_embedding_type ?? 'absolute') !== 'absolute') throw refuse('relative positions');
  if (hidden % heads !== 0) throw refuse('heads of unequal size');

  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const prefix = byName.has('bert.embeddings.word_embeddings.weight') ? 'bert.' : '';
  const graph = new GraphBuilder(weightsFile, byName);
  const weight = (name: string, shape: (number | undefined)[]) => {
    const full = `${prefix}${name}`;
    const tensor = byName.get(full);
    if (!tensor) throw refuse(`no tensor ${full}`);
    if (!['F32', 'F16'].includes(tensor.type)) throw refuse(`numbers of type ${tensor.type}`);
    const fits =
      tensor.shape.length === shape.length &&
      shape.every((size, i) => (size ?? tensor.shape[i]) === tensor.shape[i]);
    if (!fits) throw refuse(`the tensor ${full} of shape [${tensor.shape.join(', ')}]`);
    return graph.weight(full);
  };
  const op = graph.op.bind(graph);
  const norm = (input: string, name: string) =>
    op('LayerNormalization', [input, weight(`${name}.weight`, [hidden]), weight(`${name}.bias`, [hidden])], {
      axis: -1,
      epsilon: { float: epsilon },
    });
  const linear = (input: string, name: string, from: number | undefined, to: number | undefined) => {
    const turned = op('Transpose', [weight(`${name}.weight`, [to, from])], { perm: [1, 0] });
    return op('Add', [op('MatMul', [input, turned]), weight(`${name}.bias`, [to])]);
  };

  const length = op('Gather', [op('Shape', ['input_ids']), graph.integers([1])], { axis: 0 });
  const positions = op('Slice', [
    weight('embeddings.position_embeddings.weight', [undefined, hidden]),
    graph.integers([0]),
    length,
    graph.integers([0]),
  ]);
  // Texts come alone, never in pairs: all their tokens are of the first kind.
  const kind = op('Gather', [
    weight('embeddings.token_type_embeddings.weight', [undefined, hidden]),
    graph.integers([0], true),
  ]);
  const words = op('Gather', [weight('embeddings.word_embeddings.weight', [undefined, hidden]), 'input_ids']);
  let state = norm(op('Add', [op('Add', [words, kind]), positions]), 'embeddings.LayerNorm');

  const present = op('Cast', ['attention_mask'], { to: 1 });
  const absent = op('Sub', [graph.float(1), present]);
  const mask = op('Mul', [op('Unsqueeze', [absent, graph.integers([1, 2])]), graph.float(MASKED)]);
  const split = graph.integers([0, 0, heads, hidden / heads]);
  const joined = graph.integers([0, 0, hidden]);
  const scale = graph.float(Math.sqrt(hidden / heads));
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const part = (name: string, perm: number[]) =>
      op(
        'Transpose',
        [op('Reshape', [linear(state, `${at}.attention.self.${name}`, hidden, hidden), split])],
        { perm },
      );
    const scores = op('MatMul', [part('query', [0, 2, 1, 3]), part('key', [0, 2, 3, 1])]);
    const shares = op('Softmax', [op('Add', [op('Div', [scores, scale]), mask])], { axis: -1 });
    const seen = op('Transpose', [op('MatMul', [shares, part('value', [0, 2, 1, 3])])], {
      perm: [0, 2, 1, 3],
    });
    const attended = linear(op('Reshape', [seen, joined]), `${at}.attention.output.dense`, hidden, hidden);
    const middle = norm(op('Add', [attended, state]), `${at}.attention.output.LayerNorm`);
    const wide = gelu(linear(middle, `${at}.intermediate.dense`, hidden, undefined));
    const narrow = linear(wide, `${at}.output.dense`, undefined, hidden);
    state = norm(op('Add', [narrow, middle]), `${at}.output.LayerNorm`);
  }
  op('Identity', [state], {}, 'last_hidden_state');
  return graph.build(
    ['input_ids', 'attention_mask'].map((name) => ({ name, type: 'int64', shape: ['texts', 'tokens'] })),
    [{ name: 'last_hidden_state', type: 'float32', shape: ['texts', 'tokens', hidden] }],
  );

  function gelu(input: string): string {
    const error = op('Erf', [op('Div', [input, graph.float(Math.SQRT2)])]);
    const share = op('Add', [error, graph.float(1)]);
    return op('Mul', [op('Mul', [input, share]), graph.float(0.5)]);
  }
}

function count(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 1e6) return value as number;
  throw refuse(`no ${name}`);
}

function refuse(what: string): ModelUnsupported {
  return new ModelUnsupported(
    `no graph can be made of it, which has ${what}; take a repository with an ONNX file`,
  );
}
