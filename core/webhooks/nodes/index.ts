/** Every node of this server, by type name. A new node is a file here and a line in this list. */
import type { NodeType } from '../node-api/node-type.ts';
import { code } from './code/code.ts';
import { convertToFile } from './files/convert-to-file.ts';
import { extractFromFile } from './files/extract-from-file.ts';
import { executeWorkflow } from './flow/execute-workflow.ts';
import { filter } from './flow/filter.ts';
import { ifNode } from './flow/if.ts';
import { loopOverItems } from './flow/loop-over-items.ts';
import { merge } from './flow/merge.ts';
import { noOp } from './flow/no-op.ts';
import { stopAndError } from './flow/stop-and-error.ts';
import { switchNode } from './flow/switch.ts';
import { wait } from './flow/wait.ts';
import { aggregate } from './items/aggregate.ts';
import { itemLists } from './items/item-lists.ts';
import { limit } from './items/limit.ts';
import { removeDuplicates } from './items/remove-duplicates.ts';
import { renameKeys } from './items/rename-keys.ts';
import { set } from './items/set.ts';
import { sort } from './items/sort.ts';
import { splitOut } from './items/split-out.ts';
import { summarize } from './items/summarize.ts';
import { chat } from './models/chat.ts';
import { classify } from './models/classify.ts';
import { embed } from './models/embed.ts';
import { extract } from './models/extract.ts';
import { imageWorkflow } from './models/image-workflow.ts';
import { httpRequest } from './network/http-request.ts';
import { respondToWebhook } from './network/respond-to-webhook.ts';
import { errorTrigger } from './triggers/error-trigger.ts';
import { executeWorkflowTrigger } from './triggers/execute-workflow-trigger.ts';
import { manualTrigger } from './triggers/manual-trigger.ts';
import { scheduleTrigger } from './triggers/schedule-trigger.ts';
import { webhook } from './triggers/webhook.ts';
import { cryptoNode } from './values/crypto.ts';
import { dateTime } from './values/date-time.ts';
import { jwt } from './values/jwt.ts';
import { xml } from './values/xml.ts';

export const nodeTypes: NodeType[] = [
  webhook,
  manualTrigger,
  scheduleTrigger,
  errorTrigger,
  executeWorkflowTrigger,
  respondToWebhook,
  code,
  set,
  ifNode,
  filter,
  switchNode,
  merge,
  loopOverItems,
  wait,
  splitOut,
  aggregate,
  limit,
  sort,
  removeDuplicates,
  renameKeys,
  summarize,
  itemLists,
  dateTime,
  convertToFile,
  extractFromFile,
  xml,
  jwt,
  cryptoNode,
  httpRequest,
  executeWorkflow,
  noOp,
  stopAndError,
  chat,
  extract,
  classify,
  embed,
  imageWorkflow,
];

const byName = new Map(nodeTypes.map((type) => [type.name, type]));

export function nodeType(name: string): NodeType | undefined {
  return byName.get(name);
}
