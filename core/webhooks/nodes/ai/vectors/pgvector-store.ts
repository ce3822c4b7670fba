/** Documents in a table of Postgres with the extension pgvector. */
import { isObject } from '#core/base';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { postgresSettings } from '../../databases/sql/postgres-settings.ts';
import { withClient } from '../../databases/with-client.ts';
import { withAdvice } from './pgvector-errors.ts';
import { PgVectorTable, type TableLayout } from './pgvector-table.ts';
import { vectorStoreNode } from './vector-store-node.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$]*$/;
const COLUMNS = {
  idColumnName: 'id',
  vectorColumnName: 'embedding',
  contentColumnName: 'text',
  metadataColumnName: 'metadata',
};

export const pgVectorStore: NodeType = vectorStoreNode({
  name: 'vectorStorePGVector',
  description: 'Keeps documents in a table of Postgres with pgvector, and finds the most similar ones.',
  needsClients: true,
  credentials: [{ type: 'postgres', required: true }],
  isPerItem: true,
  async withStores(context, work) {
    const settings = postgresSettings(await context.credential('postgres'));
    const advise = <T>(task: () => Promise<T>) => withAdvice(context.signal, task);
    const connection: Pick<NodeContext, 'connect'> = {
      connect: (kind, login) => advise(() => context.connect(kind, login)),
    };
    return withClient(connection, 'postgres', settings, async (client) => {
      const tables = new Map<string, PgVectorTable>();
      return work(async (itemIndex) => {
        const layout = await layoutOf(context, itemIndex);
        const key = JSON.stringify(layout);
        const former = tables.get(key);
        if (former) return former;
        const query: typeof client.query = (text, values) => advise(() => client.query(text, values));
        const table = new PgVectorTable({ query }, layout);
        await table.ensure();
        tables.set(key, table);
        return table;
      });
    });
  },
});

/** @throws NodeError for names that n8n does not allow either */
async function layoutOf(context: NodeContext, itemIndex: number): Promise<TableLayout> {
  const group = async (name: string) => {
    const values = await context.parameter<unknown>(`options.${name}.values`, itemIndex, {});
    return isObject(values) ? values : {};
  };
  const { useCollection, collectionName, collectionTableName } = await group('collection');
  const columns: Record<string, unknown> = { ...COLUMNS, ...(await group('columnNames')) };
  const column = (field: keyof typeof COLUMNS) => columnName(columns[field], field);
  const distance = String(await context.parameter('options.distanceStrategy', itemIndex, 'cosine'));
  if (!isDistance(distance))
    throw new NodeError(`There is no distance strategy "${distance}"`, { itemIndex });
  return {
    table: tableName(await context.parameter('tableName', itemIndex), 'table name'),
    id: column('idColumnName'),
    vector: column('vectorColumnName'),
    content: column('contentColumnName'),
    metadata: column('metadataColumnName'),
    distance,
    ...(useCollection === true && {
      collection: {
        name: String(collectionName ?? 'n8n'),
        table: tableName(collectionTableName ?? 'n8n_vector_collections', 'collection table name'),
      },
    }),
  };
}

function isDistance(name: string): name is TableLayout['distance'] {
  return ['cosine', 'innerProduct', 'euclidean'].includes(name);
}

/** The parts of a table's name, in lower case as the server reads names without quotes. */
function tableName(value: unknown, label: string): string[] {
  const parts = String(value ?? '').split('.');
  if (parts.length <= 2 && parts.every((part) => IDENTIFIER.test(part)))
    return parts.map((part) => part.toLowerCase());
  throw new NodeError(`Invalid ${label} "${value ?? ''}"`, {
    description: 'Use letters, numbers and underscores; the name of a schema and a dot may stand before it.',
  });
}

function columnName(value: unknown, field: string): string {
  const name = String(value ?? '');
  if (IDENTIFIER.test(name)) return name;
  throw new NodeError(`Invalid column name "${name}" configured for "${field}"`, {
    description: 'Use letters, numbers and underscores, and begin with a letter.',
  });
}
