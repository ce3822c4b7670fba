import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '#test/support/processes/cli-testing.ts';
import { manualWorkflow, smallWorkflow } from '#test/support/webhooks/control.ts';
import { parseArguments } from '../../arguments.ts';
import { runCommand } from '../index.ts';

let server: TestServer;
let folder: string;
beforeEach(async () => {
  server = await testServer({}, {});
  folder = await mkdtemp(join(tmpdir(), 'tabd-workflow-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message,
  );
async function fileOf(workflow: unknown, name = 'workflow.json'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(workflow));
  return path;
}
const tabd = async (...argv: string[]) => (await server.run(argv)).out;

describe('tabd workflow', () => {
  it('imports, publishes, lists, exports, unpublishes and removes', async () => {
    expect(await tabd('workflow', 'list')).toContain('There are no workflows');
    const file = await fileOf({ ...smallWorkflow(), id: 'of-elsewhere', active: true });
    expect(await tabd('workflow', 'import', file, '--publish')).toMatch(
      /^imported Orders \(\w{16}\)\npublished Orders\n {2}POST http:\/\/localhost:5678\/webhook\/orders\n$/,
    );
    expect(await tabd('workflow', 'list')).toMatch(
      /^ID +NAME +STATE +CHANGED\n\w{16} +Orders +published +\d+ seconds? ago\n$/,
    );
    const out = join(folder, 'out.json');
    await tabd('workflow', 'export', 'Orders', out);
    const exported = JSON.parse(await readFile(out, 'utf8'));
    expect(exported).toMatchObject({ name: 'Orders', connections: smallWorkflow().connections });
    expect(JSON.parse(await tabd('workflow', 'export', exported.id))).toEqual(exported);
    expect(await tabd('workflow', 'unpublish', 'Orders')).toBe('unpublished Orders\n');
    expect(await tabd('workflow', 'list')).toMatch(/Orders +- /);
    expect(await tabd('workflow', 'rm', 'Orders')).toBe('removed Orders\n');
    expect(await failure(server.run(['workflow', 'export', 'Orders']))).toBe(
      "there is no workflow 'Orders': see tabd workflow list",
    );
  });

  it.each([
    ['import', 'any.json', '--publish'],
    ['publish', 'Orders'],
  ])('does not %s without a running server, because nothing would answer', async (...argv) => {
    const io = { home: folder, env: {}, out: process.stdout, err: process.stderr, input: process.stdin };
    const args = parseArguments(['workflow', ...argv]);
    const { signal } = new AbortController();
    await expect(runCommand('workflow', args, { io, signal })).rejects.toThrow(
      "no server is running, so no workflow would answer. Start one with 'tabd serve'",
    );
  });

  it('prints every result as JSON on request', async () => {
    const file = await fileOf(smallWorkflow());
    const imported = JSON.parse(await tabd('workflow', 'import', file, '--publish', '--json'));
    expect(imported).toMatchObject({
      data: [{ name: 'Orders' }],
      published: [
        { name: 'Orders', addresses: { production: [{ url: 'http://localhost:5678/webhook/orders' }] } },
      ],
    });
    const { id } = imported.data[0];
    expect(JSON.parse(await tabd('workflow', 'unpublish', 'Orders', '--json'))).toEqual({ unpublished: id });
    expect(JSON.parse(await tabd('workflow', 'publish', 'Orders', '--json'))).toMatchObject({
      id,
      warnings: [],
    });
    expect(JSON.parse(await tabd('workflow', 'rm', 'Orders', '--json'))).toEqual({ removed: id });
  });

  it('warns when callers cannot reach a published workflow', async () => {
    const imported = await server.run(['workflow', 'import', await fileOf(smallWorkflow()), '--publish']);
    const warning =
      /^warning: callers cannot reach this server now: (nothing|something else) answers at http:\/\/localhost:5678/;
    expect(imported.err).toMatch(warning);
    expect((await server.run(['workflow', 'list'])).err).toMatch(warning);
    await tabd('workflow', 'unpublish', 'Orders');
    expect((await server.run(['workflow', 'list'])).err).toBe('');
  });

  it('reports errors of a file, a name or a workflow', async () => {
    expect(await failure(server.run(['workflow', 'import', join(folder, 'none')]))).toContain('ENOENT');
    const rubbish = join(folder, 'rubbish');
    await writeFile(rubbish, '{');
    expect(await failure(server.run(['workflow', 'import', rubbish]))).toMatch(/rubbish is not JSON: /);
    const wrong = await fileOf({ nodes: [{}] });
    expect(await failure(server.run(['workflow', 'import', wrong]))).toBe(
      'This is not a workflow: nodes[0] has no type',
    );
    const twice = await fileOf([manualWorkflow(), manualWorkflow()]);
    await tabd('workflow', 'import', twice);
    expect(await failure(server.run(['workflow', 'publish', 'By hand']))).toMatch(
      /^2 workflows are called 'By hand': name one by its id \(\w+, \w+\)$/,
    );
    expect(await failure(server.run(['workflow', 'dance']))).toContain("tabd workflow cannot 'dance'");
    expect(await failure(server.run(['workflow', 'publish']))).toContain('needs the id or the name');
    expect(await failure(server.run(['workflow', 'list', '--publish']))).toContain('no option --publish');
  });

  it('names the workflow that uses a path already', async () => {
    await tabd('workflow', 'import', await fileOf(smallWorkflow('a', 'First')), '--publish');
    const second = await fileOf(smallWorkflow('a', 'Second'));
    expect(await failure(server.run(['workflow', 'import', second, '--publish']))).toBe(
      'There is a conflict with one of the webhooks. POST a is taken by "First".',
    );
  });

  it('imports from standard input', async () => {
    const { out } = await server.run(['workflow', 'import', '-'], { stdin: JSON.stringify(smallWorkflow()) });
    expect(out).toContain('imported Orders');
  });

  it('lists executions', async () => {
    expect(await tabd('workflow', 'executions')).toBe('Nothing has run yet.\n');
    await tabd('workflow', 'import', await fileOf(manualWorkflow()));
    const [{ id }] = JSON.parse(await tabd('workflow', 'list', '--json')).data;
    const { send } = server;
    await send(`/api/v1/workflows/${id}/run`, { method: 'POST', body: '{}' });
    await expect
      .poll(() => tabd('workflow', 'executions', 'By hand'))
      .toMatch(/^ID +WORKFLOW +MODE +STATUS +STARTED +TOOK\n1 +By hand +manual +success .* \d+ ms\n$/);
  });

  it('stops listening when it is interrupted', async () => {
    await tabd('workflow', 'import', await fileOf(smallWorkflow()));
    const stop = new AbortController();
    const { err, done } = server.begin(['workflow', 'listen', 'Orders'], { signal: stop.signal });
    await expect.poll(() => err.text).toContain('listening: POST http://localhost:5678/webhook-test/orders');
    stop.abort();
    expect(await failure(done)).not.toBe('');
    const [{ id }] = JSON.parse(await tabd('workflow', 'list', '--json')).data;
    const again = await server.send(`/api/v1/workflows/${id}/listen`, { method: 'DELETE' });
    expect(await again.json()).toEqual({ stopped: false });
  });
});

describe('tabd key', () => {
  it('creates a key that is shown once, lists and revokes it', async () => {
    expect(await tabd('key', 'list')).toContain('There are no keys');
    const { out, err } = await server.run(['key', 'create', 'laptop']);
    expect(out).toMatch(/^tabd_[0-9a-f]{64}\n$/);
    expect(err).toContain('shown once');
    const listed = await tabd('key', 'list');
    expect(listed).toContain('laptop');
    expect(listed).not.toContain(out.trim());
    const [{ id }] = JSON.parse(await tabd('key', 'list', '--json')).data;
    expect(await tabd('key', 'rm', id)).toBe(`revoked ${id}\n`);
    expect(await failure(server.run(['key', 'rm', id]))).toContain('There is no key');
    expect(await failure(server.run(['key', 'rm']))).toContain('needs the id');
    expect(await failure(server.run(['key', 'turn']))).toContain("tabd key cannot 'turn'");
  });
});
