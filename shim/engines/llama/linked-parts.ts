import { rmSync } from 'node:fs';
import { link, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * llama.cpp opens the first part of a split model, and finds the others next to it by their names. Stored files have other
 * names, so that this class links them in a temporary folder. The folder is deleted when the process ends.
 */
export class LinkedParts {
  #folder: Promise<string> | undefined;
  readonly #firstParts = new Map<string, Promise<string>>();

  /** The path of the first part, next to links of all others. `paths`: all parts in their order. */
  link(paths: readonly string[]): Promise<string> {
    const key = paths.join('\n');
    const linked = this.#firstParts.get(key) ?? this.#link(paths, this.#firstParts.size);
    this.#firstParts.set(key, linked);
    // After a failure, the next load tries again.
    linked.catch(() => this.#firstParts.delete(key));
    return linked;
  }

  async #link(paths: readonly string[], number: number): Promise<string> {
    this.#folder ??= temporaryFolder();
    const folder = join(await this.#folder, String(number));
    await mkdir(folder);
    const digits = (value: number) => String(value).padStart(5, '0');
    const links = paths.map((_, index) =>
      join(folder, `model-${digits(index + 1)}-of-${digits(paths.length)}.gguf`),
    );
    for (const [index, path] of paths.entries()) await linkFile(resolve(path), links[index]!);
    return links[0]!;
  }
}

/** A symbolic link, or a hard one where Windows allows no other. */
async function linkFile(path: string, at: string): Promise<void> {
  await symlink(path, at).catch(() => link(path, at));
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-parts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
