import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import type { WorkflowFiles } from '../files/workflow-files.ts';
import type { NodeTypes } from '../graph/node-types.ts';
import type { ResultCache } from './result-cache.ts';

/** The parts of the server that prompts run with. */
export interface RunServices {
  host: Host;
  types: NodeTypes;
  files: WorkflowFiles;
  cache: ResultCache;
  /** Clients receive an image after each sampling step. */
  wantsPreviews: boolean;
  /** Files that nodes save hold the graph and the workflow. */
  writesMetadata: boolean;
  /** Undefined: this server has no language models. */
  languageModels: LocalApis | undefined;
}
