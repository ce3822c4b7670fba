/** A cluster whose PostgreSQL, Redis and S3 ask for a password or key, over TLS. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askControl } from '#test/support/servers/ask-control.ts';
import { CuttableLink } from '#test/support/servers/cuttable-link.ts';
import { type GuardedS3, startGuardedS3 } from '#test/support/servers/guarded-s3.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres.ts';
import { type RedisServer, startRedis } from '#test/support/servers/redis.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { sentWorkflow, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { makeAuthority, makeServerCertificate } from '../https/certificates.ts';

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tabd-secrets-'));
const authorityFile = join(folder, 'authority.crt');
let postgres: PostgresServer;
let redis: RedisServer;
/** Without TLS and a password. */
let plainRedis: RedisServer;
let s3: GuardedS3;
let links: CuttableLink[] = [];
let env: Record<string, string>;
const children: ChildProcess[] = [];

beforeAll(async () => {
  const authority = await makeAuthority('authority of the test');
  const tls = await makeServerCertificate(authority, [{ kind: 'ip', value: '127.0.0.1' }]);
  writeFileSync(authorityFile, authority.certificate);
  [postgres, redis, plainRedis, s3] = await Promise.all([
    startPostgres({ tls }),
    startRedis(tls),
    startRedis(),
    startGuardedS3(tls, authority.certificate),
  ]);
  const database = new URL(await postgres.newDatabase());
  const queue = new URL(redis.url);
  links = await Promise.all([Number(database.port), Number(queue.port), s3.port].map(CuttableLink.open));
  const [toDatabase, toQueue, toFiles] = links.map(({ port }) => String(port)) as [string, string, string];
  database.port = toDatabase;
  database.search = `?sslmode=verify-full&sslrootcert=${authorityFile}`;
  queue.port = toQueue;
  env = {
    TABD_DATABASE_URL: database.href,
    TABD_REDIS_URL: queue.href,
    TABD_FILES_URL: `s3://${s3.bucket}?endpoint=https://127.0.0.1:${toFiles}`,
    ...s3.keys,
    N8N_ENCRYPTION_KEY: 'a secret of the cluster',
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
}, 120_000);
afterAll(async () => {
  const ended = children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ended);
  for (const link of links) link.close();
  await Promise.all([postgres?.close(), redis?.close(), plainRedis?.close(), s3?.close()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

let homes = 0;
/** Starts the command line with the settings of the cluster. */
function start(words: string[], changes: Record<string, string> = {}) {
  const home = join(folder, `home-${++homes}`);
  const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...words, '--home', home], {
    env: { ...process.env, ...env, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const started = { child, text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      started.text += part;
    });
  return started;
}

/** Runs a command to its end. */
async function run(words: string[], changes?: Record<string, string>) {
  const started = start(words, changes);
  const [code] = (await once(started.child, 'close')) as [number | null];
  return { code, text: started.text };
}

const MARK = 'nobody-on-the-way-may-read-this';
const PASSWORD = 'the-password-of-a-credential';

test('calls, records and files pass by TLS, and nobody on the way reads them', async () => {
  for (const link of links) link.isRecording = true;
  const created = await run(['key', 'create', 'test', '--cluster']);
  const key = created.text.trim().split('\n').at(-1)!;
  const serving = start(['serve', '--cluster', '--workers', '1', '--ports', 'app=off,0,0,0']);
  const port = (name: string) => new RegExp(`${name} (http[^,\\s]+)`).exec(serving.text)?.[1];
  await expect.poll(() => port('webhooks'), { timeout: 30_000 }).toBeTruthy();
  const webhooks = port('webhooks')!;
  const isReady = async () => (await fetch(`${webhooks}/healthz`)).status;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(200);
  const control = <T>(method: string, path: string, body?: object) =>
    askControl(webhooks, key, method, path, body) as Promise<T>;
  await control('POST', '/credentials', {
    name: 'secret',
    type: 'httpBasicAuth',
    data: { user: 'someone', password: PASSWORD },
  });
  const { id } = await control<{ id: string }>(
    'POST',
    '/workflows',
    sentWorkflow(
      workflowOf(
        {
          Webhook: webhookNode('marked', { responseMode: 'lastNode' }),
          Set: setFields({ mark: '={{ $json.body.mark }}' }),
        },
        ['Webhook -> Set'],
        { name: 'marked' },
      ),
    ),
  );
  await control('POST', `/workflows/${id}/activate`);
  const call = () =>
    fetch(`${webhooks}/webhook/marked`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mark: MARK }),
    });
  await expect.poll(async () => (await call()).status, { timeout: 20_000 }).toBe(200);
  expect(await (await call()).json()).toMatchObject({ mark: MARK });
  const images = port('image-workflows')!;
  const form = new FormData();
  form.append('image', new File([MARK], 'marked.png'));
  expect((await fetch(`${images}/upload/image`, { method: 'POST', body: form })).status).toBe(200);
  const stored = await fetch(`${images}/view?filename=marked.png&type=input`);
  expect(await stored.text()).toBe(MARK);

  for (const link of links) {
    const bytes = Buffer.concat(link.seen);
    expect(bytes.length).toBeGreaterThan(2000);
    expect(bytes.includes(MARK)).toBe(false);
  }
  const dump = JSON.stringify(await allRows());
  expect(dump).toContain(MARK);
  expect(dump).not.toContain(PASSWORD);
}, 180_000);

/** All records of the database. */
async function allRows(): Promise<unknown[]> {
  const direct = new URL(env.TABD_DATABASE_URL!);
  const tables = await postgres.query(
    direct.href,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'tabd'",
  );
  const rows = [];
  for (const { name } of tables.rows)
    rows.push((await postgres.query(direct.href, `SELECT * FROM ${name}`)).rows);
  return rows;
}

const changed = (name: string, change: (url: URL) => void) => {
  const url = new URL(env[name]!);
  change(url);
  return { [name]: url.href };
};

test.each<[string, () => Record<string, string>, RegExp]>([
  [
    'a wrong password of PostgreSQL',
    () => changed('TABD_DATABASE_URL', (url) => (url.password = 'wrong')),
    /refused the password/,
  ],
  [
    'PostgreSQL with a certificate of an unknown authority',
    () => ({
      ...changed('TABD_DATABASE_URL', (url) => (url.search = '?sslmode=verify-full')),
      // Redis comes first, and S3 last.
      TABD_REDIS_URL: plainRedis.url,
      NODE_EXTRA_CA_CERTS: '',
    }),
    /certificate is not accepted .*sslrootcert/,
  ],
  [
    'a wrong password of Redis',
    () => changed('TABD_REDIS_URL', (url) => (url.password = 'wrong')),
    /Redis .* refused the password/,
  ],
  [
    'no password of Redis',
    () => changed('TABD_REDIS_URL', (url) => (url.password = '')),
    /Redis .* refused the password/,
  ],
  [
    'Redis without TLS',
    () => ({ TABD_REDIS_URL: env.TABD_REDIS_URL!.replace('rediss:', 'redis:') }),
    /Redis .* needs rediss:/,
  ],
  ['a wrong key of S3', () => ({ AWS_SECRET_ACCESS_KEY: 'wrong' }), /refused the key/],
  [
    'Redis with a certificate of an unknown authority',
    () => ({ NODE_EXTRA_CA_CERTS: '' }),
    /certificate is not accepted .*NODE_EXTRA_CA_CERTS/,
  ],
  [
    'S3 with a certificate of an unknown authority',
    () => ({ TABD_REDIS_URL: plainRedis.url, NODE_EXTRA_CA_CERTS: '' }),
    /s3:.* certificate is not accepted .*NODE_EXTRA_CA_CERTS/,
  ],
])(
  'refuses to start with %s',
  async (_, changes, cause) => {
    const { code, text } = await run(['work'], changes());
    expect(text).toMatch(cause);
    expect(code).toBeGreaterThan(0);
    for (const secret of [new URL(env.TABD_DATABASE_URL!).password, new URL(env.TABD_REDIS_URL!).password])
      expect(text).not.toContain(secret);
    expect(text).not.toContain(env.AWS_SECRET_ACCESS_KEY);
    expect(text).not.toMatch(/^\s+at /m);
  },
  60_000,
);
