import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MAX_ENTRIES = 1000;

/** Earlier prompts, for the up key. They are stored in a file that only this user can read. */
export class PromptHistory {
  readonly #path: string;
  #entries: string[] = [];
  enabled: boolean;

  constructor(home: string, enabled: boolean) {
    this.#path = join(home, 'history');
    this.enabled = enabled;
  }

  /** Oldest first. */
  async load(): Promise<string[]> {
    if (!this.enabled) return [];
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    this.#entries = text.split('\n').filter((line) => line !== '');
    return this.#entries;
  }

  add(text: string): void {
    if (!this.enabled) return;
    this.#entries.push(...text.split('\n').filter((line) => line.trim() !== ''));
  }

  async save(): Promise<void> {
    if (!this.enabled) return;
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(this.#path, `${this.#entries.slice(-MAX_ENTRIES).join('\n')}\n`, { mode: 0o600 });
  }
}
