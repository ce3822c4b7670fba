/**
 * A server that keeps points in memory and answers in the layout of Qdrant's REST API, as its documentation describes
 * it. Debian has no package of Qdrant.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '#core/base';

interface Point {
  id: string | number;
  vector: number[];
  payload: Record<string, unknown>;
}

interface Collection {
  size: number;
  distance: string;
  points: Point[];
}

/** An answer of the server: its status, and the result or the error. */
type Answer = [status: number, result: unknown];

export interface QdrantServer {
  url: string;
  collections: Map<string, Collection>;
  /** Method and path of each request, in order. */
  requests: string[];
  /** From now on requests get no answer. */
  hang(): void;
  close(): Promise<void>;
}

/** @param apiKey requests without it are refused */
export async function startQdrant(apiKey: string): Promise<QdrantServer> {
  const collections = new Map<string, Collection>();
  const requests: string[] = [];
  let hangs = false;
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const body = await bodyOf(request);
    if (hangs) return;
    if (request.headers['api-key'] !== apiKey) {
      response.writeHead(401).end('Must provide an API key or an Authorization bearer token');
      return;
    }
    const [status, result] = answer(collections, request, body);
    const answered =
      status === 200 ? { result, status: 'ok', time: 0 } : { status: { error: result }, time: 0 };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collections,
    requests,
    hang: () => {
      hangs = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function answer(
  collections: Map<string, Collection>,
  { method, url }: IncomingMessage,
  body: Record<string, unknown>,
): Answer {
  const [, , encoded, ...rest] = new URL(url!, 'http://x').pathname.split('/');
  if (encoded === undefined) return [200, { collections: [...collections.keys()].map((name) => ({ name })) }];
  const name = decodeURIComponent(encoded);
  const found = collections.get(name);
  if (method === 'PUT' && rest.length === 0) {
    const vectors = body.vectors as { size: number; distance: string };
    collections.set(name, { ...vectors, points: [] });
    return [200, true];
  }
  if (!found) return [404, `Not found: Collection \`${name}\` doesn't exist!`];
  if (method === 'PUT') {
    const points = body.points as Point[];
    const wrong = points.find(({ vector }) => vector.length !== found.size);
    if (wrong) return [400, dimensionError(found, wrong.vector)];
    found.points.push(...points);
    return [200, { operation_id: 0, status: 'completed' }];
  }
  const query = body.query as number[];
  if (query.length !== found.size) return [400, dimensionError(found, query)];
  const points = found.points
    .filter(({ payload }) => matches(payload, body.filter))
    .map(({ id, payload, vector }) => ({ id, version: 0, score: similarity(query, vector), payload }))
    .sort((a, b) => b.score - a.score)
    .slice(0, Number(body.limit));
  return [200, { points }];
}

const dimensionError = ({ size }: Collection, { length }: number[]) =>
  `Wrong input: Vector dimension error: expected dim: ${size}, got ${length}`;

/** Conditions `match` of `must`, `should` and `must_not`. */
function matches(payload: object, filter: unknown): boolean {
  if (!isObject(filter)) return true;
  const lists = (name: string) => (filter[name] ?? []) as { key: string; match: { value: unknown } }[];
  const holds = ({ key, match }: { key: string; match: { value: unknown } }) =>
    key.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), payload) ===
    match.value;
  const should = lists('should');
  return (
    lists('must').every(holds) &&
    !lists('must_not').some(holds) &&
    (should.length === 0 || should.some(holds))
  );
}

/** The cosine of the angle. */
function similarity(a: number[], b: number[]): number {
  const product = (x: number[], y: number[]) => x.reduce((sum, value, index) => sum + value * y[index]!, 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
