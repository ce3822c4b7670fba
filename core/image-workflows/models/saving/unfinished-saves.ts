/** Notes of models that are being saved. With them, the next start removes models that a killed server left incomplete. */
import type { FilePath, Files, Host } from '#core/host';

/**
 * The folder of the notes, one file each. It lies next to `output`, so that a start need not search the whole output
 * folder, which may hold very many files.
 */
const NOTES = 'unfinished';

/**
 * Notes a folder before its first file is written. Call the returned function when the model is complete, or removed
 * completely.
 */
export async function noteUnfinished(files: Files, folder: FilePath): Promise<() => Promise<void>> {
  const note = `${NOTES}/${crypto.randomUUID()}`;
  await files.write(note, new TextEncoder().encode(folder));
  return async () => {
    await files.delete(note);
  };
}

/** Call only while nothing is being saved. A failed removal is tried again at the next start. */
export async function removeUnfinished({ files, log }: Host): Promise<void> {
  for (const name of (await files.names(NOTES)) ?? []) {
    const note = `${NOTES}/${name}`;
    try {
      const folder = new TextDecoder().decode(await files.read(note));
      if (folder.startsWith('output/')) await files.delete(folder);
      await files.delete(note);
    } catch (error) {
      log.error('an incompletely saved model cannot be removed', { note, error: String(error) });
    }
  }
}
