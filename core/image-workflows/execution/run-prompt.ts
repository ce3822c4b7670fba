import { asLink, inputsOf, type PromptNode, type PromptNodeId } from '../graph/graph.ts';
import { nestValues } from '../nodes/kernel/dynamic-inputs.ts';
import type { AnyNode, Ui } from '../nodes/kernel/node-type.ts';
import { toInputValue } from '../python/node-values.ts';
import { pythonValueJson } from '../python/python-json.ts';
import { isPythonObject } from '../python/python-value.ts';
import { EventLoopYielder } from '../yielding/event-loop-yielder.ts';
import { createContext, type MetadataTexts } from './create-context.ts';
import { describeFailure } from './describe-failure.ts';
import { NodeSchedule } from './node-schedule.ts';
import type { Prompt } from './prompt.ts';
import type { PromptEvents } from './prompt-events.ts';
import type { CacheKey, NodeOutputs } from './result-cache.ts';
import { gatherInputs, type InputLists, runNode } from './run-node.ts';
import type { RunServices } from './run-services.ts';

/** The part of a node's result that clients show. */
export interface ShownOutput {
  ui: Ui;
  /** The node's id in the graph in which it ran: another one when a cached result serves a graph with other ids. */
  ranAs: PromptNodeId;
}

export interface PromptResult {
  outcome: 'success' | 'error' | 'interrupted';
  /** The shown outputs by node, in the order of the graph. */
  shown: Map<PromptNodeId, ShownOutput>;
}

/** Runs the graph of one prompt. Never rejects: failures become events. Aborting `signal` interrupts the prompt. */
export async function runPrompt(
  prompt: Prompt,
  services: RunServices,
  events: PromptEvents,
  signal: AbortSignal,
): Promise<PromptResult> {
  const run = new PromptRun(prompt, services, events, signal);
  const outcome = await run.run();
  return { outcome, shown: run.shown() };
}

