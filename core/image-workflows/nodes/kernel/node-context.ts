/** The second argument of a node's `run`: the only way from a node to the rest of the server. */
import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import type { WorkflowFiles } from '../../files/workflow-files.ts';

/** The parts of the server that a running node may use. */
export interface NodeContext {
  /** Key of the node in the graph. */
  readonly nodeId: string;
  readonly promptId: string;
  /** Aborts on interrupt and shutdown. Pass it to every call that can take long. */
  readonly signal: AbortSignal;
  readonly host: Host;
  /** `input/`, `output/`, `temp/` and the folders of models. */
  readonly files: WorkflowFiles;
  /** JSON of the executed graph. Undefined when the server saves no metadata. */
  readonly promptJson: string | undefined;
  /** More metadata for saved files, as JSON by name. Usually contains `workflow`. */
  readonly extraTexts: Readonly<Record<string, string>>;
  /**
   * Reports the progress of this node and yields to the event loop. Rejects after an interrupt.
   * @param preview An intermediate image. Only clients that asked for previews receive it.
   */
  progress(value: number, max: number, preview?: Preview): Promise<void>;
  /** Sends an image to the connected clients, independent of the setting for previews. */
  sendImage(image: Preview): void;
  /** Shows a text on the node in editors. */
  sendText(text: string): void;
  /** False when no client receives previews, so that the node need not compute any. */
  readonly wantsPreviews: boolean;
  /** Whether another node of the graph uses this output. Outputs count from 0. */
  isTaken(output: number): boolean;
  /** Undefined on a server without language models. */
  readonly languageModels: LocalApis | undefined;
}

/** An image that shows the state of a running node. */
export interface Preview {
  type: 'image/jpeg' | 'image/png';
  bytes: Uint8Array;
}
