import type { Engine } from '../engine/engine.ts';
import type { BinaryData } from '../node-api/node-context.ts';

/** The files of one call. They belong to the execution that it resumes, or to a new one, whose id is reserved. */
export class CallFiles {
  reservedId: string | undefined;

  constructor(
    private readonly resumedId: string | undefined,
    private readonly engine: Pick<Engine, 'executions' | 'files'>,
  ) {}

  /** Reserves the id of a new execution at the first call. */
  async open(): Promise<BinaryData> {
    const { executions, files } = this.engine;
    if (this.resumedId !== undefined) return files.of(this.resumedId);
    this.reservedId ??= await executions.reserve();
    return files.of(this.reservedId);
  }

  /** Deletes the files of a call that starts no execution after all. */
  async drop(): Promise<void> {
    if (this.reservedId !== undefined) await this.engine.files.forget(this.reservedId);
  }
}
