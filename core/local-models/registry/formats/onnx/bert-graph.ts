import { ModelUnsupported } from '#core/host';
import { GraphBuilder, type SafetensorsEntry } from '#core/tensors';

/** The members of a repository's `config.json` that determine the graph. */
export interface BertConfig {
  model_type?: unknown;
  hidden_size?: unknown;
  num_attention_heads?: unknown;
  num_hidden_layers?: unknown;
  hidden_act?: unknown;
  layer_norm_eps?: unknown;
  position_embedding_type?: unknown;
}

/** Sizes of the network, in the names of its configuration. */
interface BertSizes {
  hiddenSize: number;
  heads: number;
  layers: number;
  layerNormEpsilon: number;
}

/** Added to the scores of masked tokens: far below all scores, and finite, as infinities would lead to NaN. */
const MASKED_SCORE = -1e9;
/** `TensorProto.DataType.FLOAT`. */
const FLOAT = 1;

/**
 * The ONNX model of a BERT encoder, for repositories that contain only weights.
 * Inputs: `input_ids` and `attention_mask`, int64 [texts, tokens].
 * Output: `last_hidden_state`, float32 [texts, tokens, hidden size].
 * @param weightsFile the name of the safetensors file with these tensors
 * @throws ModelUnsupported for other networks
 */
export function bertGraph(
  config: BertConfig,
  tensors: SafetensorsEntry[],
  weightsFile: string,
): Uint8Array<ArrayBuffer> {
  return new BertGraph(readSizes(config), tensors, weightsFile).build();
}

function readSizes(config: BertConfig): BertSizes {
  const hiddenSize = requireCount(config.hidden_size, 'hidden_size');
  const heads = requireCount(config.num_attention_heads, 'num_attention_heads');
  const layers = requireCount(config.num_hidden_layers, 'num_hidden_layers');
  const layerNormEpsilon = typeof config.layer_norm_eps === 'number' ? config.layer_norm_eps : 1e-12;
  if (config.model_type !== 'bert') throw unsupported(`a network of type ${String(config.model_type)}`);
  if (config.hidden_act !== 'gelu') throw unsupported(`the activation ${String(config.hidden_act)}`);
  if ((config.position_embedding_type ?? 'absolute') !== 'absolute') throw unsupported('relative positions');
  if (hiddenSize % heads !== 0) throw unsupported('heads of unequal size');
  return { hiddenSize, heads, layers, layerNormEpsilon };
}

/** The order of the calls determines the names in the file, and with them the digest of the model: it must not change. */
class BertGraph {
  readonly #graph: GraphBuilder;
  readonly #tensors: Map<string, SafetensorsEntry>;
  readonly #prefix: string;

