/** The nodes of services. Each is a description of its own. */
import type { NodeType } from '../../node-api/node-type.ts';
import { code } from './descriptions/code/index.ts';
import { customers } from './descriptions/customers/index.ts';
import { files } from './descriptions/files/index.ts';
import { google } from './descriptions/google/index.ts';
import { messages } from './descriptions/messages/index.ts';
import { microsoft } from './descriptions/microsoft/index.ts';
import { search } from './descriptions/search/index.ts';
import { shops } from './descriptions/shops/index.ts';
import { sites } from './descriptions/sites/index.ts';
import { social } from './descriptions/social/index.ts';
import { tables } from './descriptions/tables/index.ts';
import { tasks } from './descriptions/tasks/index.ts';
import { appendTableRows, listTableColumns, listTableRows, lookUpTableRow } from './excel/table-rows.ts';
import {
  appendWorksheetRows,
  readWorksheetRows,
  updateWorksheetRows,
  upsertWorksheetRows,
} from './excel/worksheet-rows.ts';
import { clearSheet, deleteRowsOrColumns, removeSheet } from './google-sheets/change-sheet.ts';
import { lookUpRows, readRange } from './google-sheets/read-range.ts';
import { readRows } from './google-sheets/read-rows.ts';
import { googleSheetsTrigger } from './google-sheets/sheets-trigger.ts';
import { appendToRange, clearRange, updateRange, upsertRange } from './google-sheets/write-range.ts';
import { appendOrUpdateRows, appendRows, updateRows } from './google-sheets/write-rows.ts';
import { nodeOfVersions } from './older-versions.ts';
import { pollNode } from './poll-node.ts';
import { type OperationHandler, serviceNode } from './service-node.ts';
import { triggerNode } from './trigger-node.ts';

const services = [
  code,
  customers,
  files,
  google,
  messages,
  microsoft,
  search,
  shops,
  sites,
  social,
  tables,
  tasks,
];

const handlers: Record<string, OperationHandler> = {
  append: appendRows,
  appendOrUpdate: appendOrUpdateRows,
  clear: clearSheet,
  delete: deleteRowsOrColumns,
  read: readRows,
  remove: removeSheet,
  update: updateRows,
  appendToRange,
  clearRange,
  lookUpRows,
  readRange,
  updateRange,
  upsertRange,
  appendTableRows,
  listTableColumns,
  listTableRows,
  lookUpTableRow,
  appendWorksheetRows,
  readWorksheetRows,
  updateWorksheetRows,
  upsertWorksheetRows,
};

export const serviceNodeTypes: NodeType[] = [
  ...services.flatMap(({ nodes }) =>
    nodes.map((versions) =>
      nodeOfVersions(versions.map((description) => serviceNode(description, handlers))),
    ),
  ),
  ...services.flatMap(({ triggers }) => triggers.map(triggerNode)),
  ...services.flatMap(({ polls }) => polls.map(pollNode)),
  googleSheetsTrigger,
];
