/** Runs the graph of one prompt. */
import { asLink, type GraphNode, type NodeId } from '../graph/graph.ts';
import type { Inputs, Ui } from '../nodes/kernel/node-type.ts';
import { toInputValue } from '../python/node-values.ts';
import { pythonValueJson } from '../python/python-json.ts';
import { isPythonObject } from '../python/python-value.ts';
import { EventLoopYielder } from '../yielding/event-loop-yielder.ts';
import { createContext, type PromptTexts } from './create-context.ts';
import { describeFailure } from './describe-failure.ts';
import { NodeSchedule } from './node-schedule.ts';
import type { Prompt } from './prompt.ts';
import type { PromptEvents } from './prompt-events.ts';
import type { NodeOutputs } from './result-cache.ts';
import { gatherInputs, runNode } from './run-node.ts';
import type { RunServices } from './run-services.ts';

export interface Shown {
  ui: Ui;
  /** Key of the node in the graph in which it ran: another one where a kept result served a graph with other keys. */
  madeBy: NodeId;
}

export interface PromptResult {
  outcome: 'success' | 'error' | 'interrupted';
  /** What each output node shows, in the order of the graph. */
  outputs: Map<NodeId, Shown>;
}

/** Never throws: what fails is told through the channel. Aborting `signal` interrupts. */
export async function runPrompt(
  prompt: Prompt,
  services: RunServices,
  channel: PromptEvents,
  signal: AbortSignal,
): Promise<PromptResult> {
  const run = new PromptRun(prompt, services, channel, signal);
  const outcome = await run.run();
  return { outcome, outputs: run.shown() };
}

