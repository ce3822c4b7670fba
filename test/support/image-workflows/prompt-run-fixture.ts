/** Runs prompts without a queue, with nodes that record their runs. */

import type { Prompt } from '#core/image-workflows/execution/prompt.ts';
import { PromptEvents } from '#core/image-workflows/execution/prompt-events.ts';
import { ResultCache } from '#core/image-workflows/execution/result-cache.ts';
import { runPrompt } from '#core/image-workflows/execution/run-prompt.ts';
import { int, lazy, link, optional, string } from '#core/image-workflows/nodes/kernel/inputs.ts';
import type { NodeContext } from '#core/image-workflows/nodes/kernel/node-context.ts';
import { type AnyNode, node, output } from '#core/image-workflows/nodes/kernel/node-type.ts';
import { SocketHub } from '#core/image-workflows/sockets/socket-hub.ts';
import { TestClock } from '../host/test-clock.ts';
import { type GraphJson, listenToMessages, promptOf, runServices } from './prompt-fixtures.ts';

type RunOptions = Partial<Prompt> & { services?: Parameters<typeof runServices>[1]; signal?: AbortSignal };

/** A node that returns `number`. */
export const value = (number: number) => ({ class_type: 'Value', inputs: { value: number } });
/** An output node that shows the value of another node. */
export const showNode = (id: string) => ({ class_type: 'Show', inputs: { value: [id, 0] } });
/** A node that shows the value of another node and passes it on. */
export const printNode = (id: string) => ({ class_type: 'Print', inputs: { value: [id, 0] } });

export class PromptRunFixture {
  /** Ids of nodes in the order in which they ran, in all prompts. */
  readonly ran: string[] = [];
  readonly contexts: NodeContext[] = [];
  /** The arguments of all calls of `fingerprint`. */
  readonly fingerprints: { values: unknown; context: object }[] = [];
  /** Called while a node runs. */
  onRun: (id: string, signal: AbortSignal) => void = () => {};
  readonly #cache = new ResultCache();

  /** Runs the output nodes of a graph for the client `me`. All prompts share one cache. */
  async run(
    json: GraphJson,
    { services: parts, signal = new AbortController().signal, ...overrides }: RunOptions = {},
  ) {
    const hub = new SocketHub();
    const client = listenToMessages(hub, 'me');
    const services = runServices(this.#nodes(), { cache: this.#cache, ...parts });
    const outputs = Object.entries(json)
      .filter(([, { class_type }]) => ['Show', 'Silent'].includes(class_type))
      .map(([id]) => id);
    const prompt = promptOf(json, { outputs, ...overrides });
    const events = new PromptEvents(prompt.id, 'me', hub, new TestClock());
    const result = await runPrompt(prompt, services, events, signal);
    const records = Object.fromEntries(events.records);
    return { ...result, events, records, client, services, types: events.records.map(([type]) => type) };
  }

  #record(context: NodeContext): void {
    this.ran.push(context.nodeId);
    this.contexts.push(context);
    this.onRun(context.nodeId, context.signal);
  }

  #nodes(): AnyNode[] {
    const shared = { category: 'test', module: 'test' } as const;
    return [
      node({
        ...shared,
        name: 'Value',
        inputs: { value: int() },
        outputs: [output('INT')],
        run: async ({ value }, context) => {
          this.#record(context);
          return [value];
        },
      }),
      node({
        ...shared,
        name: 'Show',
        isOutput: true,
        inputs: { value: optional(link('INT')) },
        hidden: { prompt: 'PROMPT', info: 'EXTRA_PNGINFO' },
        outputs: [],
        run: async ({ value }, context) => {
          this.#record(context);
          return { ui: { text: [String(value)] } };
        },
      }),
      node({
        ...shared,
        name: 'Silent',
        isOutput: true,
        inputs: { value: optional(link('INT')) },
        outputs: [],
        run: async (_, context) => {
          this.#record(context);
          return [];
        },
      }),
      node({
        ...shared,
        name: 'Print',
        inputs: { value: link('INT') },
        outputs: [output('INT')],
        run: async ({ value }, context) => {
          this.#record(context);
          return { outputs: [value], ui: { printed: [value] } };
        },
      }),
      node({
        ...shared,
        name: 'Choose',
        inputs: { second: int(), a: lazy(int()), b: lazy(int()) },
        outputs: [output('INT')],
        needs: ({ second, a, b }) => {
          if (second === 2) return a === undefined ? ['a'] : ['a', 'b'];
          return second === 1 ? ['b'] : b === undefined ? ['a', 'missing'] : [];
        },
        run: async ({ second, a, b }, context) => {
          this.#record(context);
          return [second === 2 ? (a ?? 0) + (b ?? 0) : second === 1 ? b : a];
        },
      }),
      node({
        ...shared,
        name: 'File',
        inputs: { name: string(), number: int(), other: optional(link('INT')) },
        outputs: [output('INT')],
        fingerprint: async (values, context) => {
          this.fingerprints.push({ values, context });
          if (values.name === 'missing') throw new Error('no such file');
          return values.name;
        },
        run: async (_, context) => {
          this.#record(context);
          return [1];
        },
      }),
    ];
  }
}
