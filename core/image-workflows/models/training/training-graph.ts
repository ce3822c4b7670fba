/** The graph of a network with the backward pass of its loss: a change of the graph, so that its weights stay in place. */
import type { OnnxOutline, ProtobufField } from '#core/tensors';
import type { GraphChange, GraphInsertion } from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { inputField, nodeField, outputField } from '../graphs/graph-fields.ts';
import { NodeBuilder, requireOpset } from '../patches/node-builder.ts';
import { backPropagate, dependents } from './gradients/back-propagate.ts';
import type { ForwardNode, RuleContext } from './gradients/gradient-rule.ts';
import { type AddedBranch, addBranch } from './lora-branch.ts';
import { LOSSES, type LossName } from './losses.ts';
import type { TracedGraph } from './traced-graph.ts';
import type { TrainableLayer, TrainableParameters, TrainableVector } from './trainable-parameters.ts';

/** Inputs of the training graph that are no trained tensors. */
export const TRAINING_INPUTS = {
  /** The wanted value of `scale` times the network's output, in the shape of the output. */
  target: 'training/target',
  /** [1] */
  scale: 'training/scale',
} as const;

/** A trained tensor: an input of the graph, and the output with its gradient. */
export interface TrainedInput {
  /** `MODULE.lora_up.weight`, `MODULE.lora_down.weight`, `MODULE.diff` or `MODULE.diff_b`. */
  readonly name: string;
  readonly input: string;
  readonly gradient: string;
}

export interface TrainingGraph {
  readonly change: GraphChange;
  readonly trained: readonly TrainedInput[];
  /** Bytes that the results of the forward pass take while they wait for the backward pass. */
  readonly memory: number;
}

export interface TrainingGraphOptions {
  /** Distinguishes graphs of different sizes of input. */
  key: string;
  /** The value that the loss is a function of. */
  output: string;
  loss: LossName;
  /** alpha / rank, and the rank, by the module of each layer. */
  ranks: ReadonlyMap<string, { rank: number; scale: number }>;
}

/** Throws an error that names the operator when a gradient cannot be computed. */
export function trainingGraph(
  outline: OnnxOutline,
  traced: TracedGraph,
  parameters: TrainableParameters,
  options: TrainingGraphOptions,
): TrainingGraph {
  requireOpset(outline, 'training');
  const parts = new TrainingParts(outline, traced, parameters);
  const { build } = parts;
  const branches = parameters.layers.map((layer) => parts.branch(layer, options.ranks.get(layer.module)!));
  const gradients = backPropagate(
    traced.nodes,
    [options.output, parts.lossGradient(options.output, options.loss)],
    parts.context,
    (node, gradient) => branches.find((branch) => branch.node === node)?.gradientOf(gradient),
  );
  for (const { name, value } of parts.vectorInputs) parts.gradientOf(name, gradients.get(value));
  const trained = parts.trained();
  if (trained.length === 0) throw new Error('the output of this network does not depend on its weights');
  const outputs = trained.map(({ gradient }) => outputField(gradient, 'F32'));
  return {
    change: {
      key: `training ${options.key}`,
      fields: [...parts.inputs, ...build.fields, ...outputs],
      insertions: parts.insertions,
    },
    trained,
    memory: parts.memory(),
  };
}

/** Collects the parts of a change. */
class TrainingParts {
  readonly inputs: ProtobufField[] = [];
  readonly insertions: GraphInsertion[] = [];
  readonly build: NodeBuilder;
  readonly context: RuleContext;
  readonly vectorInputs: { name: string; value: string }[] = [];
  readonly #inputOf = new Map<string, string>();
  readonly #gradientOf = new Map<string, string>();
  readonly #awaited = new Set<string>();
  /** The names of changed vectors, by the values in the graph that they replace. */
  readonly #changed = new Map<string, string>();

  constructor(
    private readonly outline: OnnxOutline,
    private readonly traced: TracedGraph,
    { layers, vectors }: TrainableParameters,
  ) {
    this.build = new NodeBuilder(outline, 'training');
    const trainedNodes = new Set<ForwardNode>(layers.map(({ node }) => node));
    const needed = dependents(
      traced.nodes,
      (node) => trainedNodes.has(node),
      vectors.map(({ value }) => value),
    );
    this.context = {
      build: this.build,
      shape: traced.shape,
      ints: traced.ints,
      needs: (value) => needed.has(value),
      read: (value) => {
        this.#awaited.add(value);
        return this.#changed.get(value) ?? value;
      },
    };
    for (const vector of vectors) this.#addVector(vector);
    for (const name of Object.values(TRAINING_INPUTS))
      this.inputs.push(inputField(name, 'F32', anySize(name)));
  }