class PromptRun {
  readonly #results = new Map<PromptNodeId, NodeOutputs>();
  /** Nodes that ran in this prompt, in that order. */
  readonly #executed = new Set<PromptNodeId>();
  readonly #schedule: NodeSchedule;
  readonly #yielder = new EventLoopYielder();
  #keys = new Map<PromptNodeId, CacheKey>();
  constructor(
    private readonly prompt: Prompt,
    private readonly services: RunServices,
    private readonly events: PromptEvents,
    private readonly signal: AbortSignal,
  ) {
    this.#schedule = new NodeSchedule(
      prompt.graph,
      (id) => this.#typeOf(id),
      (id) => this.#results.has(id),
    );
  }

  async run(): Promise<PromptResult['outcome']> {
    const { id, outputs } = this.prompt;
    this.events.promptEvent('execution_start', { prompt_id: id });
    let current: PromptNodeId | undefined;
    try {
      const cached = await this.#takeCachedResults();
      this.events.promptEvent('execution_cached', { nodes: cached, prompt_id: id });
      for (const output of outputs) this.#schedule.add(output);
      while (!this.#schedule.isEmpty) {
        current = undefined;
        current = this.#schedule.next();
        await this.#yielder.yieldIfDue();
        this.signal.throwIfAborted();
        await this.#runScheduled(current);
      }
      this.events.promptEvent('execution_success', { prompt_id: id });
      return 'success';
    } catch (error) {
      return this.#fail(error, current);
    }
  }

  /** The shown outputs of the prompt's output nodes, cached or not, and of every other node that ran. */
  shown(): Map<PromptNodeId, ShownOutput> {
    const shown = new Map<PromptNodeId, ShownOutput>();
    for (const id of this.prompt.graph.keys()) {
      const { ui, ranAs = id } = this.#results.get(id) ?? {};
      if (ui && (this.#executed.has(id) || this.prompt.outputs.includes(id))) shown.set(id, { ui, ranAs });
    }
    return shown;
  }

  /** Loads the cached results of the graph's nodes, and returns the ids of these nodes. */
  async #takeCachedResults(): Promise<PromptNodeId[]> {
    const { graph } = this.prompt;
    this.#keys = await this.services.cache.assignKeys(
      graph,
      (node) => this.#typeOf(node.id),
      (node) => this.#readFingerprint(node),
    );
    const cached: PromptNodeId[] = [];
    for (const id of graph.keys()) {
      const result = this.services.cache.get(this.#keys.get(id)!);
      if (!result) continue;
      this.#results.set(id, result);
      cached.push(id);
    }
    return cached;
  }

  async #runScheduled(id: PromptNodeId): Promise<void> {
    const cached = this.#results.get(id);
    // Output nodes are scheduled even when their result is cached, because clients wait for their event.
    if (cached) this.events.nodeExecuted(id, cached.ui);
    else {
      this.events.nodeStarted(id);
      const node = this.prompt.graph.get(id)!;
      const lists = this.#inputsOf(node);
      if (this.#waitsForLazyInputs(node, lists)) return;
      await this.#execute(node, lists);
    }
    this.events.nodeFinished(id);
    this.#schedule.finish(id);
  }

  async #execute(node: PromptNode, lists: InputLists): Promise<void> {
    const { id } = node;
    const type = this.#typeOf(id);
    const context = createContext({
      nodeId: id,
      promptId: this.prompt.id,
      graph: this.prompt.graph,
      texts: this.#metadataTexts(type),
      services: this.services,
      events: this.events,
      yielder: this.#yielder,
      signal: this.signal,
    });
    const result = { ...(await runNode(node, type, lists, context)), ranAs: id };
    // A node that ignores its signal has a result, but an interrupted prompt does not use it.
    this.signal.throwIfAborted();
    this.#results.set(id, result);
    this.services.cache.put(this.#keys.get(id)!, result);
    this.#executed.add(id);
    if (result.ui) this.events.nodeExecuted(id, result.ui);
  }

  /** Schedules the sources of lazy inputs that the node needs. True: the node has to wait for them. */
  #waitsForLazyInputs(node: PromptNode, lists: InputLists): boolean {
    const type = this.#typeOf(node.id);
    if (!type.needs) return false;
    const inputs = inputsOf(node, type);
    const values = Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, toInputValue(inputs[name], list[0])]),
    );
    let waits = false;
    for (const name of type.needs(nestValues(type.inputs, values))) {
      const link = asLink(node.inputs?.get(name));
      if (!link || this.#results.has(link.node)) continue;
      this.#schedule.addSource(node.id, link.node);
      waits = true;
    }
    return waits;
  }

  #fail(error: unknown, current: PromptNodeId | undefined): PromptResult['outcome'] {
    const { id, graph } = this.prompt;
    const node = current === undefined ? undefined : graph.get(current)!;
    const location = {
      prompt_id: id,
      node_id: node?.id ?? null,
      node_type: node?.className ?? null,
      executed: [...this.#executed],
    };
    if (this.signal.aborted) {
      this.events.promptEvent('execution_interrupted', location);
      return 'interrupted';
    }
    this.events.promptEvent('execution_error', {
      ...location,
      ...describeFailure(error, node ? this.#inputsOf(node) : {}),
      current_outputs: [...graph.keys()],
    });
    this.services.host.log.warn('a prompt failed', {
      prompt: id,
      node: location.node_type,
      error: String(error),
    });
    return 'error';
  }

  #typeOf(id: PromptNodeId): AnyNode {
    return this.services.types.get(this.prompt.graph.get(id)!.className)!;
  }

  #inputsOf(node: PromptNode): InputLists {
    return gatherInputs(node, this.#typeOf(node.id), (source) => this.#results.get(source));
  }

  async #readFingerprint(node: PromptNode): Promise<string | undefined> {
    const type = this.#typeOf(node.id);
    const literals: Record<string, unknown> = {};
    for (const [name, input] of Object.entries(inputsOf(node, type))) {
      const value = node.inputs?.get(name);
      if (value !== undefined && !asLink(value)) literals[name] = toInputValue(input, value);
    }
    const { files, host } = this.services;
    try {
      return await type.fingerprint!(nestValues(type.inputs, literals), { files, host, signal: this.signal });
    } catch {
      // A missing file is reported when the node runs, under the node's name.
      return undefined;
    }
  }

  /** Nodes ask for the graph and the workflow by hidden inputs. */
  #metadataTexts({ hidden = {} }: AnyNode): MetadataTexts {
    const requested = Object.values(hidden);
    const info = this.prompt.extraData.get('extra_pnginfo');
    const extra: Record<string, string> = {};
    if (requested.includes('EXTRA_PNGINFO') && isPythonObject(info)) {
      for (const [name, value] of info) extra[name] = pythonValueJson(value);
    }
    return { promptJson: requested.includes('PROMPT') ? this.prompt.graphJson : undefined, extra };
  }
}
