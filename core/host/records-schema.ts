import type { RecordsSchema } from './records.ts';

/**
 * The records of every platform. To change the shape of documents, raise `version` by one and write `migrations[old version]`.
 * A new collection needs a new version too, so that stores create it, but no migration.
 */
export const recordsSchema: RecordsSchema = {
  version: 8,
  collections: {
    /** Installed models by canonical name in lower case. */
    models: { indexes: ['modifiedAt'] },
    /** Unfinished downloads, with the model that each partial belongs to: for a later pull, and for deleting leftovers. */
    pulls: { indexes: ['startedAt'] },
    /** Models to keep loaded, by canonical name. */
    pins: { indexes: [] },
    /** Workflows by id. */
    workflows: { indexes: ['name', 'updatedAt'] },
    /** The published version of each workflow, which answers its webhooks; by the workflow's id. */
    publications: { indexes: [] },
    /** Executions in short, as lists show them. */
    executions: { indexes: ['number', 'workflowId', 'status', 'startedAt'] },
    /** The large part of an execution: its workflow as it was, and every node's items. */
    executionData: { indexes: [] },
    /** Credentials of workflows, encrypted with the key of the installation. */
    credentials: { indexes: ['name', 'type'] },
    /** Keys to the control API (their digests alone), and the installation's own key. */
    workflowKeys: { indexes: [] },
    /** Files of executions that are too large for a record: which executions use which blob. */
    executionFiles: { indexes: ['executionId', 'digest'] },
    /** Data of nodes for all executions: conversations, and texts with their vectors. */
    nodeStorage: { indexes: [] },
    /** Tables of workflows, without their rows. */
    dataTables: { indexes: ['name'] },
    /** The rows of these tables, by the id of the table and the number of the row. */
    dataTableRows: { indexes: ['tableId'] },
    /** Prompts of the image API that wait or run, in order of arrival. */
    promptQueue: { indexes: ['sequence'] },
    /** Prompts of the image API that have run, by their id. */
    promptHistory: { indexes: ['position'] },
  },
  migrations: {},
};
