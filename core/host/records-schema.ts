import type { RecordsSchema } from './records.ts';

/**
 * The records of every platform. To change a shape: raise `version` by one and write `migrations[old version]`.
 * A new collection alone needs a new version too, so that stores create it, but no migration of documents.
 */
export const recordsSchema: RecordsSchema = {
  version: 6,
  collections: {
    /** Installed models by canonical name in lower case. */
    models: { indexes: ['modifiedAt'] },
    /** Downloads under way: what a partial belongs to, so that a later pull or a prune knows. */
    pulls: { indexes: ['startedAt'] },
    /** Models to be kept loaded, by canonical name. */
    pins: { indexes: [] },
    /** Workflows by id. */
    workflows: { indexes: ['name', 'updatedAt'] },
    /** The version of a workflow that answers its addresses, by the workflow's id. */
    publications: { indexes: [] },
    /** Runs of workflows, in short: what lists show. */
    executions: { indexes: ['number', 'workflowId', 'status', 'startedAt'] },
    /** What belongs to a run and is large: the workflow as it was, and every node's items. */
    executionData: { indexes: [] },
    /** Secrets of the workflow server, encrypted with the key of the installation. */
    credentials: { indexes: ['name', 'type'] },
    /** Keys to the control API (digests only), and the installation's own. */
    workflowKeys: { indexes: [] },
    /** Files of runs that are too large to lie in the records: which runs use which blob. */
    executionFiles: { indexes: ['executionId', 'digest'] },
    /** Graphs that wait to be run or are running, by their order of arrival. */
    promptQueue: { indexes: ['sequence'] },
    /** Graphs that have run, by their id. */
    promptHistory: { indexes: ['position'] },
  },
  migrations: {},
};
