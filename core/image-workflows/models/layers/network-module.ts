import type { AttributeValue, GraphBuilder } from '#core/tensors';

/** The name of a value in a graph under construction. */
export type Value = string;

/**
 * A module of a network, such as `down_blocks.0.resnets.1`, while its graph is built. Its nodes bear the module's name
 * as exporters write it, which is how adapters and patches find them.
 */
export class NetworkModule {
  /** How many nodes have the same name so far, for all modules of the graph. */
  readonly #counts: Map<string, number>;

  /** @param normGroups groups of its group norms */
  constructor(
    readonly graph: GraphBuilder,
    readonly path = '',
    readonly normGroups = 32,
    parent?: NetworkModule,
  ) {
    this.#counts = parent ? parent.#counts : new Map();
  }

  /** A module inside of this one. */
  at(part: string): NetworkModule {
    return new NetworkModule(this.graph, this.#nameOf(part), this.normGroups, this);
  }

  /** The modules `part.0`, `part.1`, … up to the first index without any tensor. Without a part, `0`, `1`, …. */
  list(part = ''): NetworkModule[] {
    const prefix = part === '' ? '' : `${part}.`;
    const modules: NetworkModule[] = [];
    for (let index = 0; this.at(`${prefix}${index}`).exists(); index++)
      modules.push(this.at(`${prefix}${index}`));
    return modules;
  }

  /** Whether a tensor of this module or of one inside of it is stored. */
  exists(): boolean {
    for (const name of this.graph.weights.keys()) if (name.startsWith(`${this.path}.`)) return true;
    return false;
  }

  has(parameter: string): boolean {
    return this.graph.weights.has(this.#nameOf(parameter));
  }

  /**
   * The shape of a parameter as torch has it, [outputs, inputs, …].
   * @throws ModelUnsupported when the parameter is not stored
   */
  shape(parameter = 'weight'): readonly number[] {
    const { shape } = this.graph.tensor(this.#nameOf(parameter));
    return this.isTransposed(parameter) ? shape.toReversed() : shape;
  }

  /** Whether a matrix is stored as [inputs, outputs]. */
  isTransposed(parameter = 'weight'): boolean {
    return this.graph.tensor(this.#nameOf(parameter)).isTransposed === true;
  }

  /** A parameter of the module, as 32-bit floats. Throws as `GraphBuilder.externalFloats`. */
  parameter(name = 'weight'): Value {
    return this.graph.externalFloats(this.#nameOf(name));
  }

  /** Floats that are no parameter: names with slashes are not taken for parameters. Once for each name of a module. */
  constant(name: string, shape: number[], values: ArrayLike<number>): Value {
    return this.graph.floatInitializer(`/${this.path}/${name}`, shape, values);
  }

  /** Adds a node with one output. `com.microsoft.NAME` is an operator of onnxruntime's own. */
  op(type: string, inputs: readonly Value[], attributes: Record<string, AttributeValue> = {}): Value {
    const modules = this.path === '' ? '' : `${this.path.replaceAll(/\.(?!\d)/g, '/')}/`;
    const base = `/${modules}${type.slice(type.lastIndexOf('.') + 1)}`;
    const count = this.#counts.get(base) ?? 0;
    this.#counts.set(base, count + 1);
    const name = count === 0 ? base : `${base}_${count}`;
    return this.graph.node(type, [...inputs], attributes, `${name}_output_0`, name);
  }

  #nameOf(part: string): string {
    return this.path === '' ? part : `${this.path}.${part}`;
  }
}
