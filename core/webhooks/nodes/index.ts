/** Every node of this server, by type name. A new node is a file here and a line in this list. */
import type { NodeType } from '../node-api/node-type.ts';
import { aiNodeTypes, nodeAsTool } from './ai/index.ts';
import { aiTransform } from './code/ai-transform.ts';
import { code } from './code/code.ts';
import { functionItem, functionNode } from './code/function.ts';
import { dataTable } from './data-table/data-table.ts';
import { databaseNodeTypes } from './databases/index.ts';
import { html, htmlExtract } from './documents/html.ts';
import { markdown } from './documents/markdown.ts';
import { rssFeedRead } from './documents/rss-feed-read.ts';
import { fileServerNodeTypes } from './file-servers/index.ts';
import { compression } from './files/compression.ts';
import { convertToFile } from './files/convert-to-file.ts';
import { extractFromFile } from './files/extract-from-file.ts';
import { readBinaryFile, readBinaryFiles, readWriteFile, writeBinaryFile } from './files/local-files.ts';
import { iCal, moveBinaryData, readPdfNode, spreadsheetFile } from './files/old-file-nodes.ts';
import { compareDatasets } from './flow/compare-datasets.ts';
import { debugHelper } from './flow/debug-helper.ts';
import { executeCommand } from './flow/execute-command.ts';
import { executeWorkflow } from './flow/execute-workflow.ts';
import { executionData } from './flow/execution-data.ts';
import { filter } from './flow/filter.ts';
import { form } from './flow/form.ts';
import { ifNode } from './flow/if.ts';
import { loopOverItems } from './flow/loop-over-items.ts';
import { merge } from './flow/merge.ts';
import { noOp } from './flow/no-op.ts';
import { stopAndError } from './flow/stop-and-error.ts';
import { switchNode } from './flow/switch.ts';
import { wait } from './flow/wait.ts';
import { editImage } from './images/edit-image.ts';
import { aggregate } from './items/aggregate.ts';
import { itemLists } from './items/item-lists.ts';
import { limit } from './items/limit.ts';
import { removeDuplicates } from './items/remove-duplicates.ts';
import { renameKeys } from './items/rename-keys.ts';
import { set } from './items/set.ts';
import { sort } from './items/sort.ts';
import { splitOut } from './items/split-out.ts';
import { summarize } from './items/summarize.ts';
import { mailNodeTypes } from './mail/index.ts';
import { messageNodeTypes } from './messages/index.ts';
import { chat } from './models/chat.ts';
import { classify } from './models/classify.ts';
import { embed } from './models/embed.ts';
import { extract } from './models/extract.ts';
import { imageWorkflow } from './models/image-workflow.ts';
import { graphql } from './network/graphql.ts';
import { httpRequest } from './network/http-request.ts';
import { respondToWebhook } from './network/respond-to-webhook.ts';
import { serviceNodeTypes } from './services/index.ts';
import { errorTrigger } from './triggers/error-trigger.ts';
import { executeWorkflowTrigger } from './triggers/execute-workflow-trigger.ts';
import { formTrigger } from './triggers/form-trigger.ts';
import { n8nTrigger, workflowTrigger } from './triggers/lifecycle-triggers.ts';
import { manualTrigger } from './triggers/manual-trigger.ts';
import { cron, interval, start } from './triggers/old-schedules.ts';
import { rssFeedReadTrigger } from './triggers/rss-feed-read-trigger.ts';
import { scheduleTrigger } from './triggers/schedule-trigger.ts';
import { webhook } from './triggers/webhook.ts';
import { cryptoNode } from './values/crypto.ts';
import { dateTime } from './values/date-time.ts';
import { jwt } from './values/jwt.ts';
import { xml } from './values/xml.ts';

export const nodeTypes: NodeType[] = [
  webhook,
  formTrigger,
  manualTrigger,
  scheduleTrigger,
  start,
  cron,
  interval,
  rssFeedReadTrigger,
  n8nTrigger,
  workflowTrigger,
  errorTrigger,
  executeWorkflowTrigger,
  respondToWebhook,
  code,
  aiTransform,
  functionNode,
  functionItem,
  set,
  ifNode,
  filter,
  switchNode,
  merge,
  compareDatasets,
  loopOverItems,
  wait,
  form,
  splitOut,
  aggregate,
  limit,
  sort,
  removeDuplicates,
  renameKeys,
  summarize,
  itemLists,
  dataTable,
  dateTime,
  convertToFile,
  extractFromFile,
  readWriteFile,
  readBinaryFile,
  readBinaryFiles,
  writeBinaryFile,
  moveBinaryData,
  spreadsheetFile,
  iCal,
  readPdfNode,
  compression,
  editImage,
  html,
  htmlExtract,
  markdown,
  rssFeedRead,
  xml,
  jwt,
  cryptoNode,
  httpRequest,
  graphql,
  executeWorkflow,
  executeCommand,
  noOp,
  stopAndError,
  debugHelper,
  executionData,
  chat,
  extract,
  classify,
  embed,
  imageWorkflow,
  ...databaseNodeTypes,
  ...messageNodeTypes,
  ...mailNodeTypes,
  ...fileServerNodeTypes,
  ...serviceNodeTypes,
  ...aiNodeTypes,
];

const byName = new Map(nodeTypes.map((type) => [type.name, type]));

export function nodeType(name: string): NodeType | undefined {
  const listed = byName.get(name);
  if (listed) return listed;
  const tool = nodeAsTool(name, (base) => byName.get(base));
  if (tool) byName.set(name, tool);
  return tool;
}
