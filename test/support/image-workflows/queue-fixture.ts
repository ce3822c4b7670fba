/** A queue over records in memory, with nodes that a test starts and ends. Its clock moves only when the test advances it. */
import { type RecordCollection, type Records, recordsSchema } from '#core/host';
import type { Prompt } from '#core/image-workflows/execution/prompt.ts';
import { type NewPrompt, PromptQueue } from '#core/image-workflows/execution/prompt-queue.ts';
import { node } from '#core/image-workflows/nodes/kernel/node-type.ts';
import { SocketHub } from '#core/image-workflows/sockets/socket-hub.ts';
import { settle } from '../host/test-clock.ts';
import { createTestHost, type TestHost } from '../host/test-host.ts';
import { type GraphJson, listenToMessages, promptOf, runServices } from './prompt-fixtures.ts';

/** A node that ends at once. */
export const quick: GraphJson = { '1': { class_type: 'Quick' } };
/** A node that ends when the test releases it, or by an interrupt. */
export const hold: GraphJson = { '1': { class_type: 'Hold' } };
/** A node that ends when the test releases it, and ignores interrupts. */
export const deaf: GraphJson = { '1': { class_type: 'Deaf' } };

export class QueueFixture {
  readonly host: TestHost;
  /** Prompts whose node runs or ran, in the order of their start. */
  readonly started: string[] = [];
  /** The reasons by which nodes were interrupted. */
  readonly reasons: Error[] = [];
  readonly records: RecordCollection<{ id: string; attempts: number }>;
  queue!: PromptQueue;
  /** A socket of the client `me`, to which all prompts belong. */
  client!: ReturnType<typeof listenToMessages>;
  readonly #releases = new Map<string, () => void>();

  /** @param records instead of records in memory */
  constructor(records?: Records) {
    const host = createTestHost({ schema: recordsSchema });
    this.host = records ? ({ ...host, records } as unknown as TestHost) : host;
    this.records = this.host.records.collection('promptQueue');
  }

  /** Opens a queue over the same records, as a new server does. */
  async open(): Promise<void> {
    const hub = new SocketHub();
    this.client = listenToMessages(hub, 'me');
    this.queue = new PromptQueue(runServices(this.#nodes(), { host: this.host }), hub);
    await this.queue.ready;
  }

  add(id: string, json: GraphJson, more: Partial<Prompt> = {}): Promise<Prompt> {
    const { sequence: _, attempts: __, createdAt: ___, ...prompt } = promptOf(json, { id, ...more });
    return this.queue.add(prompt satisfies NewPrompt);
  }

  /** Passes the delay before a prompt's first event, and lets everything run that can. */
  async letRun(): Promise<void> {
    await this.host.time!.advance(4);
    await this.settle();
  }

  /** Lets everything run that can, without time passing. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await settle();
  }

  /** Ends the node of a prompt. */
  async release(id: string): Promise<void> {
    this.#releases.get(id)!();
    await this.settle();
  }

  /** Ids and attempts of the stored prompts, in the order of their arrival. */
  async stored(): Promise<[id: string, attempts: number][]> {
    const records = await this.records.list({ index: 'sequence' });
    return records.map(({ doc }) => [doc.id, doc.attempts]);
  }

  /** The numbers of remaining prompts that the client received. */
  statuses(): number[] {
    const messages = this.client.messages.filter(({ type }) => type === 'status');
    return messages.map(({ data }) => data.status.exec_info.queue_remaining);
  }

  /** The status of a prompt in history. */
  statusOf(id: string) {
    return JSON.parse(this.queue.history.get(id)!.entryJson).status;
  }

  #nodes() {
    const shared = {
      category: 'test',
      module: 'test',
      isOutput: true,
      inputs: {},
      outputs: [],
      fingerprint: () => undefined,
    } as const;
    const released = (promptId: string) =>
      new Promise<void>((resolve) => this.#releases.set(promptId, resolve));
    const start = (promptId: string) => this.started.push(promptId);
    return [
      node({
        ...shared,
        name: 'Quick',
        run(_, { promptId }) {
          start(promptId);
          return { ui: { text: [promptId] } };
        },
      }),
      node({
        ...shared,
        name: 'Hold',
        run: async (_, { promptId, signal }) => {
          start(promptId);
          const interrupted = new Promise<never>((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              this.reasons.push(signal.reason);
              reject(signal.reason);
            });
          });
          await Promise.race([released(promptId), interrupted]);
          return { ui: { text: [promptId] } };
        },
      }),
      node({
        ...shared,
        name: 'Deaf',
        async run(_, { promptId }) {
          start(promptId);
          await released(promptId);
          return [];
        },
      }),
    ];
  }
}
