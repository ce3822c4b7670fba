/** The nodes of databases. */
import type { NodeType } from '../../node-api/node-type.ts';
import { mongoDb } from './mongodb.ts';
import { mysql } from './mysql.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import { redisTrigger } from './redis-trigger.ts';

export const databaseNodeTypes: NodeType[] = [postgres, mysql, mongoDb, redis, redisTrigger];