  constructor(
    private readonly sizes: BertSizes,
    tensors: SafetensorsEntry[],
    weightsFile: string,
  ) {
    this.#tensors = new Map(tensors.map((tensor) => [tensor.name, tensor]));
    this.#prefix = this.#tensors.has('bert.embeddings.word_embeddings.weight') ? 'bert.' : '';
    this.#graph = new GraphBuilder(
      new Map(tensors.map((tensor) => [tensor.name, { ...tensor, file: weightsFile }])),
      // The digest of the graph identifies installed models.
      true,
    );
  }

  build(): Uint8Array<ArrayBuffer> {
    const { hiddenSize, layers } = this.sizes;
    let hiddenState = this.#embeddings();
    const layer = this.#layerBuilder(this.#attentionMask());
    for (let index = 0; index < layers; index++) hiddenState = layer(hiddenState, `encoder.layer.${index}`);
    this.#graph.node('Identity', [hiddenState], {}, 'last_hidden_state');
    return this.#graph.buildModel(
      ['input_ids', 'attention_mask'].map((name) => ({ name, type: 'int64', shape: ['texts', 'tokens'] })),
      [{ name: 'last_hidden_state', type: 'float32', shape: ['texts', 'tokens', hiddenSize] }],
    );
  }

  /** The normalized sum of word, token type and position embeddings: [texts, tokens, hidden size]. */
  #embeddings(): string {
    const graph = this.#graph;
    const { hiddenSize } = this.sizes;
    const tokens = graph.node('Gather', [graph.node('Shape', ['input_ids']), graph.int64Initializer([1])], {
      axis: 0,
    });
    const positions = graph.node('Slice', [
      this.#weight('embeddings.position_embeddings.weight', [undefined, hiddenSize]),
      graph.int64Initializer([0]),
      tokens,
      graph.int64Initializer([0]),
    ]);
    // Every text stands alone, never in a pair: all of its tokens have the first type.
    const tokenType = graph.node('Gather', [
      this.#weight('embeddings.token_type_embeddings.weight', [undefined, hiddenSize]),
      graph.int64Initializer([0], true),
    ]);
    const words = graph.node('Gather', [
      this.#weight('embeddings.word_embeddings.weight', [undefined, hiddenSize]),
      'input_ids',
    ]);
    const sum = graph.node('Add', [graph.node('Add', [words, tokenType]), positions]);
    return this.#layerNorm(sum, 'embeddings.LayerNorm');
  }

  /** Zero for tokens, `MASKED_SCORE` for padding: [texts, 1, 1, tokens]. */
  #attentionMask(): string {
    const graph = this.#graph;
    const mask = graph.node('Cast', ['attention_mask'], { to: FLOAT });
    const padding = graph.node('Sub', [graph.scalarInitializer(1), mask]);
    const broadcast = graph.node('Unsqueeze', [padding, graph.int64Initializer([1, 2])]);
    return graph.node('Mul', [broadcast, graph.scalarInitializer(MASKED_SCORE)]);
  }

  /** Returns a function that adds one encoder layer, whose weights have the names `prefix.…`. */
  #layerBuilder(mask: string): (hiddenState: string, prefix: string) => string {
    const graph = this.#graph;
    const { hiddenSize, heads } = this.sizes;
    const splitShape = graph.int64Initializer([0, 0, heads, hiddenSize / heads]);
    const joinedShape = graph.int64Initializer([0, 0, hiddenSize]);
    const scale = graph.scalarInitializer(Math.sqrt(hiddenSize / heads));
    return (hiddenState, prefix) => {
      const splitHeads = (projection: string, perm: number[]) => {
        const name = `${prefix}.attention.self.${projection}`;
        const projected = this.#linear(hiddenState, name, hiddenSize, hiddenSize);
        return graph.node('Transpose', [graph.node('Reshape', [projected, splitShape])], { perm });
      };
      const scores = graph.node('MatMul', [
        splitHeads('query', [0, 2, 1, 3]),
        splitHeads('key', [0, 2, 3, 1]),
      ]);
      const maskedScores = graph.node('Add', [graph.node('Div', [scores, scale]), mask]);
      const probabilities = graph.node('Softmax', [maskedScores], { axis: -1 });
      const context = graph.node(
        'Transpose',
        [graph.node('MatMul', [probabilities, splitHeads('value', [0, 2, 1, 3])])],
        { perm: [0, 2, 1, 3] },
      );
      const joined = graph.node('Reshape', [context, joinedShape]);
      const attention = this.#linear(joined, `${prefix}.attention.output.dense`, hiddenSize, hiddenSize);
      const attended = graph.node('Add', [attention, hiddenState]);
      return this.#feedForward(this.#layerNorm(attended, `${prefix}.attention.output.LayerNorm`), prefix);
    };
  }

  #feedForward(input: string, prefix: string): string {
    const { hiddenSize } = this.sizes;
    const intermediate = this.#gelu(
      this.#linear(input, `${prefix}.intermediate.dense`, hiddenSize, undefined),
    );
    const output = this.#linear(intermediate, `${prefix}.output.dense`, undefined, hiddenSize);
    return this.#layerNorm(this.#graph.node('Add', [output, input]), `${prefix}.output.LayerNorm`);
  }

  #layerNorm(input: string, name: string): string {
    const { hiddenSize, layerNormEpsilon } = this.sizes;
    const scale = this.#weight(`${name}.weight`, [hiddenSize]);
    const bias = this.#weight(`${name}.bias`, [hiddenSize]);
    return this.#graph.node('LayerNormalization', [input, scale, bias], {
      axis: -1,
      epsilon: { float: layerNormEpsilon },
    });
  }

  /** `input × weightᵀ + bias`, as torch's Linear. Undefined sizes are those of the weights. */
  #linear(input: string, name: string, inputs: number | undefined, outputs: number | undefined): string {
    const graph = this.#graph;
    const transposed = graph.node('Transpose', [this.#weight(`${name}.weight`, [outputs, inputs])], {
      perm: [1, 0],
    });
    const product = graph.node('MatMul', [input, transposed]);
    return graph.node('Add', [product, this.#weight(`${name}.bias`, [outputs])]);
  }

  /** The exact GELU: x · (1 + erf(x / √2)) / 2. Opset 17 has no operator for it. */
  #gelu(input: string): string {
    const graph = this.#graph;
    const erf = graph.node('Erf', [graph.node('Div', [input, graph.scalarInitializer(Math.SQRT2)])]);
    const factor = graph.node('Add', [erf, graph.scalarInitializer(1)]);
    return graph.node('Mul', [graph.node('Mul', [input, factor]), graph.scalarInitializer(0.5)]);
  }

  /** @throws ModelUnsupported when the file lacks the tensor, or has it in another shape or type */
  #weight(name: string, shape: (number | undefined)[]): string {
    const fullName = `${this.#prefix}${name}`;
    const tensor = this.#tensors.get(fullName);
    if (!tensor) throw unsupported(`no tensor ${fullName}`);
    if (!['F32', 'F16'].includes(tensor.type)) throw unsupported(`numbers of type ${tensor.type}`);
    const hasShape =
      tensor.shape.length === shape.length &&
      shape.every((size, i) => (size ?? tensor.shape[i]) === tensor.shape[i]);
    if (!hasShape) throw unsupported(`the tensor ${fullName} of shape [${tensor.shape.join(', ')}]`);
    return this.#graph.externalFloats(fullName);
  }
}

function requireCount(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 1e6) return value as number;
  throw unsupported(`no ${name}`);
}

function unsupported(property: string): ModelUnsupported {
  return new ModelUnsupported(
    `no graph can be made of it, which has ${property}; take a repository with an ONNX file`,
  );
}
