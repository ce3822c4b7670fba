import { type FileHandle, open } from 'node:fs/promises';
import { EngineError, ModelCorrupt } from '#core/host';

/**
 * Detects missing, foreign and truncated files before a process is started. Rejects with `EngineError`,
 * `ModelCorrupt`.
 */
export async function checkModelFile(path: string, size: number): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw new EngineError(
      `the model file cannot be opened: ${(error as Error).message}. Pull the model again.`,
      {
        cause: error,
      },
    );
  }
  try {
    const magic = Buffer.alloc(4);
    const { bytesRead } = await file.read(magic, 0, 4, 0);
    const actual = (await file.stat()).size;
    if (bytesRead < 4 || magic.toString('latin1') !== 'GGUF') {
      throw new ModelCorrupt('it is not a GGUF file');
    }
    if (actual < size) {
      throw new ModelCorrupt(`it is truncated: ${actual} of ${size} bytes are there`);
    }
  } finally {
    await file.close();
  }
}
