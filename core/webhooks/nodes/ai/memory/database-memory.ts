/** Conversations in Postgres and in Redis, in the form that LangChain stores them. */
import type { SqlClient } from '#core/host';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { redisSettings } from '../../databases/redis-settings.ts';
import { postgresDialect } from '../../databases/sql/dialect.ts';
import { postgresSettings } from '../../databases/sql/postgres-settings.ts';
import { withClient } from '../../databases/with-client.ts';
import { subNode } from '../describe.ts';
import { sessionKey } from './session-key.ts';
import { readMessage, storedMessage } from './stored-message.ts';
import { type MessageStore, windowMemory } from './window-memory.ts';

export const postgresChatMemory: NodeType = subNode('memoryPostgresChat', {
  description: 'Remembers conversations in a Postgres database.',
  supplies: 'ai_memory',
  needsClients: true,
  credentials: [{ type: 'postgres', required: true }],
  async supply(context, itemIndex) {
    const name = String((await context.parameter('tableName', itemIndex)) || 'n8n_chat_histories');
    const store = tableStore(context, name, await sessionKey(context, itemIndex));
    return windowMemory(context, store, await windowLength(context, itemIndex));
  },
});

export const redisChatMemory: NodeType = subNode('memoryRedisChat', {
  description: 'Remembers conversations in Redis.',
  supplies: 'ai_memory',
  needsClients: true,
  credentials: [{ type: 'redis', required: true }],
  async supply(context, itemIndex) {
    const lifetime = Number(await context.parameter('sessionTTL', itemIndex)) || 0;
    const store = listStore(context, await sessionKey(context, itemIndex), lifetime);
    return windowMemory(context, store, await windowLength(context, itemIndex));
  },
});

async function windowLength(context: SubNodeContext, itemIndex: number): Promise<number> {
  return Math.max(1, Number(await context.parameter('contextWindowLength', itemIndex)) || 5) * 2;
}

function tableStore(context: SubNodeContext, name: string, session: string): MessageStore {
  const table = name.split('.').map(postgresDialect.quote).join('.');
  const work = async <T>(run: (client: SqlClient) => Promise<T>) => {
    const settings = postgresSettings(await context.credential('postgres'));
    return withClient(context, 'postgres', settings, async (client) => {
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${table} (id SERIAL PRIMARY KEY, session_id VARCHAR(255) NOT NULL, message JSONB NOT NULL)`,
      );
      return run(client);
    });
  };
  const insert = async (client: SqlClient, messages: ChatMessage[]) => {
    for (const message of messages) {
      const { type, data } = storedMessage(message);
      const values = [session, JSON.stringify({ type, ...data })];
      await client.query(`INSERT INTO ${table} (session_id, message) VALUES ($1, $2)`, values);
    }
  };
  return {
    all: () =>
      work(async (client) => {
        const [result] = await client.query(
          `SELECT message FROM ${table} WHERE session_id = $1 ORDER BY id`,
          [session],
        );
        return withoutOthers((result?.rows ?? []).map(({ message }) => readMessage(message)));
      }),
    append: (messages) => work((client) => insert(client, messages)),
    replace: (messages) =>
      work(async (client) => {
        await client.query('BEGIN');
        await client.query(`DELETE FROM ${table} WHERE session_id = $1`, [session]);
        await insert(client, messages);
        await client.query('COMMIT');
      }),
  };
}

/** The newest message is the first of the list. @param lifetime seconds without a message, 0: for ever */
function listStore(context: SubNodeContext, session: string, lifetime: number): MessageStore {
  const work = async (commands: string[][]) => {
    const settings = redisSettings(await context.credential('redis'));
    return withClient(context, 'redis', settings, async (client) => {
      const replies = [];
      for (const command of commands) replies.push(await client.send(command));
      return replies;
    });
  };
  const push = (messages: ChatMessage[]) => [
    ...messages.map((message) => ['LPUSH', session, JSON.stringify(storedMessage(message))]),
    ...(lifetime > 0 ? [['EXPIRE', session, String(lifetime)]] : []),
  ];
  return {
    async all() {
      const [texts] = await work([['LRANGE', session, '0', '-1']]);
      return withoutOthers((texts as string[]).toReversed().map((text) => readMessage(JSON.parse(text))));
    },
    append: async (messages) => void (await work(push(messages))),
    replace: async (messages) =>
      void (await work([['MULTI'], ['DEL', session], ...push(messages), ['EXEC']])),
  };
}

function withoutOthers(messages: (ChatMessage | undefined)[]): ChatMessage[] {
  return messages.filter((message) => message !== undefined);
}
