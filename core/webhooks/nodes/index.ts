/** Every node of this server, by type name. A new node is a file here and a line in this list. */
import type { NodeType } from '../workflow/node-type.ts';
import { aggregate } from './aggregate.ts';
import { chat } from './chat.ts';
import { classify } from './classify.ts';
import { code } from './code.ts';
import { convertToFile } from './convert-to-file.ts';
import { cryptoNode } from './crypto.ts';
import { dateTime } from './date-time.ts';
import { embed } from './embed.ts';
import { errorTrigger } from './error-trigger.ts';
import { executeWorkflow } from './execute-workflow.ts';
import { executeWorkflowTrigger } from './execute-workflow-trigger.ts';
import { extract } from './extract.ts';
import { extractFromFile } from './extract-from-file.ts';
import { filter } from './filter.ts';
import { httpRequest } from './http-request.ts';
import { ifNode } from './if.ts';
import { imageWorkflow } from './image-workflow.ts';
import { itemLists } from './item-lists.ts';
import { jwt } from './jwt.ts';
import { limit } from './limit.ts';
import { loopOverItems } from './loop-over-items.ts';
import { manualTrigger } from './manual-trigger.ts';
import { merge } from './merge.ts';
import { noOp } from './no-op.ts';
import { removeDuplicates } from './remove-duplicates.ts';
import { renameKeys } from './rename-keys.ts';
import { respondToWebhook } from './respond-to-webhook.ts';
import { scheduleTrigger } from './schedule-trigger.ts';
import { set } from './set.ts';
import { sort } from './sort.ts';
import { splitOut } from './split-out.ts';
import { stopAndError } from './stop-and-error.ts';
import { summarize } from './summarize.ts';
import { switchNode } from './switch.ts';
import { wait } from './wait.ts';
import { webhook } from './webhook.ts';
import { xml } from './xml.ts';

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
