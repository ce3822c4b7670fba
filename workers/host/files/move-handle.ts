/** TypeScript's library lacks `move`, which browsers have in the origin private file system. */
type MovableHandle = FileSystemFileHandle & {
  move?(parent: FileSystemDirectoryHandle, name: string): Promise<void>;
};

/**
 * Moves a file, in place of an older one of the new name. Where the browser cannot move, it copies piece by piece, so
 * that a file of any size fits in memory. A writable stream publishes its bytes only when it is closed.
 * @param from the folder that the file is in
 */
export async function moveHandle(
  handle: MovableHandle,
  from: FileSystemDirectoryHandle,
  to: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  const { name: oldName } = handle;
  if (handle.move) {
    try {
      await handle.move(to, name);
    } catch {
      // Some browsers do not replace an existing file.
      await to.removeEntry(name).catch(() => {});
      await handle.move(to, name);
    }
    return;
  }
  const target = await to.getFileHandle(name, { create: true });
  try {
    await (await handle.getFile()).stream().pipeTo(await target.createWritable());
  } catch (error) {
    await to.removeEntry(name).catch(() => {});
    throw error;
  }
  await from.removeEntry(oldName);
}
