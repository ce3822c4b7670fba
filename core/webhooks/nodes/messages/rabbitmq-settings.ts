import { isObject } from '#core/base';
import type { ServerLogin } from '#core/host';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { textOf } from '../databases/with-client.ts';

/** The connection of a credential of the type `rabbitmq`. */
export function rabbitmqSettings(credential: JsonObject): ServerLogin {
  const [ca, cert, key, passphrase] = ['ca', 'cert', 'key', 'passphrase'].map((name) =>
    textOf(credential[name]),
  );
  return {
    host: textOf(credential.hostname) || 'localhost',
    port: Number(credential.port) || 5672,
    user: textOf(credential.username),
    password: textOf(credential.password),
    database: textOf(credential.vhost) || '/',
    ...(credential.ssl === true && { tls: { ca: ca!, cert: cert!, key: key!, passphrase: passphrase! } }),
  };
}

/** The options of a queue or an exchange. */
export async function assertOptions(context: NodeContext, index: number): Promise<JsonObject> {
  const chosen = await context.parameter<JsonObject>('options', index, {});
  const { durable = true, exclusive = false, autoDelete = false, alternateExchange } = chosen ?? {};
  const pairs =
    isObject(chosen?.arguments) && Array.isArray(chosen.arguments.argument) ? chosen.arguments.argument : [];
  return {
    durable,
    exclusive,
    autoDelete,
    ...(textOf(alternateExchange) !== '' && { alternateExchange }),
    arguments: keyValues(pairs),
  };
}

/** `[{ key, value }]` as an object. */
export function keyValues(pairs: unknown): JsonObject {
  const list = (Array.isArray(pairs) ? pairs : []).filter(isObject);
  return Object.fromEntries(list.map(({ key, value }) => [String(key ?? ''), value]));
}