class PromptRun {
  readonly #results = new Map<NodeId, NodeOutputs>();
  readonly #executed = new Set<NodeId>();
  readonly #schedule: NodeSchedule;
  readonly #yielder = new EventLoopYielder();
  #keys = new Map<NodeId, number>();
  constructor(
    private readonly prompt: Prompt,
    private readonly services: RunServices,
    private readonly channel: PromptEvents,
    private readonly signal: AbortSignal,
  ) {
    this.#schedule = new NodeSchedule(
      prompt.graph,
      (id) => this.#typeOf(id),
      (id) => this.#results.has(id),
    );
  }

  async run(): Promise<PromptResult['outcome']> {
    const { id, graph, outputs } = this.prompt;
    this.channel.milestone('execution_start', { prompt_id: id });
    let current: NodeId | undefined;
    try {
      const { cache } = this.services;
      this.#keys = await cache.begin(
        graph,
        (node) => this.#typeOf(node.id),
        (node) => this.#fingerprint(node),
      );
      const cached: NodeId[] = [];
      for (const [node, key] of this.#inOrder()) {
        const result = cache.get(key);
        if (!result) continue;
        this.#results.set(node, result);
        cached.push(node);
      }
      this.channel.milestone('execution_cached', { nodes: cached, prompt_id: id });
      for (const output of outputs) this.#schedule.add(output);
      while (!this.#schedule.isEmpty) {
        current = undefined;
        current = this.#schedule.next();
        await this.#yielder.yieldIfDue();
        this.signal.throwIfAborted();
        await this.#step(current);
      }
      this.channel.milestone('execution_success', { prompt_id: id });
      return 'success';
    } catch (error) {
      return this.#failed(error, current);
    }
  }

  /** What output nodes of this prompt show, those of earlier prompts whose results served again included. */
  shown(): Map<NodeId, Shown> {
    const shown = new Map<NodeId, Shown>();
    for (const id of this.prompt.graph.keys()) {
      const { ui, madeBy = id } = this.#results.get(id) ?? {};
      if (ui && (this.#executed.has(id) || this.prompt.outputs.includes(id))) shown.set(id, { ui, madeBy });
    }
    return shown;
  }

  async #step(id: NodeId): Promise<void> {
    const node = this.prompt.graph.get(id)!;
    const type = this.#typeOf(id);
    const known = this.#results.get(id);
    if (known) {
      // Only outputs are scheduled although they are done: to be told of.
      this.channel.executed(id, known.ui);
      this.channel.finished(id);
      this.#schedule.done(id);
      return;
    }
    this.channel.running(id);
    const lists = gatherInputs(node, type, (source) => this.#results.get(source));
    if (this.#needsMore(node, lists)) return;
    const context = createContext({
      nodeId: id,
      promptId: this.prompt.id,
      graph: this.prompt.graph,
      texts: this.#texts(type.hidden),
      services: this.services,
      channel: this.channel,
      yielder: this.#yielder,
      signal: this.signal,
    });
    const result = { ...(await runNode(node, type, lists, context)), madeBy: id };
    this.signal.throwIfAborted();
    this.#results.set(id, result);
    this.services.cache.put(this.#keys.get(id)!, result);
    this.#executed.add(id);
    if (result.ui) this.channel.executed(id, result.ui);
    this.channel.finished(id);
    this.#schedule.done(id);
  }

  /** True: lazy inputs are wanted that are not there yet, and the node is put back until they are. */
  #needsMore(node: GraphNode, lists: Record<string, unknown[]>): boolean {
    const type = this.#typeOf(node.id);
    if (!type.needs) return false;
    const first = Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, toInputValue(type.inputs[name], list[0])]),
    );
    let waits = false;
    for (const name of type.needs(first)) {
      const link = asLink(node.inputs?.get(name));
      if (!link || this.#results.has(link.node)) continue;
      this.#schedule.need(node.id, link.node);
      waits = true;
    }
    return waits;
  }

  #failed(error: unknown, node: NodeId | undefined): PromptResult['outcome'] {
    const { id, graph } = this.prompt;
    const place = {
      prompt_id: id,
      node_id: node ?? null,
      node_type: node === undefined ? null : graph.get(node)!.className,
      executed: [...this.#executed],
    };
    if (this.signal.aborted) {
      this.channel.milestone('execution_interrupted', place);
      return 'interrupted';
    }
    const lists =
      node === undefined
        ? {}
        : gatherInputs(graph.get(node)!, this.#typeOf(node), (source) => this.#results.get(source));
    this.channel.milestone('execution_error', {
      ...place,
      ...describeFailure(error, lists),
      current_outputs: [...graph.keys()],
    });
    this.services.host.log.warn('a prompt failed', {
      prompt: id,
      node: place.node_type,
      error: String(error),
    });
    return 'error';
  }

  #typeOf(id: NodeId) {
    return this.services.types.get(this.prompt.graph.get(id)!.className)!;
  }

  #inOrder(): [NodeId, number][] {
    return [...this.prompt.graph.keys()].map((id) => [id, this.#keys.get(id)!]);
  }

  #fingerprint(node: GraphNode): Promise<string | undefined> {
    const type = this.#typeOf(node.id);
    const literals: Record<string, unknown> = {};
    for (const [name, input] of Object.entries(type.inputs as Inputs)) {
      const value = node.inputs?.get(name);
      if (value !== undefined && !asLink(value)) literals[name] = toInputValue(input, value);
    }
    const { files, host } = this.services;
    // A file that is not there fails when the node runs, with the node's name.
    return Promise.resolve(type.fingerprint!(literals, { files, host, signal: this.signal })).catch(
      () => undefined,
    );
  }

  /** JSON for the files that a node makes, when it asks for it. */
  #texts(hidden: Readonly<Record<string, string>> | undefined): PromptTexts {
    const wanted = Object.values(hidden ?? {});
    const info = this.prompt.extraData.get('extra_pnginfo');
    const extra: Record<string, string> = {};
    if (wanted.includes('EXTRA_PNGINFO') && isPythonObject(info)) {
      for (const [name, value] of info) extra[name] = pythonValueJson(value);
    }
    return { prompt: wanted.includes('PROMPT') ? this.prompt.graphJson : undefined, extra };
  }
}
