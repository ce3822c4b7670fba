/** Notes of the models that are being written, by which the next start removes what a server left that was killed meanwhile. */
import type { FilePath, Files, Host } from '#core/host';

/** Beside `output`, and a file for each: models are written anywhere in the output, which may hold very many files. */
const NOTES = 'unfinished';

/** Before the first file of `folder` is written. Gives what is to be called when it is whole, or nothing of it is left. */
export async function noteUnfinished(files: Files, folder: FilePath): Promise<() => Promise<void>> {
  const note = `${NOTES}/${crypto.randomUUID()}`;
  await files.write(note, new TextEncoder().encode(folder));
  return async () => {
    await files.delete(note);
  };
}

/** While nothing is being written. What cannot be removed is tried again at the next start. */
export async function removeUnfinished({ files, log }: Host): Promise<void> {
  for (const name of (await files.names(NOTES)) ?? []) {
    const note = `${NOTES}/${name}`;
    try {
      const folder = new TextDecoder().decode(await files.read(note));
      if (folder.startsWith('output/')) await files.delete(folder);
      await files.delete(note);
    } catch (error) {
      log.error('a model that was not saved whole cannot be removed', { note, error: String(error) });
    }
  }
}
