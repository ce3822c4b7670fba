/** What a running node sees: the only way from `nodes/` to the rest of the server. */

import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import type { ImageReference, WorkflowFiles } from '../../files/workflow-files.ts';
import type { FloatTensor } from '../../values/tensor.ts';

export interface NodeContext {
  /** Key of the node in the graph. */
  readonly nodeId: string;
  readonly promptId: string;
  /** Aborts on interrupt and shutdown: give it to everything that can last. */
  readonly signal: AbortSignal;
  readonly host: Host;
  /** `input/`, `output/`, `temp/` and the folders of models. */
  readonly files: WorkflowFiles;
  /** JSON of the graph as it runs; undefined when files are to carry no metadata. */
  readonly promptJson: string | undefined;
  /** Further texts for the files made here, by name: usually `workflow`. Values are JSON. */
  readonly extraTexts: Readonly<Record<string, string>>;
  /**
   * Tells how far this node is and gives way to whoever waits (an interrupt takes effect here: then it throws).
   * `preview`: a picture of how it looks so far, sent only to clients that get previews.
   */
  progress(value: number, max: number, preview?: Preview): Promise<void>;
  /** A picture for whoever listens, at once and whatever is set for previews. */
  sendImage(image: Preview): void;
  /** A text shown on the node. */
  sendText(text: string): void;
  /** False: do not trouble to make previews. */
  readonly wantsPreviews: boolean;
  /** Whether another node of the graph takes this output, by its place from 0. */
  isTaken(output: number): boolean;
  /** undefined: this server has none. */
  readonly languageModels: LocalApis | undefined;
}

export interface Preview {
  type: 'image/jpeg' | 'image/png';
  bytes: Uint8Array;
}

export type { FloatTensor, ImageReference };
