/** The response of the mode "Streaming": one JSON object a line, sent as nodes produce output. */
import type { Workflow, WorkflowNode } from '#core/workflow-format';
import type { RunResult } from '../../engine/run/run-result.ts';
import type { ResponseSink } from '../../engine/run/run-services.ts';
import type { StreamChunk } from '../../node-api/node-context.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';

/** Unread lines after which nodes wait for the reader. */
const MAX_UNREAD = 64;

export class LineStream implements ResponseSink {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #isOpen = true;
  /** Continues a node that waits for the reader. */
  #wake: (() => void) | undefined;

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number) {
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake?.(),
        cancel: () => {
          this.#isOpen = false;
          this.#wake?.();
        },
      },
      { highWaterMark: MAX_UNREAD },
    );
  }

  /** The complete response of a node becomes one item. */
  respond({ body }: NodeResponse, node: WorkflowNode): void {
    const value = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
    if (value === undefined) return;
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    for (const type of ['begin', 'item', 'end'] as const) {
      this.#write(type, type === 'item' ? content : undefined, this.#metadata(node, 0, 0));
    }
  }

  /** Resolves when the reader keeps up. */
  async stream(chunk: StreamChunk, node: WorkflowNode, runIndex: number): Promise<boolean> {
    this.#write(chunk.type, chunk.content, this.#metadata(node, runIndex, chunk.itemIndex));
    while (this.#isOpen && (this.#controller.desiredSize ?? 0) <= 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return true;
  }

  /** Ends the stream with the execution. A failure is its last line. */
  end({ status, state, error }: RunResult, workflow: Workflow): void {
    if (status === 'error' || status === 'canceled') {
      const name = error?.node ?? state.lastNode;
      const node = workflow.nodes.find((other) => other.name === name);
      const runIndex = Math.max(0, (state.runData[name ?? '']?.length ?? 0) - 1);
      this.#write('error', error?.description ?? null, {
        nodeId: node?.id,
        nodeName: name,
        runIndex,
        itemIndex: error?.itemIndex ?? 0,
      });
    }
    if (this.#isOpen) this.#controller.close();
    this.#isOpen = false;
  }

  #metadata(node: WorkflowNode, runIndex: number, itemIndex: number) {
    return { nodeId: node.id, nodeName: node.name, itemIndex, runIndex, timestamp: Math.floor(this.now()) };
  }

  #write(type: StreamChunk['type'], content: unknown, metadata: object): void {
    if (!this.#isOpen) return;
    const line = JSON.stringify({ type, ...(content !== undefined && { content }), metadata });
    this.#controller.enqueue(new TextEncoder().encode(`${line}\n`));
  }
}