  /** Adds low-rank factors next to a layer. */
  branch(layer: TrainableLayer, { rank, scale }: { rank: number; scale: number }) {
    const { module, node } = layer;
    const columns = layer.inputs * elementCount(layer.kernel);
    const [up, down] = [`${module}.lora_up.weight`, `${module}.lora_down.weight`] as const;
    const factors = {
      ...{ up: this.#input(up, [layer.outputs, rank]), down: this.#input(down, [rank, columns]) },
      ...{ rank, scale: this.build.float(scale) },
    };
    const branch: AddedBranch = addBranch(layer, factors, this.context);
    this.insertions.push({
      at: { value: node.outputs[0]! },
      parts: (from, to) => [nodeField('Add', [from, branch.added], [to])],
    });
    return {
      node,
      gradientOf: (gradient: string) => {
        const found = branch.gradients(gradient);
        this.gradientOf(up, found.up);
        this.gradientOf(down, found.down);
        return [found.input];
      },
    };
  }

  /** The gradient of the mean loss by the network's output. */
  lossGradient(output: string, loss: LossName): string {
    const { build } = this;
    const { target, scale } = TRAINING_INPUTS;
    const difference = build.op('Sub', [build.op('Mul', [output, scale]), target]);
    const count = elementCount(this.traced.shape(output));
    const share = build.op('Mul', [scale, build.float(1 / count)]);
    return build.op('Mul', [LOSSES[loss].derivative(build, difference), share]);
  }

  gradientOf(name: string, gradient: string | undefined): void {
    if (gradient !== undefined) this.#gradientOf.set(name, gradient);
  }

  /** Tensors that the output does not depend on have no gradient. They are left out. */
  trained(): TrainedInput[] {
    return [...this.#inputOf].flatMap(([name, input]) => {
      const gradient = this.#gradientOf.get(name);
      return gradient === undefined ? [] : [{ name, input, gradient }];
    });
  }

  memory(): number {
    const { nodes, shape } = this.traced;
    // Weights are read too, and are in memory anyway.
    const results = dependents(nodes, () => false, this.outline.inputs);
    let bytes = 0;
    for (const value of this.#awaited) if (results.has(value)) bytes += 4 * elementCount(shape(value));
    return bytes + Math.max(0, ...nodes.map((node) => this.#mapSize(node)));
  }

  /** Bytes of an attention's map, of its gradient and of that of its scores. */
  #mapSize({ operator, inputs, attributes }: ForwardNode): number {
    if (operator !== 'MultiHeadAttention') return 0;
    const [query, key] = [this.traced.shape(inputs[0]!), this.traced.shape(inputs[1]!)];
    return 3 * 4 * query[0]! * Number(attributes.num_heads) * query[1]! * key[1]!;
  }

  /** Adds a trained tensor to a vector, for all nodes that use it. */
  #addVector({ module, of, value, length }: TrainableVector): void {
    const name = `${module}.${of === 'weight' ? 'diff' : 'diff_b'}`;
    const changed = this.build.op('Add', [value, this.#input(name, [length])]);
    this.#changed.set(value, changed);
    this.vectorInputs.push({ name, value });
    for (const node of this.outline.nodes)
      for (const [input, used] of node.inputs.entries())
        if (used === value)
          this.insertions.push({
            at: { node, input },
            parts: (_, to) => [nodeField('Identity', [changed], [to])],
          });
  }

  #input(name: string, shape: readonly number[]): string {
    const input = `training/${name}`;
    this.inputs.push(inputField(input, 'F32', shape));
    this.#inputOf.set(name, input);
    return input;
  }
}

/** Targets may have any number of sides of any length. */
const anySize = (name: string): string[] =>
  name === TRAINING_INPUTS.scale
    ? ['one']
    : ['batch', 'channels', 'height', 'width'].map((side) => `${name} ${side}`);
