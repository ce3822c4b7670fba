import type { RecordsSchema } from './host/records.ts';

/**
 * The records of every platform. To change a shape: raise `version` by one and write `migrations[old version]`.
 * A new collection alone needs a new version too, so that stores create it, but no migration of documents.
 */
export const recordsSchema: RecordsSchema = {
  version: 2,
  collections: {
    /** Installed models by canonical name in lower case. */
    models: { indexes: ['modifiedAt'] },
    /** Downloads under way: what a partial belongs to, so that a later pull or a prune knows. */
    pulls: { indexes: ['startedAt'] },
    /** Models to be kept loaded, by canonical name. */
    pins: { indexes: [] },
  },
  migrations: {},
};
