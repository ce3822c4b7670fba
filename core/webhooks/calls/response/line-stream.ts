/** "Streaming": the head goes out at once, then one JSON object a line as nodes give something. */

import type { Workflow, WorkflowNode } from '#core/workflow-format';
import type { RunResult } from '../../engine/run/run-result.ts';
import type { AnswerSink } from '../../engine/run/run-services.ts';
import type { StreamChunk } from '../../node-api/node-context.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';

/** Lines that wait for a slow reader before nodes wait too. */
const AHEAD = 64;

export class LineStream implements AnswerSink {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #open = true;
  #wake: (() => void) | undefined;

  constructor(private readonly now: () => number) {
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake?.(),
        cancel: () => {
          this.#open = false;
          this.#wake?.();
        },
      },
      { highWaterMark: AHEAD },
    );
  }

  /** A node that answers whole: one item. */
  respond({ body }: NodeResponse, node: WorkflowNode): void {
    const value = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
    if (value === undefined) return;
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    for (const type of ['begin', 'item', 'end'] as const) {
      this.#write(type, type === 'item' ? content : undefined, this.#metadata(node, 0, 0));
    }
  }

  async stream(chunk: StreamChunk, node: WorkflowNode, runIndex: number): Promise<boolean> {
    this.#write(chunk.type, chunk.content, this.#metadata(node, runIndex, chunk.itemIndex));
    while (this.#open && (this.#controller.desiredSize ?? 0) <= 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return true;
  }

  /** The run is over. */
  end({ status, state, error }: RunResult, workflow: Workflow): void {
    if (status === 'error' || status === 'canceled') {
      const name = error?.node ?? state.lastNode;
      const node = workflow.nodes.find((one) => one.name === name);
      const runIndex = Math.max(0, (state.runData[name ?? '']?.length ?? 0) - 1);
      this.#write('error', null, {
        nodeId: node?.id,
        nodeName: name,
        runIndex,
        itemIndex: error?.itemIndex ?? 0,
      });
    }
    if (this.#open) this.#controller.close();
    this.#open = false;
  }

  #metadata(node: WorkflowNode, runIndex: number, itemIndex: number) {
    return { nodeId: node.id, nodeName: node.name, itemIndex, runIndex, timestamp: Math.floor(this.now()) };
  }

  #write(type: StreamChunk['type'], content: unknown, metadata: object): void {
    if (!this.#open) return;
    const line = JSON.stringify({ type, ...(content !== undefined && { content }), metadata });
    this.#controller.enqueue(new TextEncoder().encode(`${line}\n`));
  }
}
